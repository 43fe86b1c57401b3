#include "outcome/json.h"

#include <nlohmann/json.hpp>

namespace sparsecfg::outcome {

using Json = nlohmann::ordered_json;
using ir::TensorFormat;

template <class T>
static Json text_or_null(const std::optional<T>& value) {
  return value ? Json(ir::to_string(*value)) : Json(nullptr);
}

static Json time_json(ir::ScaleTime time) {
  return time == ir::ScaleTime::local ? Json("local") : Json(time == ir::ScaleTime::dynamic);
}

static Json format_json(const TensorFormat& format) {
  const bool zero_points = format.type == ir::NumberType::integer || !format.zero_point.empty();
  const bool grouped = format.granularity == ir::Granularity::group;
  const bool blocks = format.granularity == ir::Granularity::block && format.block[0] > 0;
  return {{"type", ir::to_string(format.type)},
          {"bits", format.bits},
          {"symmetric", !zero_points       ? Json(true)
                        : format.symmetric ? Json(*format.symmetric)
                                           : Json(nullptr)},
          {"granularity", text_or_null(format.granularity)},
          {"group_size", grouped ? Json(format.group_size) : Json(nullptr)},
          {"block", blocks ? Json(format.block) : Json(nullptr)},
          {"dynamic", time_json(format.scales)},
          {"float", text_or_null(format.kind_of_float())},
          {"scale", format.scale_type.empty() ? Json(nullptr) : Json(format.scale_type)}};
}

// One quantizer is an object, several are a list.
static Json formats_json(const std::vector<TensorFormat>& formats) {
  if (formats.empty()) return nullptr;
  if (formats.size() == 1) return format_json(formats.front());
  Json out = Json::array();
  for (const TensorFormat& format : formats) out.push_back(format_json(format));
  return out;
}

static Json rule_json(const Outcome& outcome, const RulePlace& place, const source::SourceFile& file) {
  const ir::Rule* rule = outcome.rule(place);
  if (rule == nullptr) return nullptr;
  const source::Span action = outcome.recipe->actions[place.action].origin.span;
  return {{"line", file.position((rule->span.empty() ? action : rule->span).begin).line}, {"entry", rule->entry}};
}

static Json overrides_json(const Outcome& outcome, const Step& step, const source::SourceFile& file) {
  Json out = Json::array();
  for (const std::uint32_t rule : step.overridden) {
    out.push_back(rule_json(outcome, {step.by.action, step.by.operation, rule}, file));
  }
  return out;
}

static Json pruned_json(const Outcome& outcome, const State& state) {
  const auto* prune = state.pruned ? outcome.as<ir::PruneOnce>(*state.pruned) : nullptr;
  if (prune == nullptr) return nullptr;
  return {{"sparsity", prune->sparsity ? Json(*prune->sparsity) : Json(nullptr)},
          {"mask", prune->mask.empty() ? Json(nullptr) : Json(prune->mask)}};
}

static Json cache_json(const Outcome& outcome, const Step& step) {
  const auto* cache = outcome.as<ir::CacheScheme>(step);
  const auto json = [](const std::optional<TensorFormat>& format) {
    return format ? format_json(*format) : Json(nullptr);
  };
  return {{"k", json(cache->keys)}, {"v", json(cache->values)}};
}

static Json method_json(const Outcome& outcome, const Step* step) {
  const bool stated = step != nullptr && !outcome.method(*step).name.empty();
  return stated ? Json(outcome.method(*step).name) : Json(nullptr);
}

// Returns the step that explains a state: the one that assigns the scheme, else the last one.
static const Step* main_step(const State& state) {
  if (state.assigned && !state.scheme.is_empty()) return &*state.assigned;
  return state.order.empty() ? nullptr : &state.order.back();
}

Json json_of(const Outcome& outcome, std::size_t name, const source::SourceFile& file) {
  const State& state = outcome.at(name);
  const Step* step = main_step(state);
  if (step == nullptr && !state.unknown) return nullptr;
  Json out = {{"weights", formats_json(state.scheme.weights)},
              {"inputs", formats_json(state.scheme.inputs)},
              {"outputs", formats_json(state.scheme.outputs)},
              {"method", method_json(outcome, step)}};
  if (state.cached) out["kv_cache"] = cache_json(outcome, *state.cached);
  out["pruned"] = pruned_json(outcome, state);
  out["by"] = step == nullptr ? Json(nullptr) : rule_json(outcome, step->by, file);
  out["overrides"] = step == nullptr ? Json::array() : overrides_json(outcome, *step, file);
  out["unknown"] = state.unknown;
  return out;
}

}  // namespace sparsecfg::outcome
