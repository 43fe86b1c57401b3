#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "check/check.h"
#include "check/class_names.h"
#include "ir/matching.h"
#include "model/pattern_doubt.h"
#include "model/pattern_text.h"
#include "regex/compare.h"

// Reports patterns that match unexpected names, and terms that match no name (SP6).
namespace sparsecfg::check {

using model::PatternDoubt;
using model::Selector;
using model::Term;

// Returns true for a pattern that the reader has anchored at both ends. The reader also reports doubts about it, with
// the original text.
static bool is_closed(const Term& term) {
  return term.kind == Term::Kind::pattern && term.text.starts_with("(?:") && term.text.ends_with(")$");
}

static std::string text_of(const Term& term) {
  return is_closed(term) ? term.text.substr(3, term.text.size() - 5) : term.text;
}

static const diag::Def<diag::Text, diag::Text>& finding_of(PatternDoubt::Kind kind) {
  switch (kind) {
    case PatternDoubt::Kind::any_character: return diag::unescaped_dot;
    case PatternDoubt::Kind::open_end: return diag::regex_start_anchored;
    case PatternDoubt::Kind::half_anchored: return diag::alternation_not_anchored;
    case PatternDoubt::Kind::repeated_letter: break;
  }
  return diag::glob_not_regex;
}

class PatternCheck {
 public:
  explicit PatternCheck(const Context& context) : context_(context) {}

  void check(const Selector& selector) {
    check_terms(selector, selector.terms, stops(selector));
    if (excluded_.changes_to(selector.excluded)) check_terms(selector, selector.excluded, false);
  }

  // Reports one finding for all patterns that also match higher numbers. Many recipes have such a pattern per layer.
  void report_numbered() {
    if (numbered_.empty()) {
      return;
    }
    auto& first = report(*numbered_.front().term, numbered_.front().doubt);
    for (const Doubted& other : std::span(numbered_).subspan(1)) {
      first.fix.content(other.term->span, written_pattern(other.doubt.meant));
    }
    if (const std::size_t more = numbered_.size() - 1; more > 0) {
      first.with_caret(more == 1 ? "1 more pattern has the same problem"
                                 : fmt::format("{} more patterns have the same problem", more));
    }
  }

  // Reports a pattern that matches every name.
  void check_everything(const Term& term) {
    if (context_.parameters != nullptr || !context_.sink.wants(diag::all_token_hits_everything) ||
        term.kind != Term::Kind::pattern || model::PlainPattern(term.text).asks_for_something()) {
      return;
    }
    const auto language = regex::Nfa::of(term.text, regex::Anchoring::start);
    const auto* matched = std::get_if<regex::Nfa>(&language);
    const auto answer = matched == nullptr ? regex::Comparison() : within_budget([&](base::Budget& budget) {
      return regex::contains(*matched, regex::Nfa::everything(), budget);
    });
    if (answer.answer == regex::Comparison::Answer::yes) {
      context_.sink.report(diag::all_token_hits_everything, term.span, "re:" + term.text)
          .with_help("write `re:.*weight` to select only weights (including those of norms)");
    }
  }

 private:
  // Evaluates a question about one pattern. Limits its cost to that of one comparison, so that budget is left for other
  // patterns.
  template <class Question>
  std::invoke_result_t<Question, base::Budget&> within_budget(Question question) {
    base::Budget own = regex::comparison_budget();
    own.spend(own.steps_left() - std::min(own.steps_left(), budget_.steps_left()));
    const std::size_t before = own.steps_left();
    auto answer = question(own);
    budget_.spend(before - own.steps_left());
    return answer;
  }

  // Adds the prefix that marks patterns in the dialect.
  [[nodiscard]] std::string written_pattern(const std::string& pattern) const {
    return std::string(context_.remedies.pattern_prefix) + pattern;
  }

  // Returns true if the framework stops when a term of the selector matches no name.
  static bool stops(const Selector& selector) {
    return selector.strict || (selector.needs_one && selector.terms.size() == 1);
  }

  // Returns true for the first term at its location. One entry can be a term of several actions.
  bool is_new(const Term& term) { return term.span.empty() || seen_.emplace(term.span.begin, term.span.end).second; }

  void check_terms(const Selector& selector, const std::vector<Term>& terms, bool stops) {
    for (const Term& term : terms) {
      if (is_new(term) && !check_impossible(term, selector.over, stops || term.required) && !is_closed(term)) {
        check_doubt(term, selector.over);
      }
    }
    report_classes(stops);
  }

  // Reports the classes of layers in one selector.
  void report_classes(bool stops) {
    const std::vector<const Term*> classes = std::exchange(classes_, {});
    if (classes.empty()) return;
    const Term& first = *classes.front();
    auto& report = context_.sink.report(diag::never_matches, first.span, first.text, class_reason_);
    for (const Term* other : std::span(classes).subspan(1)) report.with_label(other->span, "a class as well");
    report.with_severity(stops ? diag::Severity::error : diag::Severity::warning)
        .with_help(help_for_class(context_, ""));
  }

  const model::ModelNames* names_of(Selector::Over over) const {
    return over == Selector::Over::parameters ? context_.parameters
           : over == Selector::Over::modules  ? context_.modules
                                              : nullptr;
  }

  // Reports a term that cannot match any name and returns true for it. Does nothing if the model is known, because
  // `check_names` then compares all terms with its names.
  bool check_impossible(const Term& term, Selector::Over over, bool stops) {
    const bool pattern_among_names = term.kind == Term::Kind::exact && model::looks_like_pattern(term.text);
    if (names_of(over) != nullptr || over == Selector::Over::layers || pattern_among_names) {
      return false;
    }
    const auto found = within_budget(
        [&](base::Budget& budget) { return model::impossible_name(term, over, context_.recipe.framework, budget); });
    if (!found) {
      return false;
    }
    if (found->is_class) {
      class_reason_ = found->reason;
      classes_.push_back(&term);
      return true;
    }
    const bool pattern = term.kind == Term::Kind::pattern && !is_closed(term);
    const std::string meant = pattern ? written_pattern(found->meant) : found->meant;
    auto& report = context_.sink.report(diag::never_matches, term.span,
                                        (pattern ? written_pattern(text_of(term)) : text_of(term)), found->reason);
    report.with_severity(found->certain && stops ? diag::Severity::error : diag::Severity::warning)
        .with_help(found->meant.empty() ? "list the names of the model with `sparsecfg match --params FILE`"
                                        : fmt::format("write `{}`", meant));
    if (!found->meant.empty() && !is_closed(term)) {
      report.with_fix(diag::Fix::unsafe().content(term.span, meant));
    }
    return true;
  }

  void check_doubt(const Term& term, Selector::Over over) {
    const bool asked = term.kind == Term::Kind::pattern && context_.sink.wants(diag::unescaped_dot);
    if (!asked) {
      return;
    }
    auto doubt =
        within_budget([&](base::Budget& budget) { return model::doubt_of(term.text, over, names_of(over), budget); });
    if (!doubt) {
      return;
    }
    const bool counts = doubt->kind == PatternDoubt::Kind::any_character || doubt->kind == PatternDoubt::Kind::open_end;
    if (counts && names_of(over) == nullptr) {
      numbered_.push_back({&term, std::move(*doubt)});
    } else {
      report(term, *doubt);
    }
  }

  diag::Diagnostic& report(const Term& term, const PatternDoubt& doubt) {
    const std::string meant = written_pattern(doubt.meant);
    return context_.sink.report(finding_of(doubt.kind), term.span, term.text, doubt.witness)
        .with_help(fmt::format("write `{}`", meant))
        .with_fix(diag::Fix::unsafe().content(term.span, meant));
  }

  struct Doubted {
    const Term* term;
    PatternDoubt doubt;
  };

  const Context& context_;
  base::Budget budget_ =
      regex::comparison_budget(limits::kMaxWorkOfPattern);  // for all patterns together; a fifth of a second
  std::vector<Doubted> numbered_;                           // patterns that also match higher numbers; unknown model
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen_;  // locations of terms
  std::vector<const Term*> classes_;                        // of the selector that is being checked
  std::string class_reason_;
  base::LastList<Term> excluded_;
};

void check_patterns(const Context& context) {
  PatternCheck check(context);
  for (const ir::Action& action : context.recipe.actions) {
    if (!action.valid) {
      continue;
    }
    for (const Selector* selector : ir::selectors_of(action.effect)) {
      check.check(*selector);
    }
    const auto* prune = std::get_if<ir::Prune>(&action.effect);
    for (std::size_t at = 0; prune != nullptr && at < prune->targets.size(); ++at) {
      const Selector& selector = prune->targets[at].selector;
      if (selector.over != Selector::Over::parameters) continue;
      std::ranges::for_each(selector.terms, [&](const Term& term) { check.check_everything(term); });
    }
  }
  check.report_numbered();
}

}  // namespace sparsecfg::check
