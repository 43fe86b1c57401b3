#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "base/overloaded.h"
#include "inspect/inspect.h"
#include "ir/describe.h"
#include "source/json_number.h"

namespace sparsecfg::inspect {

using Json = nlohmann::ordered_json;
using source::Value;

using Unknown = std::set<source::Span>;

// A value that is known only after running the script becomes an object with the reason.
static Json value_json(const Value& value, const Unknown& unknown = {}) {
  // A mapping may have the place of an unknown value in it.
  const bool scalar = value.get<source::List>() == nullptr && value.get<source::Map>() == nullptr;
  if (scalar && unknown.contains(value.span)) {
    const ir::Reason reason = ir::reason_of(source::python_str(value));
    Json out = {{"$unknown", reason.why}};
    if (reason.line) out["line"] = *reason.line;
    return out;
  }
  return std::visit(base::Overloaded{
                        [](std::monostate) { return Json(nullptr); },
                        [](bool flag) { return Json(flag); },
                        [](std::int64_t integer) { return Json(integer); },
                        [](const source::BigInt& big) { return Json(big.digits); },
                        [](double number) { return source::json_number(number); },
                        [](const std::string& string) { return Json(string); },
                        [](const source::Timestamp& time) { return Json(time.text); },
                        [&](const source::List& list) {
                          Json out = Json::array();
                          for (const Value& item : list) out.push_back(value_json(item, unknown));
                          return out;
                        },
                        [&](const source::Map& map) {
                          Json out = Json::object();
                          for (const auto& [key, item] : map) out[source::python_str(key)] = value_json(item, unknown);
                          return out;
                        },
                    },
                    value.data);
}

static Json json_of(const Pruning& pruning) {
  Json sparsities = Json::array();
  for (const double sparsity : pruning.sparsities) sparsities.push_back(source::json_number(sparsity));
  return {{"action", pruning.action},
          {"start", source::json_number(pruning.start)},
          {"end", source::json_number(pruning.end)},
          {"sparsities", sparsities}};
}

static Json json_of(const Quantizing& quantizing) {
  Json out = {{"action", quantizing.action},
              {"start", source::json_number(quantizing.start)},
              {"observers_off", source::json_number(quantizing.observers_off)},
              {"batch_norm_frozen", source::json_number(quantizing.batch_norm_frozen)}};
  if (!quantizing.bits.empty()) out["bits"] = quantizing.bits;
  return out;
}

static Json with_storage(Json out, const Storage& storage) {
  out["storage"] = {{"schemes", storage.schemes},
                    {"bits_per_weight", source::json_number(storage.bits_per_weight)},
                    {"bytes", storage.bytes},
                    {"ratio", source::json_number(storage.ratio)}};
  return out;
}

static Json json_of(const Freezing& freezing) {
  return {{"action", freezing.action},
          {"selects", freezing.selects},
          {"start", source::json_number(freezing.start)},
          {"end", source::json_number(freezing.end)}};
}

static Json json_of(const ir::Variable& variable, const Facts& facts) {
  const Value* before = default_of(variable, facts);
  return {{"name", variable.name},
          {"stage", variable.stage.empty() ? Json(nullptr) : Json(variable.stage)},
          {"value", value_json(variable.value)},
          {"default", value_json(before == nullptr ? variable.value : *before)}};
}

static Json json_of(const ir::OneShotStep& step, const ir::Recipe& recipe) {
  Json schemes = Json::array();
  for (const ir::SchemeOfLayers& each : step.schemes) {
    schemes.push_back({{"layers", each.layers}, {"scheme", each.scheme}});
  }
  return {{"action", ir::numbered_name(recipe.actions[step.action].origin)},
          {"schemes", std::move(schemes)},
          {"ignored", step.ignored},
          {"mappings", step.mappings},
          {"settings", step.settings}};
}

static Json json_of(const ir::Origin& origin, const Unknown& unknown) {
  Json fields = Json::object();
  for (const ir::OriginField& field : origin.fields) fields[field.name] = value_json(field.value, unknown);
  if (unknown.contains(origin.span) && !fields.contains("**"))
    fields["**"] = {{"$unknown", "the whole entry is unknown"}};
  return {{"class", origin.class_name}, {"fields", std::move(fields)}};
}

static Json json_of(const ir::FoundRecipe& found);

template <typename Rows, typename... More>
static Json array_of(const Rows& rows, const More&... more) {
  Json out = Json::array();
  for (const auto& row : rows) out.push_back(json_of(row, more...));
  return out;
}

static void add_model(const ir::CallModel& model, Json& out) {
  if (model.id.empty()) {
    out["model"] = nullptr;
    out["model_unknown"] = model.unknown.message();
    return;
  }
  out["model"] = {{"id", model.id}, {"class", model.loader.empty() ? Json(nullptr) : Json(model.loader)}};
}

static Json json_of(const ir::FoundRecipe& found) {
  Json out = {{"form", found.form}, {"lines", {found.lines.first, found.lines.last}}};
  if (found.lines.cell) out["cell"] = *found.lines.cell;
  out["dialect"] = found.dialect;
  out["static"] = found.unknown.empty();
  out["unknown"] = found.unknown;
  if (!found.assumed.empty()) out["assumed"] = found.assumed;
  if (!found.calls.empty()) {
    out["calls"] = Json::array();
    for (const ir::Lines& call : found.calls) out["calls"].push_back(call.first);
  }
  if (found.model) add_model(*found.model, out);
  out["modifiers"] = array_of(found.modifiers, found.unknown_parts);
  if (found.optional.empty()) {
    return out;
  }
  // Other modifiers are possible before and after the known ones.
  const Json other = {{"$unknown", found.optional}, {"class", ""}, {"fields", Json::object()}};
  Json modifiers = Json::array({other});
  for (Json& modifier : out["modifiers"]) {
    modifier["optional"] = found.optional;
    modifiers.push_back(std::move(modifier));
  }
  modifiers.push_back(other);
  out["modifiers"] = std::move(modifiers);
  return out;
}

static std::string dumped(const Json& json) { return json.dump(1, ' ', true, Json::error_handler_t::replace) + "\n"; }

std::string list_json(const std::vector<ir::FoundRecipe>& recipes, const std::string& path) {
  return dumped({{"format", 1}, {"path", path}, {"recipes", array_of(recipes)}});
}

std::string json(const ir::Recipe& recipe, const Facts& facts, const std::string& path,
                 const std::vector<ir::FoundRecipe>& recipes) {
  Json out = {{"format", 1},
              {"path", path},
              {"dialect", recipe.dialect},
              {"epochs", source::json_number(facts.epochs)},
              {"steps", facts.steps ? Json(*facts.steps) : Json(nullptr)},
              {"trains", facts.trains},
              {"controls_lr", facts.controls_lr},
              {"prunes", array_of(facts.prunes)},
              {"quantizes", !facts.quantizes.empty()},
              {"quantizes_from", source::json_number(facts.quantizes_from())},
              {"quantizers", array_of(facts.quantizes)},
              {"freezes", array_of(facts.freezes)},
              {"distills", facts.distills},
              {"needs", facts.needs},
              {"variables", array_of(recipe.variables, facts)},
              {"metadata", value_json(recipe.metadata)},
              {"recipes", array_of(recipes)}};
  if (facts.one_shot) out["one_shot"] = array_of(facts.one_shot->steps, recipe);
  return dumped(facts.storage ? with_storage(out, *facts.storage) : out);
}

}  // namespace sparsecfg::inspect
