#include "dialect/nni/targets.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "diag/rule.h"
#include "dialect/nni/codes.h"
#include "dialect/nni/selectors.h"
#include "model/comparing.h"
#include "model/matcher.h"

namespace sparsecfg::dialect::nni {

DIAGNOSTIC(SP610, exclude_with_sparsity, silent_error, (), "this entry excludes everything that it selects",
           "NNI 3.0 excludes the modules of an entry with `exclude` from every entry, including that entry. NNI 2.x "
           "rejects such an entry. The same happens if `exclude_op_names`, `exclude_op_types` or exclusion patterns "
           "match everything that the entry selects.",
           "delete `exclude`, or move it to a separate entry")

DIAGNOSTIC(SP629, exclude_without_effect, warning, (Text, Text), "`{}` excludes nothing: {}",
           "An exclusion applies only to modules that its entry selects. An exclusion without effect is often a "
           "misspelled name or a type in another spelling. Up to NNI 2.x, an entry with `exclude` applies only to "
           "earlier entries, and a later entry configures its modules again.",
           "correct the name or type, or delete it")

const Entry* entry_that_selects(std::span<const Entry> all, const Entry& own, const std::string& name,
                                const std::string& type) {
  for (const Entry& other : all) {
    const Selectors selected = selectors_of(other.fields);
    const bool by_type =
        selected.types.empty() || type.empty() ||
        std::ranges::find(selected.types, type, &source::Located<std::string>::value) != selected.types.end();
    const auto matches = [&](const Selectors& list) {
      return list.by_name() && model::Matcher(list.named()).match(name) == regex::Match::yes;
    };
    const bool selects = by_type && (!selected.by_name() || matches(selected));
    if (&other != &own && selects && !has(*other.written, "exclude") && !matches(exclusions_of(other.fields)))
      return &other;
  }
  return nullptr;
}

void Misplaced::report(diag::Sink& sink, std::string_view reason) const {
  for (const auto& [other, names] : names_) {
    std::vector<std::string> texts;
    const std::string_view quote = key_.ends_with("_re") ? "'" : "";
    for (const auto& name : names) texts.push_back(fmt::format("{0}{1}{0}", quote, name.value));
    const std::string list = fmt::format("{}", fmt::join(texts, ", "));
    auto& report =
        sink.report(diag::exclude_without_effect, names.front().span, names.front().value, std::string(reason));
    for (const auto& name : std::span(names).subspan(1)) report.with_label(name.span, "this one neither");
    report.with_label(other->span, "this entry selects it")
        .with_help(fmt::format("move `{}: [{}]` to the entry that selects {}", key_, list,
                               names.size() == 1 ? fmt::format("`{}`", names.front().value) : "them"));
  }
}

class Exclusions {
 public:
  Exclusions(const Entry& entry, std::span<const Entry> all, diag::Sink& sink)
      : entry_(entry), all_(all), sink_(sink) {}

  void check() {
    if (excludes_all_selected()) {
      sink_.report(diag::exclude_with_sparsity, entry_.span).with_help("delete the exclusion, or narrow it");
      return;
    }
    if (!selected_.terms.empty()) {
      std::ranges::for_each(excluded_.terms, [&](const model::Term& term) { check_name(term); });
      misplaced_.report(sink_, kNotSelected);
    }
    for (const auto& type : types_.empty() ? Selectors::Texts() : excluded_types_) {
      if (!has_type(types_, type.value)) {
        sink_.report(diag::exclude_without_effect, type.span, type.value, "the entry selects only other types")
            .with_help("delete it, or write the type as in `op_types`")
            .with_fix(diag::Fix::unsafe().remove(type.span));
      }
    }
  }

 private:
  static constexpr std::string_view kNotSelected = "no name or pattern of the entry selects it";

  static bool has_type(const Selectors::Texts& types, const std::string& type) {
    return std::ranges::find(types, type, &source::Located<std::string>::value) != types.end();
  }

  bool excludes_all_selected() {
    const bool all_types = !types_.empty() && std::ranges::all_of(types_, [&](const auto& type) {
      return has_type(excluded_types_, type.value);
    });
    const bool all_names = !selected_.terms.empty() && !excluded_.terms.empty() &&
                           model::contains(model::Selection(excluded_), model::Selection(selected_), budget_).answer ==
                               regex::Comparison::Answer::yes;
    return all_types || all_names;
  }

  void check_name(const model::Term& term) {
    if (model::intersects(model::Selection(selected_), model::Selection(term, selected_.over), budget_).answer ==
        regex::Comparison::Answer::no) {
      const bool exact = term.kind == model::Term::Kind::exact;
      if (const Entry* other = exact ? entry_that_selects(all_, entry_, term.text, {}) : nullptr) {
        misplaced_.add(*other, {term.text, term.span});
        return;
      }
      sink_.report(diag::exclude_without_effect, term.span, term.text, std::string(kNotSelected))
          .with_help("delete it, or write the name as in the model")
          .with_fix(diag::Fix::unsafe().remove(term.span));
    }
  }

  const Entry& entry_;
  std::span<const Entry> all_;
  diag::Sink& sink_;
  Misplaced misplaced_{"exclude_op_names"};
  Selectors::Texts types_ = selectors_of(entry_.fields).types;
  Selectors::Texts excluded_types_ = exclusions_of(entry_.fields).types;
  model::Selector selected_ = selectors_of(entry_.fields).named();
  model::Selector excluded_ = exclusions_of(entry_.fields).named();
  base::Budget budget_ = regex::comparison_budget();
};

bool has_exclusions(const Entry& entry) {
  return !has(*entry.written, "exclude") && std::ranges::any_of(*entry.written, [](const source::Entry& field) {
    return name_of(field).starts_with("exclude_");
  });
}

void check_exclusions(const Entry& entry, std::span<const Entry> all, diag::Sink& sink) {
  if (entry.valid && has_exclusions(entry)) {
    Exclusions(entry, all, sink).check();
  }
}

}  // namespace sparsecfg::dialect::nni
