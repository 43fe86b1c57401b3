#include "ir/dump.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/number.h"
#include "base/overloaded.h"

namespace sparsecfg::ir {

using Json = nlohmann::ordered_json;
using source::Value;

static Json number(double value) { return std::isfinite(value) ? Json(value) : Json(base::python_repr(value)); }

static Json to_json(const Value& value) {
  return std::visit(base::Overloaded{
                        [](std::monostate) { return Json(nullptr); },
                        [](bool flag) { return Json(flag); },
                        [](std::int64_t integer) { return Json(integer); },
                        [](const source::BigInt& big) { return Json(big.digits); },
                        [](double real) { return number(real); },
                        [](const std::string& text) { return Json(text); },
                        [](const source::Timestamp& time) { return Json(time.text); },
                        [](const source::List& list) {
                          Json out = Json::array();
                          for (const Value& item : list) out.push_back(to_json(item));
                          return out;
                        },
                        [](const source::Map& map) {
                          Json out = Json::object();
                          for (const auto& [key, item] : map) out[source::python_str(key)] = to_json(item);
                          return out;
                        },
                    },
                    value.data);
}

static Json to_json(const std::vector<Term>& terms) {
  Json out = Json::array();
  for (const Term& term : terms) {
    out.push_back({{"kind", to_string(term.kind)}, {"text", term.text}});
  }
  return out;
}

static Json to_json(const Selector& selector) {
  Json out = {{"over", to_string(selector.over)}, {"strict", selector.strict}, {"terms", to_json(selector.terms)}};
  if (selector.needs_one) {
    out["needs_one"] = true;
  }
  if (!selector.excluded.empty()) {
    out["excluded"] = to_json(selector.excluded);
  }
  if (!selector.tensor.empty()) {
    out["tensor"] = selector.tensor;
  }
  return out;
}

static Json to_json(const std::optional<Located<double>>& value) { return value ? number(value->value) : Json(nullptr); }

static Json block_json(const Structure& structure) {
  Json out = {{"block", {structure.n, structure.m}}};
  if (structure.padded) {
    out["padded"] = true;
  }
  return out;
}

static Json whole_json(std::string_view name, const Structure& structure) {
  return structure.group == 1 ? Json(name) : Json{{name, {{"group", structure.group}}}};
}

static Json to_json(const Structure& structure) {
  switch (structure.kind) {
    case Structure::Kind::unstructured: return "unstructured";
    case Structure::Kind::filter: return whole_json("filter", structure);
    case Structure::Kind::channel: return whole_json("channel", structure);
    case Structure::Kind::block: return block_json(structure);
    case Structure::Kind::n_of_m: return {{"n", structure.n}, {"m", structure.m}};
  }
  return nullptr;
}

static Json to_json(const SparsityCurve& curve) {
  return std::visit(base::Overloaded{
                        [](const Ramp& ramp) -> Json {
                          return {{"kind", "ramp"}, {"from", to_json(ramp.from)}, {"shape", to_string(ramp.shape)}};
                        },
                        [](const Alternation&) -> Json { return {{"kind", "alternation"}}; },
                        [](const ForwardBackward& both) -> Json {
                          return {{"kind", "forward_backward"}, {"backward", number(both.backward.value)}};
                        },
                        [](const Distributed& shared) -> Json { return {{"kind", "distributed"}, {"strategy", shared.strategy}}; },
                        [](const PowerRamp& ramp) -> Json {
                          return {{"kind", "power_ramp"}, {"from", number(ramp.from.value)},
                                  {"exponent", number(ramp.exponent)}, {"decays", ramp.decays}};
                        },
                        [](const Stairs& stairs) -> Json {
                          Json all = Json::array();
                          for (const auto& stair : stairs.stairs) all.push_back({number(stair.epoch), number(stair.sparsity.value)});
                          return {{"kind", "stairs"}, {"from", number(stairs.from.value)}, {"stairs", all}};
                        },
                        [](const Formula& formula) -> Json { return {{"kind", "formula"}, {"program", to_string(formula)}}; },
                        [](const Constant&) -> Json { return {{"kind", "constant"}}; },
                        [](const EpochRamp& ramp) -> Json { return {{"kind", "epoch_ramp"}, {"from", number(ramp.from.value)}}; },
                    },
                    curve);
}

static Json to_json(const Prune& prune) {
  Json targets = Json::array();
  for (const Target& target : prune.targets) {
    Json entry = {{"sparsity", number(target.sparsity.value)}, {"selector", to_json(target.selector)}};
    if (target.least) entry["least"] = number(target.least->value);
    if (target.most) entry["most"] = number(target.most->value);
    targets.push_back(std::move(entry));
  }
  return {{"curve", to_json(prune.curve)}, {"targets", targets},        {"structure", to_json(prune.structure)},
          {"criterion", prune.criterion},  {"global", prune.global},    {"hold_after_end", prune.hold_after_end}};
}

static Json to_json(const LearningRateCurve& curve) {
  constexpr const char* kKinds[] = {"linear", "cosine", "cyclic_linear"};
  Json out = {{"kind", kKinds[static_cast<int>(curve.kind)]}, {"from", number(curve.from.value)}, {"to", number(curve.to.value)}};
  if (curve.kind == LearningRateCurve::Kind::cyclic_linear) {
    out["cycle_epochs"] = number(curve.cycle_epochs.value);
  }
  out["groups"] = curve.groups;
  return out;
}

static Json to_json(const TorchScheduler& scheduler) {
  Json out = {{"initial_rate", to_json(scheduler.initial_rate)}};
  switch (scheduler.kind) {
    case TorchScheduler::Kind::step:
      out.update({{"kind", "step"}, {"gamma", number(scheduler.gamma)}, {"step_size", number(scheduler.step_size)}});
      break;
    case TorchScheduler::Kind::multi_step:
      out.update({{"kind", "multi_step"}, {"gamma", number(scheduler.gamma)}, {"milestones", Json::array()}});
      for (const auto& milestone : scheduler.milestones) out["milestones"].push_back(number(milestone.value));
      break;
    case TorchScheduler::Kind::cosine_warm_restarts:
      out.update({{"kind", "cosine_warm_restarts"}, {"least_rate", number(scheduler.least_rate)},
                  {"cycle_epochs", number(scheduler.cycle_epochs)}, {"cycle_growth", number(scheduler.cycle_growth)}});
      break;
  }
  return out;
}

static Json to_json(const EpochCourse& course) {
  Json out = {{"kind", name_of(course)}};
  out.update(std::visit(
      base::Overloaded{
          [](const StepDecay& each) -> Json { return {{"epochs", number(each.epochs)}, {"gamma", number(each.gamma)}}; },
          [](const MilestoneDecay& each) -> Json { return {{"milestones", each.milestones}, {"gamma", number(each.gamma)}}; },
          [](const MilestoneFactors& each) -> Json { return {{"milestones", each.milestones}, {"gammas", each.gammas}}; },
          [](const ExponentialDecay& each) -> Json { return {{"gamma", number(each.gamma)}}; },
          [](const CosineAnnealing& each) -> Json { return {{"epochs", number(each.epochs)}, {"least", number(each.least)}}; },
          [](const CosineRestarts& each) -> Json {
            return {{"epochs", number(each.epochs)}, {"growth", number(each.growth)}, {"least", number(each.least)}};
          },
          [](const PolynomialDecay& each) -> Json { return {{"epochs", number(each.epochs)}, {"power", number(each.power)}}; },
          [](const FactorRamp& each) -> Json {
            return {{"from", number(each.from)}, {"to", number(each.to)}, {"epochs", number(each.epochs)}, {"linear", each.linear}};
          },
          [](const Cyclic& each) -> Json {
            return {{"least", number(each.least)}, {"greatest", number(each.greatest)}, {"up", number(each.up)},
                    {"down", number(each.down)},   {"mode", static_cast<int>(each.mode)}, {"gamma", number(each.gamma)},
                    {"by_cycle", each.by_cycle}};
          },
          [](const OneCycle& each) -> Json {
            return {{"greatest", number(each.greatest)}, {"epochs", number(each.epochs)}, {"share_up", number(each.share_up)},
                    {"cosine", each.cosine}, {"first_divisor", number(each.first_divisor)},
                    {"last_divisor", number(each.last_divisor)}, {"three_phases", each.three_phases}};
          },
          [](const Plateau&) { return Json::object(); },
      },
      course));
  return out;
}

static Json parts_of(const Effect& effect) {
  return std::visit(
      base::Overloaded{
          [](const EpochRange&) { return Json::object(); },
          [](const Prune& prune) { return to_json(prune); },
          [](const HoldMask& hold) -> Json { return {{"selector", to_json(hold.selector)}}; },
          [](const SetLearningRate& set) -> Json { return {{"rate", number(set.rate.value)}, {"groups", set.groups}}; },
          [](const LearningRateCurve& curve) { return to_json(curve); },
          [](const TorchScheduler& scheduler) { return to_json(scheduler); },
          [](const SetWeightDecay& set) -> Json { return {{"decay", number(set.decay.value)}, {"groups", set.groups}}; },
          [](const Quantize& quantize) -> Json {
            return {{"by_scheme", quantize.by_scheme}, {"scheme", to_json(quantize.scheme)}, {"overrides", to_json(quantize.overrides)},
                    {"ignored", to_json(quantize.ignored)}, {"observers_off", to_json(quantize.observers_off)},
                    {"batch_norm_frozen", to_json(quantize.batch_norm_frozen)}};
          },
          [](const SetTrainable& set) -> Json { return {{"trainable", set.trainable}, {"selector", to_json(set.selector)}}; },
          [](const SetParameter& set) -> Json {
            return {{"from", set.from ? to_json(*set.from) : Json(nullptr)}, {"to", to_json(set.to)}, {"selector", to_json(set.selector)}};
          },
          [](const Distill& distill) -> Json {
            return {{"per_layer", distill.per_layer}, {"hardness", to_json(distill.hardness)}, {"temperature", to_json(distill.temperature)}};
          },
          [](const EpochScheduler& scheduler) -> Json {
            Json out = {{"number", scheduler.number}, {"builds", scheduler.builds}};
            out.update({{"course", to_json(scheduler.course)}});
            return out;
          },
          [](const ThresholdPrune& prune) -> Json {
            Json thresholds = Json::array();
            for (const auto& each : prune.thresholds) {
              thresholds.push_back({{"selector", to_json(each.selector)}, {"value", to_json(each.value)}});
            }
            return {{"criterion", prune.criterion}, {"thresholds", thresholds}};
          },
          [](const Regularize& regularize) -> Json {
            Json strengths = Json::array();
            for (const auto& each : regularize.strengths) {
              strengths.push_back({{"selector", to_json(each.selector)}, {"strength", number(each.strength.value)}, {"group", each.group}});
            }
            return {{"norm", regularize.norm}, {"strengths", strengths}, {"thresholds_by", regularize.thresholds_by}};
          },
          [](const Opaque& opaque) -> Json { return {{"selector", opaque.selector ? to_json(*opaque.selector) : Json(nullptr)}}; },
      },
      effect);
}

static Json to_json(const Origin& origin, const source::SourceFile& file) {
  Json fields = Json::object();
  for (const OriginField& field : origin.fields) {
    fields[field.name] = to_json(field.value);
  }
  Json out = {{"class", origin.class_name}, {"ordinal", origin.ordinal}, {"line", file.position(origin.span.begin).line}};
  if (!origin.stage.empty()) {
    out["stage"] = origin.stage;
  }
  out.update({{"group", origin.group}, {"fields", fields}});
  return out;
}

static Json to_json(const Counted& counted) {
  return {{"kind", "counted"},      {"first", counted.first}, {"every", counted.every},        {"times", counted.times},
          {"parts", counted.parts}, {"lag", counted.lag},     {"in_epochs", counted.in_epochs}};
}

static Json to_json(const Cadence& cadence) {
  if (cadence.counted) {
    return to_json(*cadence.counted);
  }
  Json out = {{"start", number(cadence.start.value)}, {"end", number(cadence.end.value)}, {"every", to_json(cadence.every)}};
  constexpr const char* kKinds[] = {"drifting", "per_batch", "whole_steps", "whole_epochs"};
  if (cadence.kind != Cadence::Kind::drifting) {
    out["kind"] = kKinds[static_cast<int>(cadence.kind)];
  }
  if (!cadence.listed.empty()) {
    out["listed"] = Json::array();
    for (const auto& epoch : cadence.listed) out["listed"].push_back(number(epoch.value));
  }
  if (cadence.skips_first) out["skips_first"] = true;
  if (cadence.within > 0) out["within"] = cadence.within;
  return out;
}

static Json to_json(const Action& action, const source::SourceFile& file) {
  Json effect = {{"kind", name_of(action.effect)}};
  effect.update(parts_of(action.effect));
  return {{"effect", effect},
          {"cadence", to_json(action.cadence)},
          {"origin", to_json(action.origin, file)}};
}

std::string dump(const Recipe& recipe, const source::SourceFile& file) {
  Json actions = Json::array();
  for (const Action& action : recipe.actions) {
    actions.push_back(to_json(action, file));
  }
  Json variables = Json::array();
  for (const Variable& variable : recipe.variables) {
    Json entry = {{"name", variable.name}, {"value", to_json(variable.value)}};
    if (!variable.stage.empty()) entry["stage"] = variable.stage;
    variables.push_back(entry);
  }
  const Json out = {{"format", 1}, {"dialect", recipe.dialect},
                    {"epochs", recipe.length ? number(recipe.length->epochs) : Json(nullptr)},
                    {"actions", actions}, {"variables", variables}, {"metadata", to_json(recipe.metadata)}};
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace sparsecfg::ir
