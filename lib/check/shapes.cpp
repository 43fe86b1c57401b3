#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "base/number.h"
#include "base/text.h"
#include "check/check.h"
#include "ir/framework.h"
#include "ir/matching.h"
#include "ir/sparsity.h"
#include "model/matcher.h"

// Checks the shapes of pruned weights against the requirements of the framework (MD9). Requires the shapes of the
// model.
namespace sparsecfg::check {

using ir::divides;
using ir::Ranks;
using ir::Structure;
using model::Shape;

namespace {

struct Weight {
  const std::string* name;
  const Shape* shape;
};

std::string_view noun_of(const Structure& structure) {
  switch (structure.kind) {
    case Structure::Kind::filter: return "filters";
    case Structure::Kind::channel: return "channels";
    case Structure::Kind::n_of_m: return "N:M groups";
    case Structure::Kind::block: return "blocks";
    case Structure::Kind::unstructured: return "weights";
  }
  return {};
}

std::string list_of(const std::vector<Weight>& weights) {
  constexpr std::size_t kMaxCount = 20;
  std::vector<std::string> items;
  for (std::size_t at = 0; at < std::min(weights.size(), kMaxCount); ++at) {
    items.push_back(fmt::format("`{}` ({})", *weights[at].name, model::to_text(*weights[at].shape)));
  }
  if (weights.size() > kMaxCount) {
    items.push_back(fmt::format("{} more", weights.size() - kMaxCount));
  }
  return base::join_and(items);
}

// Checks the weights of one target of a pruner.
class ShapeCheck {
 public:
  ShapeCheck(const Context& context, const ir::Action& action, const ir::Prune& prune, const ir::Target& target,
             std::vector<Weight> weights)
      : context_(context),
        action_(action),
        prune_(prune),
        selector_(target.selector),
        structure_(prune.structure),
        sparsity_(target.sparsity),
        weights_(std::move(weights)) {}

  void run() {
    if (std::holds_alternative<ir::Distributed>(prune_.curve)) {
      check_distributed();
    }
    if (structure_.kind == Structure::Kind::unstructured || sparsity_.value <= 0 || !makes_masks()) {
      return;
    }
    check_kinds();
    if (structure_.kind == Structure::Kind::block || structure_.kind == Structure::Kind::n_of_m) {
      check_layout();
      check_blocks();
    } else {
      check_groups();
      check_rests();
    }
  }

 private:
  // Returns true if the run makes a mask for which weights must have a suitable shape. N:M masks with sparsity 0
  // fit all weights. If the sparsity is 0 at the start of a ramp, it is above 0 at the next update.
  [[nodiscard]] bool makes_masks() const {
    if (action_.cadence.is<ir::WholeEpochs>()) {
      return !first_updates(context_, action_, 1).empty();
    }
    if (const ir::StepSchedule* counted = action_.cadence.counted()) {
      return counted->times > 0;
    }
    if (!action_.cadence.is<ir::SinceLastUpdate>()) {
      return true;
    }
    const std::vector<double> updates = first_updates(context_, action_, 2);
    const auto has_zeros = [&](double epoch) {
      return ir::sparsity_at(prune_.curve, sparsity_.value, action_.cadence, epoch) != 0.0;
    };
    return structure_.kind == Structure::Kind::n_of_m ? std::ranges::any_of(updates, has_zeros) : !updates.empty();
  }

  // Reports weights without output and input dimensions. A sparsity that is distributed by shape requires both when the
  // modifier is initialized.
  void check_distributed() {
    const std::vector<Weight> odd = extract([](const Shape& shape) { return shape.size() < 2; });
    if (!odd.empty()) {
      context_.sink
          .report(diag::wrong_layer_kind, action_.origin.span, "distributed sparsities", text_of(Ranks::from_two),
                  list_of(odd))
          .with_help("do not select these weights here");
    }
  }

  // Removes and returns the weights for which `is_odd` returns true.
  std::vector<Weight> extract(auto is_odd) {
    const auto odd = std::stable_partition(weights_.begin(), weights_.end(),
                                           [&](const Weight& weight) { return !is_odd(*weight.shape); });
    std::vector<Weight> matched(odd, weights_.end());
    weights_.erase(odd, weights_.end());
    return matched;
  }

  void check_kinds() {
    const Ranks ranks = ranks_of(context_.shapes, structure_);
    const std::vector<Weight> odd = extract([&](const Shape& shape) { return !allows(ranks, shape.size()); });
    if (!odd.empty()) {
      const bool passes = context_.shapes.leaves_weights_without_filters && structure_.kind == Structure::Kind::filter;
      const std::vector<const model::Term*> terms = terms_of(odd);
      const source::Span caret = terms.empty() ? place() : terms.front()->span;
      auto& report =
          context_.sink.report(diag::wrong_layer_kind, caret, noun_of(structure_), text_of(ranks), list_of(odd))
              .with_severity(passes ? diag::Severity::warning : diag::Severity::error)
              .with_help("do not select these weights here");
      if (!terms.empty()) advise(report, terms, odd);
    }
  }

  // Returns the names and patterns that select weights. Returns none if another term selects one of the first weights.
  [[nodiscard]] std::vector<const model::Term*> terms_of(const std::vector<Weight>& weights) const {
    constexpr std::size_t kMaxWeights = 20;
    constexpr std::size_t kMaxTerms = 200;
    std::vector<const model::Term*> out;
    for (std::size_t at = 0; at < std::min(weights.size(), kMaxWeights); ++at) {
      const auto selects = [&](const model::Term& term) {
        return term.kind == model::Term::Kind::exact
                   ? term.text == *weights[at].name
                   : term.kind == model::Term::Kind::pattern && model::Matcher({{term}}).takes(*weights[at].name);
      };
      const std::span<const model::Term> terms(selector_.terms.data(), std::min(selector_.terms.size(), kMaxTerms));
      const auto found = std::ranges::find_if(terms, selects);
      if (found == terms.end()) return {};
      if (std::ranges::find(out, &*found) == out.end()) out.push_back(&*found);
    }
    return out;
  }

  // Labels the other entries and the structure. Names are removed from their list; a pattern has to become narrower.
  void advise(diag::Diagnostic& report, const std::vector<const model::Term*>& terms,
              const std::vector<Weight>& weights) const {
    if (!structure_.span.empty()) report.with_label(structure_.span, fmt::format("removes {}", noun_of(structure_)));
    diag::Fix fix = diag::Fix::unsafe();
    std::vector<std::string> names;
    for (const model::Term* term : terms) {
      if (term != terms.front()) report.with_label(term->span, "unfit as well");
      if (term->kind == model::Term::Kind::exact) names.push_back(fmt::format("`{}`", term->text));
      fix.remove(term->span);
    }
    const ir::OriginField* field = action_.origin.field_at(terms.front()->span);
    if (names.size() < terms.size()) {
      report.with_help(fmt::format("write a pattern that does not match `{}`", *weights.front().name));
    } else if (names.size() < selector_.terms.size()) {
      report
          .with_help(fmt::format("remove {}{}", base::join_and(names),
                                 field == nullptr ? "" : fmt::format(" from `{}`", base::last_part(field->name))))
          .with_fix(std::move(fix));
    }
  }

  // Reports convolutions with N:M masks in frameworks that transpose the inputs to the end and do not transpose the
  // mask back.
  void check_layout() {
    const std::vector<Weight> odd = extract([&](const Shape& shape) {
      return context_.shapes.groups_along_moved_inputs && structure_.kind == Structure::Kind::n_of_m &&
             shape.size() == 4 && !(shape[1] == shape[2] && shape[2] == shape[3]);
    });
    if (!odd.empty()) {
      context_.sink.report(diag::n_of_m_on_convolution, place(), list_of(odd))
          .with_help(
              context_.remedies.blocks.empty()
                  ? "do not select these convolutions here"
                  : fmt::format("do not select these convolutions here, or use {} for them", context_.remedies.blocks));
    }
  }

  void check_blocks() {
    if (structure_.padded) {
      check_second_order();
      return;
    }
    const Structure blocks = with_sides();
    const std::vector<Weight> odd =
        extract([&](const Shape& shape) { return !holds_whole_blocks(context_.shapes, blocks, shape); });
    const std::string what = structure_.kind == Structure::Kind::block
                                 ? fmt::format("blocks of {}x{}", blocks.n, blocks.m)
                                 : fmt::format("groups of {}", structure_.m);
    if (!odd.empty()) {
      context_.sink.report(diag::block_divides, place(), what, counted(odd), list_of(odd))
          .with_help("do not select these weights here");
    }
    check_rows(what);
  }

  // Returns the structure with sides of -1 replaced by those of the first weight, if the framework uses these for all.
  [[nodiscard]] Structure with_sides() const {
    Structure out = structure_;
    const bool sets =
        context_.shapes.first_weight_sets_sides && out.kind == Structure::Kind::block && !weights_.empty();
    if (sets && out.n == -1) out.n = static_cast<std::int64_t>(weights_.front().shape->at(0));
    if (sets && out.m == -1) out.m = static_cast<std::int64_t>(weights_.front().shape->at(1));
    return out;
  }

  // Checks padded blocks. They fit every weight, but some second-order criteria have further requirements.
  void check_second_order() {
    if (prune_.criterion == "mfac") {
      check_mask_in_one_row();
    } else if (prune_.criterion == "obs") {
      check_fisher_blocks();
    }
  }

  void check_mask_in_one_row() {
    const std::vector<Weight> odd = extract([](const Shape& shape) { return !ir::has_padded_mask_in_one_row(shape); });
    if (!odd.empty()) {
      context_.sink.report(diag::mask_not_in_one_row, place(), list_of(odd))
          .with_help(fmt::format("do not select these weights here{}", or_single_weights()));
    }
  }

  void check_fisher_blocks() {
    const auto& size = prune_.fisher_block;
    const ir::OriginField* field = size ? action_.origin.field_at(size->span) : nullptr;
    const std::vector<Weight> odd = extract(
        [&](const Shape& shape) { return size && !divides(size->value, model::elements_of(shape).value_or(0)); });
    if (!odd.empty()) {
      context_.sink
          .report(diag::block_divides, size->span, fmt::format("Fisher blocks of {}", size->value),
                  "the elements of " + counted(odd), list_of(odd))
          .with_help(fmt::format("write a {} that divides all of them{}",
                                 field == nullptr ? "block size" : "`" + field->name + "`", or_single_weights()));
    }
  }

  // Warns about N:M groups that cross rows. Groups run along the inputs, which are the second dimension.
  void check_rows(const std::string& what) {
    const bool along_inputs = structure_.kind == Structure::Kind::n_of_m;
    const std::vector<Weight> odd =
        extract([&](const Shape& shape) { return along_inputs && !divides(structure_.m, shape[1]); });
    if (!odd.empty()) {
      context_.sink.report(diag::block_divides, place(), what, "the inputs of " + counted(odd), list_of(odd))
          .with_severity(diag::Severity::warning)
          .with_help("do not select these weights here; N:M hardware does not support groups that cross rows");
    }
  }

  static std::string counted(const std::vector<Weight>& weights) {
    return fmt::format("{} {}", weights.size(), weights.size() == 1 ? "weight" : "weights");
  }

  [[nodiscard]] std::uint64_t count_in(const Shape& shape) const {
    const std::size_t dimension = structure_.kind == Structure::Kind::filter ? 0 : 1;
    return dimension < shape.size() ? shape[dimension] : 1;
  }

  // Reports group sizes that do not divide a convolution. Exempts other layers, and convolutions that lose less than
  // one group.
  void check_groups() {
    const auto group = static_cast<std::uint64_t>(structure_.group.value);
    const std::vector<Weight> odd = extract([&](const Shape& shape) {
      const double removed = std::floor(sparsity_.value * static_cast<double>(count_in(shape)));
      return group > 1 && shape.size() == 4 && removed >= static_cast<double>(group) && count_in(shape) % group != 0;
    });
    if (!odd.empty()) {
      context_.sink
          .report(diag::group_size_divides, structure_.group.span, structure_.group.value, noun_of(structure_),
                  list_of(odd))
          .with_help("write a `group_size` that divides all of them");
    }
  }

  [[nodiscard]] bool loses_all(const Shape& shape) const {
    const std::uint64_t count = count_in(shape);
    if (!context_.shapes.leaves_single_structures) {
      return sparsity_.value >= 1 && count > 0;
    }
    return count > 1 && sparsity_.value <= 1 &&
           std::nearbyint(sparsity_.value * static_cast<double>(count)) >= static_cast<double>(count);
  }

  void check_rests() {
    const std::vector<Weight> odd = extract([&](const Shape& shape) { return loses_all(shape); });
    if (!odd.empty()) {
      const std::string what = fmt::format("the {} of {}", noun_of(structure_), list_of(odd));
      context_.sink.report(diag::layer_would_be_empty, sparsity_.span, base::python_repr(sparsity_.value), what)
          .with_help("lower the sparsity of these small layers, or do not select them here");
    }
  }

  [[nodiscard]] source::Span place() const { return structure_.span.empty() ? action_.origin.span : structure_.span; }

  [[nodiscard]] std::string or_single_weights() const {
    const std::string_view remedy = context_.remedies.single_weights;
    return remedy.empty() ? "" : fmt::format(", or write {}", remedy);
  }

  const Context& context_;
  const ir::Action& action_;
  const ir::Prune& prune_;
  const model::Selector& selector_;
  const Structure& structure_;
  const source::Located<double>& sparsity_;
  std::vector<Weight> weights_;
};

// Returns true for actions with other mask code: SparseML modifiers from dictionaries, Keras and TensorFlow.
bool has_other_masks(const ir::Action& action) {
  return action.cadence.is<ir::PerBatch>() || action.cadence.is<ir::WholeSteps>();
}

// Weights with known shapes, by action and target. For a module, this is its weight.
using Weights = std::vector<std::vector<std::vector<Weight>>>;

void add_weights(const Context& context, const model::ModelNames* names, model::Selector::Over over, Weights& weights) {
  if (names == nullptr || !names->has_shapes()) {
    return;
  }
  const auto claims = ir::claims_on(context.recipe, *names, over);
  for (std::size_t at = 0; claims && at < names->size(); ++at) {
    for (const ir::Claim& claim : (*claims)[at]) {
      auto& targets = weights[claim.action];
      const bool decides = claim.decides && claim.selector < targets.size();
      if (decides && names->shape(at) != nullptr) targets[claim.selector].push_back({&(*names)[at], names->shape(at)});
    }
  }
}

}  // namespace

void check_shapes(const Context& context) {
  Weights weights(context.recipe.actions.size());
  for (std::size_t index = 0; index < weights.size(); ++index) {
    const auto* prune = std::get_if<ir::Prune>(&context.recipe.actions[index].effect);
    weights[index].resize(prune == nullptr ? 0 : prune->targets.size());
  }
  add_weights(context, context.parameters, model::Selector::Over::parameters, weights);
  add_weights(context, context.modules, model::Selector::Over::modules, weights);
  for (std::size_t index = 0; index < weights.size(); ++index) {
    const ir::Action& action = context.recipe.actions[index];
    for (std::size_t at = 0; action.valid && !has_other_masks(action) && at < weights[index].size(); ++at) {
      const auto& prune = std::get<ir::Prune>(action.effect);
      const std::string& tensor = prune.targets[at].selector.tensor;
      if (tensor.empty() || tensor == "weight") {
        ShapeCheck(context, action, prune, prune.targets[at], std::move(weights[index][at])).run();
      }
    }
  }
}

}  // namespace sparsecfg::check
