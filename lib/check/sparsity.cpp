#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "base/limits.h"
#include "base/number.h"
#include "check/check.h"
#include "ir/matching.h"
#include "ir/sparsity.h"
#include "model/comparing.h"
#include "model/model_names.h"

// Reports sparsities that are valid but probably unintended (SP4).
namespace sparsecfg::check {

class SparsityCheck {
 public:
  SparsityCheck(const Context& context, const ir::Action& action, const ir::Prune& prune)
      : context_(context), action_(action), prune_(prune) {}

  void run() {
    for (const ir::Target& target : prune_.targets) {
      check_range(target.sparsity);
      check_extreme(target.sparsity);
    }
    if (const ir::Located<double>* from = ir::initial_sparsity(prune_.curve)) {
      check_range(*from);
    }
    check_hidden();
    check_global();
  }

 private:
  std::string name_at(source::Span span) const {
    const ir::OriginField* field = action_.origin.field_at(span);
    return field == nullptr ? "sparsity" : field->name;
  }

  void check_range(const ir::Located<double>& sparsity) {
    const double value = sparsity.value;
    if (value >= 0 && value <= 1) {
      return;
    }
    const std::string name = name_at(sparsity.span);
    if (value > 1 && value <= 100) {
      const std::string text = base::python_repr(value / 100);
      auto& report =
          context_.sink.report(diag::sparsity_looks_like_percent, sparsity.span, name, base::python_repr(value));
      report.with_help(fmt::format("write `{}`", text));
      advise_value(report, action_, sparsity.span, text);
    } else {
      context_.sink.report(diag::sparsity_out_of_range, sparsity.span, name, base::python_repr(value), "[0.0, 1.0]")
          .with_severity(diag::Severity::warning);
    }
  }

  void check_extreme(const ir::Located<double>& sparsity) {
    using Kind = ir::Structure::Kind;
    const bool structured = prune_.structure.kind == Kind::filter || prune_.structure.kind == Kind::channel;
    if (sparsity.value <= 1 && (sparsity.value >= 0.99 || (structured && sparsity.value > 0.9))) {
      context_.sink.report(diag::extreme_sparsity, sparsity.span, name_at(sparsity.span), sparsity.value);
    }
  }

  // Reports terms without effect. A parameter keeps the first target that selects it.
  void check_hidden() {
    for (std::size_t at = 0; at < prune_.targets.size(); ++at) {
      const ir::Target& target = prune_.targets[at];
      const std::vector<const model::Term*> hidden = hidden_terms(target);
      hides_.push_back(!hidden.empty() && hidden.size() == target.selector.terms.size());
      report_hidden(hidden, target);
      check_overlap(target, at, hidden);
      if (&target != &prune_.targets.back()) add_earlier(target, at);  // the last target hides no other
    }
  }

  std::vector<const model::Term*> hidden_terms(const ir::Target& target) {
    std::vector<const model::Term*> hidden;
    if (earlier_.all.terms.empty() || target.selector.tensor != earlier_.all.tensor) {
      return hidden;
    }
    for (const model::Term& term : target.selector.terms) {
      if (is_hidden(term, target.selector.over)) hidden.push_back(&term);
    }
    return hidden;
  }

  // Returns true if the earlier targets match every name that a term matches, in the known model or in any model.
  bool is_hidden(const model::Term& term, model::Selector::Over over) {
    if (knows_names(over)) {
      const auto ranges = context_.parameters->matched(term).ranges;
      return !ranges.empty() && std::ranges::all_of(ranges, [&](const model::IndexRange& range) {
        const auto begin = owners_.begin() + range.first;
        return std::find(begin, owners_.begin() + range.second, kNoTarget) == owners_.begin() + range.second;
      });
    }
    if (earlier_.owners.contains(key_of(term))) {
      return true;
    }
    // Names cannot contain each other.
    const bool only_patterns = term.kind == model::Term::Kind::exact && !earlier_.has_types;
    return hides(only_patterns ? earlier_.patterns : earlier_.all, term, over);
  }

  // Compares a selector with a term, for any model. Building an automaton takes a step for each character.
  bool hides(const model::Selector& selector, const model::Term& term, model::Selector::Over over) {
    const auto length = [](std::size_t sum, const model::Term& each) { return sum + each.text.size() + 1; };
    const auto size = std::accumulate(selector.terms.begin(), selector.terms.end(), term.text.size() + 1, length);
    return !selector.terms.empty() && budget_.spend(size) &&
           model::contains(model::Selection(selector), {term, over}, budget_).answer == regex::Comparison::Answer::yes;
  }

  bool knows_names(model::Selector::Over over) const {
    return context_.parameters != nullptr && over == model::Selector::Over::parameters;
  }

  void add_earlier(const ir::Target& target, std::size_t index) {
    if (context_.parameters != nullptr) owners_.resize(context_.parameters->size(), kNoTarget);
    for (model::Selector* selector : {&earlier_.all, &earlier_.patterns}) {
      selector->over = target.selector.over;
      selector->tensor = target.selector.tensor;
    }
    for (const model::Term& term : target.selector.terms) {
      earlier_.owners.emplace(key_of(term), index);
      earlier_.has_types = earlier_.has_types || term.kind == model::Term::Kind::module_type;
      earlier_.all.terms.push_back(term);
      if (term.kind != model::Term::Kind::exact) earlier_.patterns.terms.push_back(term);
      if (context_.parameters == nullptr) continue;
      for (const auto& [first, last] : context_.parameters->matched(term).ranges) {
        std::replace(owners_.begin() + first, owners_.begin() + last, kNoTarget, index);
      }
    }
  }

  static std::pair<model::Term::Kind, std::string_view> key_of(const model::Term& term) {
    return {term.kind, term.text};
  }

  // Reports patterns that partly overlap with patterns of a smaller sparsity.
  void check_overlap(const ir::Target& target, std::size_t index, const std::vector<const model::Term*>& hidden) {
    if (target.selector.over != model::Selector::Over::parameters) {
      return;
    }
    const model::ModelNames& names =
        context_.parameters != nullptr ? *context_.parameters : model::typical_parameters();
    const auto others = static_cast<std::ptrdiff_t>(overlapping_.size());
    for (const model::Term& term : target.selector.terms) {
      if (term.kind != model::Term::Kind::pattern) continue;
      if (overlaps_.exceeded() != base::Budget::Limit::none) return;
      overlapping_.push_back({&term, index, model::matched_names({{term}}, names)});
      const auto is_reported = [&](const Pattern& other) { return report_overlap(overlapping_.back(), other, names); };
      if (std::ranges::find(hidden, &term) == hidden.end() &&
          std::any_of(overlapping_.begin(), overlapping_.begin() + others, is_reported)) {
        break;
      }
    }
  }

  struct Pattern {
    const model::Term* term;
    std::size_t target;
    std::vector<bool> names;  // that it matches
  };

  // Reports two patterns that share a name while each matches a name that the other does not. Returns true if reported.
  bool report_overlap(const Pattern& pattern, const Pattern& other, const model::ModelNames& names) {
    if (!overlaps_.spend(names.size())) {
      return report_limit(*pattern.term);
    }
    std::optional<std::size_t> both;
    bool only_mine = false;
    bool only_theirs = false;
    for (std::size_t at = 0; at < names.size(); ++at) {
      both = !both && pattern.names[at] && other.names[at] ? at : both;
      only_mine = only_mine || (pattern.names[at] && !other.names[at]);
      only_theirs = only_theirs || (!pattern.names[at] && other.names[at]);
    }
    if (!both || !only_mine || !only_theirs) {
      return false;
    }
    const std::string sparsity = base::python_repr(prune_.targets[other.target].sparsity.value);
    context_.sink
        .report(diag::overlapping_selectors, pattern.term->span,
                fmt::format("`{}` gets {} from `{}`", names[*both], sparsity, other.term->text),
                fmt::format("the {} of this pattern is ignored",
                            base::python_repr(prune_.targets[pattern.target].sparsity.value)))
        .with_label(other.term->span, "takes precedence")
        .with_help("narrow the patterns; a parameter gets the smallest sparsity that selects it");
    return true;
  }

  bool report_limit(const model::Term& term) {
    context_.sink
        .report(diag::limits_exceeded, term.span,
                fmt::format("only the first {} patterns are compared with each other", overlapping_.size() - 1))
        .with_severity(diag::Severity::info);
    return true;
  }

  // Returns the target that takes precedence: the only one that hides a term, or the first of several. Returns null if
  // the budget is exhausted.
  const ir::Target* winner_over(const model::Term& term, model::Selector::Over over) {
    if (knows_names(over)) {
      return &prune_.targets[owners_[context_.parameters->matched(term).ranges.front().first]];
    }
    if (const auto found = earlier_.owners.find(key_of(term)); found != earlier_.owners.end()) {
      return &prune_.targets[found->second];
    }
    const auto before = std::span(prune_.targets).first(hides_.size() - 1);
    const auto single =
        std::ranges::find_if(before, [&](const ir::Target& other) { return hides(other.selector, term, over); });
    if (budget_.exceeded() != base::Budget::Limit::none) return nullptr;
    return single == before.end() ? &before.front() : &*single;
  }

  using Terms = std::vector<const model::Term*>;

  // Reports the terms of a target, by the target that takes precedence over them.
  void report_hidden(const Terms& terms, const ir::Target& target) {
    std::map<const ir::Target*, Terms> by_winner;
    for (const model::Term* term : terms) {
      const ir::Target* winner = winner_over(*term, target.selector.over);
      if (winner == nullptr) return;
      by_winner[winner].push_back(term);
    }
    for (const auto& [winner, hidden] : by_winner) {
      const bool one = narrow(report_hidden(*hidden.front(), target, *winner), hidden, *winner);
      for (std::size_t at = 1; at < hidden.size() && !one; ++at) {
        narrow(report_hidden(*hidden[at], target, *winner), {hidden[at]}, *winner);
      }
    }
  }

  diag::Diagnostic& report_hidden(const model::Term& term, const ir::Target& target, const ir::Target& winner) {
    return context_.sink
        .report(diag::param_in_two_buckets, term.span, term.text, base::python_repr(target.sparsity.value),
                base::python_repr(winner.sparsity.value))
        .with_severity(hides_.back() ? diag::Severity::error : diag::Severity::warning)
        .with_label(winner.sparsity.span, "takes precedence")
        .with_help("delete this entry, or narrow the patterns of the smaller sparsity");
  }

  // Advises to leave the matches of patterns to them: another pattern begins with a negative lookahead. Returns false
  // if it can't.
  bool narrow(diag::Diagnostic& report, const Terms& hidden, const ir::Target& winner) {
    const bool one = winner.selector.terms.size() == 1;
    const model::Term* other = one ? &winner.selector.terms.front() : nullptr;
    const auto over = winner.selector.over;
    const auto leaves_some = [&](const model::Term* term) {
      return term->kind == model::Term::Kind::pattern &&
             model::contains({*term, over}, {*other, over}, budget_).answer == regex::Comparison::Answer::no;
    };
    const bool patterns = one && other->kind == model::Term::Kind::pattern && !other->span.empty();
    if (!patterns || !std::ranges::all_of(hidden, leaves_some)) return false;
    std::vector<std::string> texts;
    for (const model::Term* term : hidden) {
      texts.push_back(term->text);
      report.with_label(term->span, "hidden by it");
    }
    const std::string text =
        fmt::format("{}(?!{}){}", context_.remedies.pattern_prefix, fmt::join(texts, "|"), other->text);
    report.with_help(fmt::format("write `{}` for the smaller sparsity", text))
        .with_fix(diag::Fix::unsafe().content(other->span, text));
    report.span = other->span;
    return true;
  }

  // Reports global pruning with several targets. Global ranking allows one target per update.
  void check_global() {
    if (!prune_.global || prune_.targets.size() < 2 || !action_.cadence.is<ir::SinceLastUpdate>()) {
      return;
    }
    ir::Prune ramp = prune_;  // ramps from the measured sparsity start equally for all targets
    if (auto* measured = std::get_if<ir::Ramp>(&ramp.curve); measured != nullptr && !measured->from) {
      measured->from = source::Located<double>{0, {}};
    }
    for (const double epoch : first_updates(context_, action_, 2)) {
      std::set<double> sparsities;
      for (std::size_t at = 0; at < prune_.targets.size(); ++at) {
        const auto sparsity = ir::sparsity_at(ramp.curve, prune_.targets[at].sparsity.value, action_.cadence, epoch);
        if (!hides_[at] && sparsity) sparsities.insert(*sparsity);
      }
      if (sparsities.size() > 1) {
        const ir::OriginField* field = action_.origin.field_at(prune_.targets.front().sparsity.span);
        context_.sink
            .report(diag::global_with_final_sparsity_map, field == nullptr ? action_.origin.span : field->key,
                    action_.origin.class_name)
            .with_help(std::string(context_.remedies.separate_ranking));
        return;
      }
    }
  }

  const Context& context_;
  const ir::Action& action_;
  const ir::Prune& prune_;

  // The terms of the targets so far.
  struct Earlier {
    model::Selector all;
    model::Selector patterns;                                                      // without full names
    std::map<std::pair<model::Term::Kind, std::string_view>, std::size_t> owners;  // first targets by term
    bool has_types = false;
  };

  static constexpr std::size_t kNoTarget = std::numeric_limits<std::size_t>::max();

  std::vector<bool> hides_;  // by target: true if all its terms are hidden
  Earlier earlier_;
  std::vector<std::size_t> owners_;  // of the names of the model: the first target
  std::vector<Pattern> overlapping_;
  base::Budget budget_ = regex::comparison_budget(2'000'000);
  base::Budget overlaps_ = base::Budget({.steps = limits::kMaxLooks});  // a step for each name of the model
};

void check_sparsities(const Context& context) {
  for (const ir::Action& action : context.recipe.actions) {
    if (const auto* prune = std::get_if<ir::Prune>(&action.effect); prune != nullptr && action.valid) {
      SparsityCheck(context, action, *prune).run();
    }
  }
}

}  // namespace sparsecfg::check
