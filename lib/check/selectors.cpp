#include <algorithm>
#include <set>
#include <vector>

#include "base/text.h"
#include "check/check.h"
#include "ir/matching.h"
#include "regex/pattern.h"
#include "regex/syntax_tree.h"

// How selectors are written, and how much of a model they take (SP6, MD9).
namespace sparsecfg::check {

using ir::Action;
using ir::Selector;
using ir::Term;

// Readers that compare names literally say themselves where a pattern stands among them.
static bool is_pattern_without_prefix(const Term& term, const Selector& selector) {
  return term.kind == Term::Kind::exact && selector.over == Selector::Over::parameters && !selector.drops &&
         ir::looks_like_pattern(term.text);
}

static void check_terms(const Context& context, const Selector& selector) {
  std::set<std::pair<Term::Kind, std::string>> seen;
  for (const Term& term : selector.terms) {
    if (!seen.emplace(term.kind, term.text).second) {
      context.sink.report(diag::duplicate_selector, term.span, base::printable(term.text))
          .with_help("delete one of them")
          .with_fix(diag::Fix::safe().remove(term.span));
    }
    if (is_pattern_without_prefix(term, selector)) {
      context.sink.report(diag::regex_without_prefix, term.span, base::printable(term.text))
          .with_help(fmt::format("write `re:{}`", base::printable(term.text)))
          .with_fix(diag::Fix::unsafe().content(term.span, "re:" + term.text));
    }
  }
}

// Said where nothing but the pattern itself tells what it takes.
static void check_comparable(const Context& context, const Selector& selector) {
  for (const auto* terms : {&selector.terms, &selector.excluded}) {
    for (const Term& term : *terms) {
      const auto parsed =
          term.kind == Term::Kind::pattern ? regex::parse(term.text) : std::variant<regex::Node, regex::Unsupported>();
      if (const auto* unsupported = std::get_if<regex::Unsupported>(&parsed)) {
        context.sink.report(diag::python_only_regex, term.span, base::printable(term.text), unsupported->reason);
      }
    }
  }
}

static void check_all_token(const Context& context, const Action& action) {
  const auto* prune = std::get_if<ir::Prune>(&action.effect);
  for (std::size_t at = 0; prune != nullptr && at < prune->targets.size(); ++at) {
    for (const Term& term : prune->targets[at].selector.terms) {
      if (term.kind == Term::Kind::all && !prune->targets[at].selector.drops) {
        context.sink.report(diag::all_token_hits_everything, term.span, term.text)
            .with_help("`__ALL_PRUNABLE__` takes the weights of layers alone")
            .with_fix(diag::Fix::unsafe().content(term.span, "__ALL_PRUNABLE__"));
      }
    }
  }
}

// DataParallel puts `module.` before every name of a model, or before none.
static void check_parallel_names(const Context& context) {
  const Term* with = nullptr;
  const Term* without = nullptr;
  for (const Action& action : context.recipe.actions) {
    for (const Selector* selector : ir::selectors_of(action.effect)) {
      for (const Term& term : selector->terms) {
        if (term.kind != Term::Kind::exact || selector->over != Selector::Over::parameters) continue;
        const Term*& first = term.text.starts_with("module.") ? with : without;
        first = first == nullptr ? &term : first;
      }
    }
  }
  if (with != nullptr && without != nullptr) {
    context.sink.report(diag::dataparallel_prefix, with->span, base::printable(with->text), base::printable(without->text))
        .with_label(without->span, "this one has no `module.`");
  }
}

// --- with the model's names -------------------------------------------------------------------------

// What is not worth pruning, as far as a name tells.
static bool is_bias_or_norm(std::string_view name) {
  const std::string lower = base::to_lower(name);
  return lower.ends_with("bias") || lower.find("norm") != std::string::npos || lower.find(".bn") != std::string::npos || lower.starts_with("bn");
}

// Whether a pattern fits, and did not only take too long to say.
static bool fits(const std::optional<regex::Pattern>& pattern, const std::string& name) {
  return pattern && pattern->match(name) == regex::Match::yes;
}

static std::optional<regex::Pattern> pattern_of(const Term& term) {
  if (term.kind != Term::Kind::pattern) {
    return std::nullopt;
  }
  auto compiled = regex::Pattern::compile(term.text, regex::Anchoring::start);
  auto* pattern = std::get_if<regex::Pattern>(&compiled);
  return pattern == nullptr ? std::nullopt : std::optional(std::move(*pattern));
}

static void check_share(const Context& context, const Term& term, const std::vector<bool>& taken) {
  constexpr std::size_t kFew = 20;
  const auto count = static_cast<std::size_t>(std::ranges::count(taken, true));
  if (term.kind == Term::Kind::pattern && taken.size() >= kFew && count * 20 > taken.size() * 19) {
    context.sink.report(diag::selector_matches_all, term.span, base::printable(term.text), count, taken.size());
  }
}

class Coverage {
 public:
  explicit Coverage(const Context& context) : context_(context), covered_(context.parameters->size(), false) {}

  void add(const Selector& selector) {
    std::size_t idle = 0;
    for (const Term& term : selector.terms) {
      const std::vector<bool> taken = ir::taken_by({{term}, selector.over}, *context_.parameters);
      const auto pattern = pattern_of(term);
      check_share(context_, term, taken);
      for (std::size_t at = 0; at < taken.size(); ++at) {
        covered_[at] = covered_[at] || taken[at];
        const std::string& name = (*context_.parameters)[at];
        idle += taken[at] && is_bias_or_norm(name) && fits(pattern, name) ? 1 : 0;
      }
      if (idle > 0) {
        context_.sink.report(diag::selector_hits_nonprunable, term.span, base::printable(term.text), idle);
        idle = 0;
      }
    }
    any_ = true;
  }

  void report(source::Span place) const {
    std::size_t left = 0;
    std::string first;
    for (std::size_t at = 0; any_ && at < covered_.size(); ++at) {
      const std::string& name = (*context_.parameters)[at];
      if (!covered_[at] && name.ends_with("weight") && !is_bias_or_norm(name)) {
        first = left++ == 0 ? name : first;
      }
    }
    if (left > 0) {
      context_.sink.report(diag::parameter_uncovered, place, left, base::printable(first));
    }
  }

 private:
  const Context& context_;
  std::vector<bool> covered_;
  bool any_ = false;
};

static void check_coverage(const Context& context) {
  // Matching costs the product of names and terms.
  constexpr std::size_t kMostNames = 200'000;
  if (context.parameters == nullptr || context.parameters->size() > kMostNames) {
    return;
  }
  Coverage coverage(context);
  source::Span place;
  for (const Action& action : context.recipe.actions) {
    const auto* prune = std::get_if<ir::Prune>(&action.effect);
    for (std::size_t at = 0; prune != nullptr && action.sound && at < prune->targets.size(); ++at) {
      if (prune->targets[at].selector.over == Selector::Over::parameters) {
        place = place.empty() ? action.origin.span : place;
        coverage.add(prune->targets[at].selector);
      }
    }
  }
  coverage.report(place);
}

void check_selectors(const Context& context) {
  for (const Action& action : context.recipe.actions) {
    if (!action.sound) {
      continue;
    }
    for (const Selector* selector : ir::selectors_of(action.effect)) {
      check_terms(context, *selector);
      if (context.parameters == nullptr) check_comparable(context, *selector);
    }
    check_all_token(context, action);
  }
  check_parallel_names(context);
  check_coverage(context);
}

}  // namespace sparsecfg::check
