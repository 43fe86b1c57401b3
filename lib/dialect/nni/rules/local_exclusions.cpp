#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <utility>

#include "base/limit_table.h"
#include "diag/rule.h"
#include "dialect/nni/codes.h"
#include "dialect/nni/selectors.h"
#include "dialect/nni/targets.h"
#include "model/matcher.h"

// Modules that one entry excludes and a later, broader one selects.
namespace sparsecfg::dialect::nni {

DIAGNOSTIC(SP640, exclusion_is_local, silent_warning, (Text),
           "`{}` is excluded from an earlier entry, but this entry selects it",
           "An exclusion applies only to its own entry. A module that it leaves without settings gets those of the "
           "next entry that selects it.",
           "exclude it from this entry too")

using Texts = Selectors::Texts;

namespace {

bool has_text(const Texts& texts, const std::string& text) {
  return std::ranges::find(texts, text, &source::Located<std::string>::value) != texts.end();
}

// An entry that selects modules only by their types.
struct ByTypes {
  explicit ByTypes(const Entry& own)
      : entry(&own), selected(selectors_of(own.fields)), excluded(exclusions_of(own.fields)) {}

  [[nodiscard]] bool is_one() const {
    return entry->valid && !selected.types.empty() && !selected.by_name() && !has(*entry->written, "exclude");
  }

  const Entry* entry;
  Selectors selected;
  Selectors excluded;
};

// What an entry selects by name.
struct ByName {
  explicit ByName(Selectors lists) : selected(std::move(lists)), matcher(selected.named()) {}

  Selectors selected;
  model::Matcher matcher;
};

class LocalExclusions {
 public:
  LocalExclusions(const std::vector<Entry>& entries, const std::vector<Target>& targets, const Context& context)
      : entries_(entries), targets_(targets), context_(context) {
    const std::size_t count = std::min(entries_.size(), limits::kMaxCompared);
    for (std::size_t at = 0; at < count; ++at) by_name_.emplace_back(selectors_of(entries_[at].fields));
  }

  void check() const {
    const std::size_t count = by_name_.size();
    std::vector<ByTypes> earlier;
    for (std::size_t at = 0; at < count; ++at) {
      ByTypes entry(entries_[at]);
      if (!entry.is_one()) continue;
      const bool reported = std::ranges::any_of(earlier, [&](const ByTypes& each) { return check(each, entry, at); });
      if (!reported && entry.excluded.by_name()) earlier.push_back(std::move(entry));
    }
  }

 private:
  // Only an entry that also selects other types is broader. Another one may be written for the excluded modules.
  bool check(const ByTypes& one, const ByTypes& later, std::size_t index) const {
    const auto is_shared = [&](const auto& type) { return has_text(one.selected.types, type.value); };
    if (std::ranges::all_of(later.selected.types, is_shared)) return false;
    const Texts names = selected_again(one.excluded.names, one, later, index, false);
    const Texts patterns = selected_again(one.excluded.patterns, one, later, index, true);
    if (!names.empty()) report("exclude_op_names", names, later);
    if (!patterns.empty()) report("exclude_op_names_re", patterns, later);
    return !names.empty() || !patterns.empty();
  }

  Texts selected_again(const Texts& excluded, const ByTypes& one, const ByTypes& later, std::size_t index,
                       bool patterns) const {
    Texts out;
    for (const auto& term : excluded) {
      const bool repeated = has_text(patterns ? later.excluded.patterns : later.excluded.names, term.value);
      if (!repeated && !is_named_before(term.value, index) && selects(term.value, patterns, one, later, index))
        out.push_back(term);
    }
    return out;
  }

  // Returns true if an earlier entry selects the module by its name, or if a hostile file needs too many comparisons.
  bool is_named_before(const std::string& name, std::size_t index) const {
    if (comparisons_left_ < index) return true;
    comparisons_left_ -= index;
    return std::ranges::any_of(std::span(by_name_).first(index), [&](const ByName& each) {
      return has_text(each.selected.names, name) || has_text(each.selected.patterns, name) ||
             (!each.selected.patterns.empty() && each.matcher.takes(name));
    });
  }

  // Without a model, an excluded module has one of the types of its entry.
  bool selects(const std::string& text, bool is_pattern, const ByTypes& one, const ByTypes& later,
               std::size_t index) const {
    if (!context_.model.known()) {
      return std::ranges::all_of(one.selected.types,
                                 [&](const auto& type) { return has_text(later.selected.types, type.value); });
    }
    const model::Matcher pattern(text);
    return std::ranges::any_of(targets_, [&](const Target& target) {
      return target.entry == index && has_text(one.selected.types, target.module.type) &&
             (is_pattern ? pattern.takes(target.module.name) : target.module.name == text);
    });
  }

  void report(std::string_view key, const Texts& terms, const ByTypes& later) const {
    const std::string_view quote = key.ends_with("_re") ? "'" : "";
    std::vector<std::string> texts;
    for (const auto& term : terms) texts.push_back(fmt::format("{0}{1}{0}", quote, term.value));
    const source::Entry* types = find_entry(*later.entry->written, "op_types");
    auto& report = context_.sink.report(diag::exclusion_is_local,
                                        types == nullptr ? later.entry->span : later.entry->place(&types->second),
                                        terms.front().value);
    for (const auto& term : terms) report.with_label(term.span, "excluded only from its own entry");
    const std::string entry = fmt::format("{}: [{}]", key, fmt::join(texts, ", "));
    const source::Value* list = find_value(*later.entry->written, key);
    diag::Fix fix = diag::Fix::unsafe();
    if (list == nullptr) {
      report.with_help(fmt::format("add `{}` to this entry", entry));
      if (types != nullptr && !types->first.span.empty()) fix.add_entry(types->first.span, entry);
    } else {
      report.with_help(fmt::format("add `{}` to `{}` of this entry", fmt::join(texts, "` and `"), key));
      for (const std::string& text : texts) fix.append(list->span, text);
    }
    report.with_fix(std::move(fix));
  }

  const std::vector<Entry>& entries_;
  const std::vector<Target>& targets_;
  const Context& context_;
  std::vector<ByName> by_name_;
  mutable std::size_t comparisons_left_ = 1'000'000;
};

}  // namespace

void check_local_exclusions(const std::vector<Entry>& entries, const std::vector<Target>& targets,
                            const Context& context) {
  LocalExclusions(entries, targets, context).check();
}

}  // namespace sparsecfg::dialect::nni
