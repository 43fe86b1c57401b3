#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "base/text.h"
#include "check/check.h"
#include "ir/matching.h"
#include "model/pattern_text.h"
#include "regex/literal.h"
#include "regex/syntax_tree.h"

// Checks the syntax of selectors and how many parameters of the model they match (SP6, MD9).
namespace sparsecfg::check {

using ir::Action;
using model::Selector;
using model::Term;

// Returns true for a name that looks like a pattern. Excludes selectors whose readers report such names themselves.
static bool is_pattern_without_prefix(const Term& term, const Selector& selector) {
  return term.kind == Term::Kind::exact && selector.over == Selector::Over::parameters && !selector.drops &&
         model::looks_like_pattern(term.text);
}

constexpr std::string_view kTypographicQuotes[] = {"\u201c", "\u201d", "\u2018", "\u2019", "\u201e"};

static bool has_typographic_quotes(std::string_view text) {
  return std::ranges::any_of(kTypographicQuotes,
                             [&](std::string_view quote) { return text.find(quote) != std::string_view::npos; });
}

// Returns the pattern with the prefix `re:`. Replaces misspelled prefixes, as in `RE: .*weight` and `“re:.*weight”`.
static std::string with_prefix(std::string_view text) {
  std::string bare(text);
  for (const std::string_view quote : kTypographicQuotes) {
    for (std::size_t at = bare.find(quote); at != std::string::npos; at = bare.find(quote)) {
      bare.erase(at, quote.size());
    }
  }
  std::string_view pattern = base::trim(bare);
  if (base::to_lower(pattern.substr(0, 2)) == "re" && base::trim(pattern.substr(2)).starts_with(':')) {
    pattern = base::trim(pattern.substr(pattern.find(':') + 1));
  }
  const std::string glob = base::regex_of_glob(pattern);
  return "re:" + (glob.empty() ? std::string(pattern) : glob);
}

std::optional<PatternMeant> pattern_meant_by(const Term& term, const Selector& selector) {
  if (!is_pattern_without_prefix(term, selector)) {
    return std::nullopt;
  }
  const std::string meant = with_prefix(term.text);
  return PatternMeant{meant,
                      fmt::format("write `{}`{}", meant,
                                  has_typographic_quotes(term.text) ? " without the typographic quotes “ ”" : "")};
}

static void check_terms(const Context& context, const Selector& selector) {
  std::set<std::pair<Term::Kind, std::string_view>> seen;
  for (const Term& term : selector.terms) {
    if (selector.terms.size() > 1 && !seen.emplace(term.kind, term.text).second) {
      context.sink.report(diag::duplicate_selector, term.span, term.text)
          .with_help("delete the repeated entry")
          .with_fix(diag::Fix::safe().remove(term.span));
    }
    const bool is_missing = context.parameters != nullptr && !context.parameters->knows(term.text);
    if (const auto meant = pattern_meant_by(term, selector); meant && !is_missing) {
      context.sink.report(diag::regex_without_prefix, term.span, term.text)
          .with_help(meant->help)
          .with_fix(diag::Fix::unsafe().content(term.span, meant->text));
    }
  }
}

// Reports patterns that cannot be compared with other patterns. If the model is known, they are matched instead.
static void check_comparable(const Context& context, const std::vector<Term>& terms) {
  for (const Term& term : terms) {
    if (term.kind != Term::Kind::pattern || model::PlainPattern(term.text).is_plain()) continue;
    const auto parsed = regex::parse(term.text);
    if (const auto* unsupported = std::get_if<regex::Unsupported>(&parsed)) {
      context.sink.report(diag::python_only_regex, term.span, term.text, unsupported->reason);
    }
  }
}

static void check_all_token(const Context& context, const Action& action) {
  const auto* prune = std::get_if<ir::Prune>(&action.effect);
  for (std::size_t at = 0; prune != nullptr && at < prune->targets.size(); ++at) {
    for (const Term& term : prune->targets[at].selector.terms) {
      if (term.kind == Term::Kind::all && !prune->targets[at].selector.drops) {
        auto& report = context.sink.report(diag::all_token_hits_everything, term.span, term.text);
        if (action.origin.class_name.find("KSModifier") != std::string::npos) {  // of 2020, without other tokens
          report.with_help("list the names of the weights, or a pattern that ends with `weight$`");
          continue;
        }
        report.with_help("write `__ALL_PRUNABLE__` to select only layer weights")
            .with_fix(diag::Fix::unsafe().content(term.span, "__ALL_PRUNABLE__"));
      }
    }
  }
}

// Reports names with and without the prefix `module.` in one recipe. DataParallel adds it to all names of a model.
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
    context.sink.report(diag::dataparallel_prefix, with->span, with->text, without->text)
        .with_label(without->span, "no prefix `module.`");
  }
}

// --- with the names of the model ---------------------------------------------------------------------

// Returns true for names of biases and norms, which are not worth pruning.
static bool is_bias_or_norm(std::string_view name) {
  const std::string lower = base::to_lower(name);
  return lower.ends_with("bias") || lower.find("norm") != std::string::npos || lower.find(".bn") != std::string::npos ||
         lower.starts_with("bn");
}

// Reports a selector that matches more than 95 % of all parameters.
static void check_fraction(const Context& context, const Term& term, std::size_t count) {
  constexpr std::size_t kFew = 20;
  const std::size_t all = context.parameters->size();
  if (all >= kFew && count * 20 > all * 19) {
    context.sink.report(diag::selector_matches_all, term.span, term.text, count, all);
  }
}

class Coverage {
 public:
  explicit Coverage(const Context& context) : context_(context), covered_(context.parameters->size(), false) {
    for (std::size_t at = 0; at < context.parameters->size(); ++at) {
      const model::Shape* shape = context.parameters->shape(at);
      const bool vector = shape != nullptr && shape->size() < 2;
      exempt_before_.push_back(exempt_before_.back() + (vector || is_bias_or_norm((*context.parameters)[at]) ? 1 : 0));
    }
  }

  void add(const Selector& selector) {
    for (const Term& term : selector.terms) {
      const model::ModelNames::Taken matched = context_.parameters->matched(term);
      for (const auto& [first, last] : matched.ranges) {
        std::fill(covered_.begin() + first, covered_.begin() + last, true);
      }
      if (term.kind == Term::Kind::pattern) {
        report_excess(term, matched);
      }
    }
    any_ = true;
  }

  void report(source::Span place) const {
    std::size_t left = 0;
    std::string first;
    for (std::size_t at = 0; any_ && at < covered_.size(); ++at) {
      const std::string& name = (*context_.parameters)[at];
      if (!covered_[at] && name.ends_with("weight") && exempt_before_[at] == exempt_before_[at + 1]) {
        first = left++ == 0 ? name : first;
      }
    }
    if (left > 0) {
      context_.sink.report(diag::parameter_uncovered, place, left, first);
    }
  }

 private:
  // Reports a pattern that matches nearly all parameters, or biases and norms. Skips the latter if the match timed out.
  void report_excess(const Term& term, const model::ModelNames::Taken& matched) {
    std::size_t count = 0;
    std::size_t exempt = 0;
    for (const auto& [first, last] : matched.ranges) {
      count += last - first;
      exempt += exempt_before_[last] - exempt_before_[first];
    }
    check_fraction(context_, term, count);
    if (exempt == 0 || !matched.certain) return;
    auto& report = context_.sink.report(diag::selector_hits_nonprunable, term.span, term.text, exempt);
    const std::string narrow = without_exempt(term, matched, count - exempt);
    if (!narrow.empty()) report.with_help(fmt::format("write `{}`", narrow));
  }

  // Returns the pattern that matches the same weights, but no biases and norms; empty if none is found. Norms are
  // excluded by the words that make them norms.
  [[nodiscard]] std::string without_exempt(const Term& term, const model::ModelNames::Taken& matched,
                                           std::size_t weights) const {
    if (weights == 0) return {};
    std::string_view body = term.text;
    if (body.ends_with('$')) body.remove_suffix(1);
    const bool open = !body.ends_with("weight");
    const std::string end = open ? std::string(body) + (body.ends_with(".*") ? "weight$" : ".*weight$") : term.text;
    std::string words = words_of_norms(matched);
    const std::string lookahead = words.empty() ? std::string() : fmt::format("(?!.*({}))", words);
    for (const std::string& text : {end, lookahead + end, with_layers(body, matched)}) {
      const model::ModelNames::Taken found = context_.parameters->matched({Term::Kind::pattern, text, {}});
      if (text != term.text && found.certain && counts_of(found) == std::pair(weights, std::size_t{0}))
        return marks_patterns() ? "re:" + text : text;
    }
    return {};
  }

  // Returns the pattern for the layers whose weights are neither biases nor norms, in place of what a pattern ends
  // with: `features.*\.(conv1|downsample\.0)\.weight$`. Empty if they have too many names.
  [[nodiscard]] std::string with_layers(std::string_view body, const model::ModelNames::Taken& matched) const {
    constexpr std::size_t kMost = 8;
    std::set<std::string> layers;
    for (const auto& [first, last] : matched.ranges) {
      for (std::size_t at = first; at < last; ++at) {
        std::string_view name = (*context_.parameters)[at];
        if (exempt_before_[at] != exempt_before_[at + 1]) continue;
        if (!name.ends_with(model::kWeightEnding)) return {};
        name.remove_suffix(model::kWeightEnding.size());
        layers.insert(regex::literal(model::end_of_name(name)));
        if (layers.size() > kMost) return {};
      }
    }
    for (const std::string_view open : {"weight", "\\.", ".*"}) {
      if (body.ends_with(open)) body.remove_suffix(open.size());
    }
    return fmt::format("{}.*\\.({})\\.weight$", body, fmt::join(layers, "|"));
  }

  // Returns the numbers of matched weights, and of biases and norms.
  [[nodiscard]] std::pair<std::size_t, std::size_t> counts_of(const model::ModelNames::Taken& matched) const {
    std::size_t count = 0;
    std::size_t exempt = 0;
    for (const auto& [first, last] : matched.ranges) {
      count += last - first;
      exempt += exempt_before_[last] - exempt_before_[first];
    }
    return {count - exempt, exempt};
  }

  // Returns the words of norms in the matched names, as alternatives of a pattern.
  [[nodiscard]] std::string words_of_norms(const model::ModelNames::Taken& matched) const {
    std::string out;
    for (const std::string_view word : {"norm", "Norm", "bn", "BN"}) {
      const auto has_word = [&](const auto& range) {
        for (std::size_t at = range.first; at < range.second; ++at) {
          const bool exempt = exempt_before_[at] != exempt_before_[at + 1];
          if (exempt && (*context_.parameters)[at].find(word) != std::string::npos) return true;
        }
        return false;
      };
      if (std::ranges::any_of(matched.ranges, has_word)) out += (out.empty() ? "" : "|") + std::string(word);
    }
    return out;
  }

  // Returns true for dialects whose patterns begin with `re:`.
  [[nodiscard]] bool marks_patterns() const { return context_.recipe.dialect == "sparseml"; }

  const Context& context_;
  std::vector<bool> covered_;
  std::vector<std::size_t> exempt_before_ = {0};  // number of biases and norms before each index
  bool any_ = false;
};

static void check_coverage(const Context& context) {
  if (context.parameters == nullptr) {
    return;
  }
  Coverage coverage(context);
  source::Span place;
  for (const Action& action : context.recipe.actions) {
    const auto* prune = std::get_if<ir::Prune>(&action.effect);
    for (std::size_t at = 0; prune != nullptr && action.valid && at < prune->targets.size(); ++at) {
      if (prune->targets[at].selector.over == Selector::Over::parameters) {
        place = place.empty() ? action.origin.span : place;
        coverage.add(prune->targets[at].selector);
      }
    }
  }
  coverage.report(place);
}

void check_selectors(const Context& context) {
  const bool compares = context.parameters == nullptr && context.sink.wants(diag::python_only_regex);
  base::LastList<Term> excluded;
  for (const Action& action : context.recipe.actions) {
    if (!action.valid) {
      continue;
    }
    for (const Selector* selector : ir::selectors_of(action.effect)) {
      check_terms(context, *selector);
      if (compares) check_comparable(context, selector->terms);
      if (compares && excluded.changes_to(selector->excluded)) check_comparable(context, selector->excluded);
    }
    check_all_token(context, action);
  }
  check_parallel_names(context);
  check_coverage(context);
}

}  // namespace sparsecfg::check
