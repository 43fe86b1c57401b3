#include "convert/masks.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace sparsecfg::convert {

using timeline::Column;
using timeline::Event;

Masks::Masks(const ir::Recipe& recipe, const timeline::Evaluator& evaluator)
    : recipe_(recipe), evaluator_(evaluator), columns_(recipe.actions.size()), progress_(recipe.actions.size()) {
  for (const Column& column : evaluator.columns()) {
    auto& own = columns_[column.action];
    own.resize(std::max(own.size(), column.target + 1), nullptr);
    own[column.target] = &column;
  }
}

static bool loses_mask_at_end(const ir::Action& action) {
  const auto* prune = std::get_if<ir::Prune>(&action.effect);
  return prune != nullptr && !prune->hold_after_end && action.cadence.is<ir::SinceLastUpdate>();
}

void Masks::follow() {
  for (const Event& event : evaluator_.events()) {
    Progress& progress = progress_[event.action];
    progress.last = ++events_;
    progress.removed = event.kind == Event::Kind::end && loses_mask_at_end(recipe_.actions[event.action]);
  }
}

std::optional<double> Masks::value_of(const Masker& masker) const {
  const auto& own = columns_[masker.action];
  const Column* column = masker.target < own.size() ? own[masker.target] : nullptr;
  const Progress& progress = progress_[masker.action];
  if (progress.last == 0 || progress.removed) {
    return 0;
  }
  if (column == nullptr) {
    return std::holds_alternative<ir::Prune>(recipe_.actions[masker.action].effect) ? std::optional(0.0) : std::nullopt;
  }
  const auto value = evaluator_.sparsities()[column->track];
  return value || !column->unknown.empty() ? value : std::optional(0.0);
}

std::optional<double> Masks::sparsity_of(std::span<const Masker> maskers) const {
  if (maskers.empty()) {
    return 0;
  }
  if (recipe_.overlap == ir::Overlap::first_action) {
    return value_of(maskers.front());
  }
  if (recipe_.overlap == ir::Overlap::last_update) {
    return value_of(std::ranges::max(maskers, {}, [&](const Masker& masker) { return progress_[masker.action].last; }));
  }
  double max = 0;
  for (const Masker& masker : maskers) {
    const auto value = value_of(masker);
    if (!value) return std::nullopt;
    max = std::max(max, *value);
  }
  return max;
}

static bool remove_alike(const ir::Effect& one, const ir::Effect& other) {
  const auto* prune = std::get_if<ir::Prune>(&one);
  const auto* second = std::get_if<ir::Prune>(&other);
  return prune != nullptr && second != nullptr && prune->structure == second->structure &&
         prune->criterion == second->criterion;
}

constexpr std::size_t kMaxKinds = 16;  // that most_of() tells apart

double Masks::most_of(std::span<const Masker> maskers) const {
  if (recipe_.overlap != ir::Overlap::all_hold) {
    return sparsity_of(maskers).value_or(0);
  }
  std::vector<std::pair<const ir::Effect*, double>> kinds;  // with the largest sparsity of each
  for (const Masker& masker : maskers) {
    const ir::Effect& effect = recipe_.actions[masker.action].effect;
    const double value = value_of(masker).value_or(0);
    const auto known = std::ranges::find_if(kinds, [&](const auto& kind) { return remove_alike(*kind.first, effect); });
    if (known == kinds.end() && kinds.size() == kMaxKinds) {
      return 1;
    }
    if (known == kinds.end()) {
      kinds.emplace_back(&effect, value);
    } else {
      known->second = std::max(known->second, value);
    }
  }
  double sum = 0;
  for (const auto& [effect, value] : kinds) sum += value;
  return std::min(sum, 1.0);
}

std::optional<std::uint64_t> units_of(const ir::Structure& structure, const model::Shape* shape) {
  using Kind = ir::Structure::Kind;
  if (shape == nullptr || shape->empty()) {
    return std::nullopt;
  }
  switch (structure.kind) {
    case Kind::unstructured: return model::elements_of(*shape);
    case Kind::filter: return shape->front();
    case Kind::channel: return shape->size() > 1 ? std::optional((*shape)[1]) : std::nullopt;
    case Kind::block:
    case Kind::n_of_m: return std::nullopt;
  }
  return std::nullopt;
}

std::uint64_t removed_of(double sparsity, std::uint64_t units, ir::Rounding rounding) {
  const double exact = std::clamp(sparsity, 0.0, 1.0) * static_cast<double>(units);
  return static_cast<std::uint64_t>(rounding == ir::Rounding::nearest ? std::nearbyint(exact) : std::floor(exact));
}

}  // namespace sparsecfg::convert
