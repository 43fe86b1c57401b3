#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <vector>

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
      context_.sink.report(diag::sparsity_looks_like_percent, sparsity.span, name, base::python_repr(value))
          .with_help(fmt::format("write `{}`", base::python_repr(value / 100)))
          .with_fix(action_.origin.is_literal(sparsity.span)
                        ? diag::Fix::unsafe().replace(sparsity.span, base::python_repr(value / 100))
                        : diag::Fix());
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
    model::Selector earlier;
    for (std::size_t at = 0; at < prune_.targets.size(); ++at) {
      const ir::Target& target = prune_.targets[at];
      const std::vector<const model::Term*> hidden = hidden_terms(target, earlier);
      hides_.push_back(!hidden.empty() && hidden.size() == target.selector.terms.size());
      for (const model::Term* term : hidden) {
        report_hidden(*term, target, at);
      }
      check_overlap(target, at, hidden);
      if (&target == &prune_.targets.back()) break;  // the last target hides no other
      earlier.over = target.selector.over;
      earlier.tensor = target.selector.tensor;
      earlier.terms.insert(earlier.terms.end(), target.selector.terms.begin(), target.selector.terms.end());
    }
  }

  // Reports patterns that partly overlap with patterns of a smaller sparsity.
  void check_overlap(const ir::Target& target, std::size_t index, const std::vector<const model::Term*>& hidden) {
    if (index == 0 || target.selector.over != model::Selector::Over::parameters) {
      return;
    }
    const model::ModelNames& names =
        context_.parameters != nullptr ? *context_.parameters : model::typical_parameters();
    for (const model::Term& term : target.selector.terms) {
      const bool is_pattern =
          term.kind == model::Term::Kind::pattern && std::ranges::find(hidden, &term) == hidden.end();
      for (std::size_t before = 0; is_pattern && before < index; ++before) {
        for (const model::Term& other : prune_.targets[before].selector.terms) {
          if (other.kind == model::Term::Kind::pattern && report_overlap(term, other, index, before, names)) return;
        }
      }
    }
  }

  // Reports two patterns that share a name while each matches a name that the other does not. Returns true if reported.
  bool report_overlap(const model::Term& term, const model::Term& other, std::size_t index, std::size_t before,
                      const model::ModelNames& names) {
    const std::vector<bool> mine = model::matched_names({{term}}, names);
    const std::vector<bool> theirs = model::matched_names({{other}}, names);
    std::optional<std::size_t> both;
    bool only_mine = false;
    bool only_theirs = false;
    for (std::size_t at = 0; at < mine.size(); ++at) {
      both = !both && mine[at] && theirs[at] ? at : both;
      only_mine = only_mine || (mine[at] && !theirs[at]);
      only_theirs = only_theirs || (!mine[at] && theirs[at]);
    }
    if (!both || !only_mine || !only_theirs) {
      return false;
    }
    const std::string sparsity = base::python_repr(prune_.targets[before].sparsity.value);
    context_.sink
        .report(
            diag::overlapping_selectors, term.span,
            fmt::format("`{}` gets {} from `{}`", names[*both], sparsity, other.text),
            fmt::format("the {} of this pattern is ignored", base::python_repr(prune_.targets[index].sparsity.value)))
        .with_label(other.span, "takes precedence")
        .with_help("narrow the patterns; a parameter gets the smallest sparsity that selects it");
    return true;
  }

  std::vector<const model::Term*> hidden_terms(const ir::Target& target, const model::Selector& earlier) {
    std::vector<const model::Term*> hidden;
    const bool comparable = earlier.terms.empty() || target.selector.tensor == earlier.tensor;
    for (const model::Term& term : target.selector.terms) {
      if (comparable && !earlier.terms.empty() && is_hidden(term, target.selector.over, earlier))
        hidden.push_back(&term);
    }
    return hidden;
  }

  // Returns true if an earlier selector matches every name that a term matches, in the known model or in any model.
  bool is_hidden(const model::Term& term, model::Selector::Over over, const model::Selector& earlier) {
    if (context_.parameters == nullptr || over != model::Selector::Over::parameters) {
      const bool same = std::ranges::find(earlier.terms, term) != earlier.terms.end();
      return same ||
             model::contains(model::Selection(earlier), {term, over}, budget_).answer == regex::Comparison::Answer::yes;
    }
    const std::vector<bool> mine = model::matched_names({{term}, over}, *context_.parameters);
    const std::vector<bool> before = model::matched_names(earlier, *context_.parameters);
    bool any = false;
    for (std::size_t at = 0; at < mine.size(); ++at) {
      if (mine[at] && !before[at]) return false;
      any = any || mine[at];
    }
    return any;
  }

  void report_hidden(const model::Term& term, const ir::Target& target, std::size_t index) {
    // If only several targets together hide it, the first one is shown.
    const auto before = std::span(prune_.targets).first(index);
    const auto single = std::ranges::find_if(
        before, [&](const ir::Target& other) { return is_hidden(term, target.selector.over, other.selector); });
    const ir::Target& winner = single == before.end() ? before.front() : *single;
    context_.sink
        .report(diag::param_in_two_buckets, term.span, term.text, base::python_repr(target.sparsity.value),
                base::python_repr(winner.sparsity.value))
        .with_severity(hides_.back() ? diag::Severity::error : diag::Severity::warning)
        .with_label(winner.sparsity.span, "takes precedence")
        .with_help("delete this entry, or narrow the patterns of the smaller sparsity");
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
  std::vector<bool> hides_;  // by target: true if all its terms are hidden
  base::Budget budget_ = regex::comparison_budget(2'000'000);
};

void check_sparsities(const Context& context) {
  for (const ir::Action& action : context.recipe.actions) {
    if (const auto* prune = std::get_if<ir::Prune>(&action.effect); prune != nullptr && action.valid) {
      SparsityCheck(context, action, *prune).run();
    }
  }
}

}  // namespace sparsecfg::check
