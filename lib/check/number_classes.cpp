#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "base/text.h"
#include "check/check.h"
#include "check/outcome/rematch.h"
#include "model/number_class.h"
#include "model/selectors/reader.h"
#include "regex/pattern.h"

// Reports character classes that were written as ranges of numbers, in patterns of all dialects (SP636).
namespace sparsecfg::check {

namespace {

using model::NumberClass;
using model::Term;
using Names = std::vector<std::string>;

// A pattern of a file, and the names of the model that another text at its place would match; null if the model is not
// known.
struct Pattern {
  std::string text;
  source::Span span;
  std::string_view prefix;  // of all patterns of the list, which `text` lacks
  model::PatternUse use = model::PatternUse::open;
  std::function<Names(const std::string&)> matches{};
};

// Returns the regular expression that a pattern was meant to be; empty if none matches only the intended names.
std::string expression_for(const Pattern& pattern, const NumberClass& numbers) {
  const std::vector<std::string> candidates = model::patterns_for(numbers, pattern.text, pattern.use);
  if (pattern.text.starts_with('*')) return {};  // a glob
  if (!pattern.matches) return candidates.back();
  const auto fits = [&](const std::string& candidate) {
    const Names names = pattern.matches(candidate);
    return !names.empty() && std::ranges::all_of(names, [&](const std::string& name) {
      return model::is_intended(numbers, pattern.text, name);
    });
  };
  const auto found = std::ranges::find_if(candidates, fits);
  return found == candidates.end() ? std::string() : *found;
}

// Returns the patterns without alternatives that together match the intended names, for lists of globs.
std::vector<std::string> globs_for(const Pattern& pattern, const NumberClass& numbers) {
  std::vector<std::string> out;
  for (const std::string& each : numbers.alternatives("[0-9]")) {
    out.push_back(pattern.text.substr(0, numbers.begin) + each + pattern.text.substr(numbers.end));
    if (pattern.matches && pattern.matches(out.back()).empty()) return {};
  }
  return out;
}

class NumberClasses {
 public:
  explicit NumberClasses(const Context& context) : context_(context) {}

  void check() {
    for (const ir::Action& action : context_.recipe.actions) {
      for (const ir::Operation& operation : action.operations) check(operation);
      if (!action.valid) continue;
      for (const model::Selector* selector : ir::selectors_of(action.effect)) {
        for (const Term& term : selector->terms) check(term, selector->over);
        for (const Term& term : selector->excluded) check(term, selector->over);
      }
    }
  }

 private:
  void check(const ir::Operation& operation) {
    const ir::Selection& selection = ir::selection_of(operation);
    for (std::uint32_t at = 0; at < selection.rules.size(); ++at) {
      const ir::Rule& rule = selection.rules[at];
      const auto matches = [&, at](const std::string& text) { return matches_of(operation, at, text); };
      const bool known = context_.module_list != nullptr && selection.language != nullptr;
      if (!known && !is_pattern(selection, rule.entry)) continue;
      check({rule.entry, rule.span, "", model::PatternUse::open,
             known ? matches : std::function<Names(const std::string&)>()});
    }
  }

  void check(const Term& term, model::Selector::Over over) {
    if (term.kind != Term::Kind::pattern) return;
    const model::ModelNames* names = over == model::Selector::Over::parameters ? context_.parameters
                                     : over == model::Selector::Over::modules  ? context_.modules
                                                                               : nullptr;
    const bool closed = term.text.starts_with("(?:") && term.text.ends_with(")$");  // by the reader, of Distiller
    Pattern pattern{closed ? term.text.substr(3, term.text.size() - 5) : term.text, term.span,
                    closed ? std::string_view() : context_.remedies.pattern_prefix,
                    closed ? model::PatternUse::whole : model::PatternUse::open};
    const auto matches = [=](const std::string& text) {
      const std::string whole = closed ? "(?:" + text + ")$" : text;
      Names out;
      for (const auto& [first, last] : names->matched({Term::Kind::pattern, whole, {}}).ranges) {
        for (std::size_t at = first; at < last; ++at) out.push_back((*names)[at]);
      }
      return out;
    };
    if (names != nullptr) pattern.matches = matches;
    check(pattern);
  }

  [[nodiscard]] Names matches_of(const ir::Operation& operation, std::uint32_t rule, const std::string& text) const {
    Names out;
    for (const std::size_t at : modules_matched_by(operation, rule, text, *context_.module_list))
      out.push_back((*context_.module_list)[at].name);
    return out;
  }

  // Returns true if a list reads an entry as a pattern, as far as this is known without a model.
  static bool is_pattern(const ir::Selection& selection, std::string_view entry) {
    if (entry.starts_with("re:") || entry.starts_with('*')) return true;
    const selectors::Reader* reader = selection.language == nullptr ? nullptr : selection.language->reader;
    if (reader == nullptr) return false;
    return std::ranges::any_of(reader->how, selectors::is_regex);
  }

  void check(const Pattern& pattern) {
    const auto numbers = model::number_class_in(pattern.text);
    if (!numbers || pattern.span.empty() || seen_.contains(pattern.span) || has_fault(pattern.text)) return;
    if (pattern.matches && comparisons_left_-- <= 0) return;
    const std::string expression = expression_for(pattern, *numbers);
    const std::vector<std::string> globs = expression.empty() ? globs_for(pattern, *numbers) : Names();
    // A model without such numbers proves that the digits are meant.
    if (pattern.matches && (expression.empty() ? globs.size() < 2 : is_same(pattern, expression))) return;
    seen_.insert(pattern.span);
    auto& report = context_.sink.report(diag::class_of_numbers, pattern.span, numbers->text,
                                        words_of(numbers->digits()), numbers->words());
    if (expression.empty()) {
      report.with_help(fmt::format("write `{}` as separate entries", fmt::join(globs, "` and `")));
      return;
    }
    const std::string meant = std::string(pattern.prefix) + expression;
    report.with_help(fmt::format("write `{}`", meant)).with_fix(diag::Fix::unsafe().content(pattern.span, meant));
  }

  // Returns true for a regular expression that Python rejects, which is reported as such.
  static bool has_fault(std::string_view text) {
    for (const std::string_view mark : {"re:", "+:", "-:"}) {
      if (text.starts_with(mark)) text.remove_prefix(mark.size());
    }
    return !text.starts_with('*') && regex::syntax_error_of(text).has_value();
  }

  static std::string words_of(const std::vector<std::string>& digits) {
    return fmt::format("the {} {}", digits.size() == 1 ? "digit" : "digits", base::join_and(digits));
  }

  static bool is_same(const Pattern& pattern, const std::string& other) {
    return pattern.matches(pattern.text) == pattern.matches(other);
  }

  const Context& context_;
  std::set<source::Span> seen_;
  int comparisons_left_ = 100;  // of patterns with the names of the model, which take long
};

}  // namespace

void check_number_classes(const Context& context) { NumberClasses(context).check(); }

}  // namespace sparsecfg::check
