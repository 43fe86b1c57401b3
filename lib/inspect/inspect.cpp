#include "inspect/inspect.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "base/number.h"
#include "base/overloaded.h"
#include "base/text.h"
#include "ir/clock.h"
#include "ir/describe.h"
#include "source/json_number.h"

namespace sparsecfg::inspect {

using Json = nlohmann::ordered_json;
using ir::Action;
using source::Value;

// --- facts ------------------------------------------------------------------------------------------

static Pruning pruning_of(const Action& action, const ir::Prune* prune) {
  Pruning out{ir::numbered_name(action.origin), {}, {}, {}};
  if (!action.cadence.is<ir::Counted>()) {
    out.start = std::max(0.0, action.cadence.start.value);
    if (action.cadence.ends()) out.end = action.cadence.end.value;
  }
  for (std::size_t at = 0; prune != nullptr && at < prune->targets.size(); ++at) {
    out.sparsities.push_back(prune->targets[at].sparsity.value);
  }
  return out;
}

static std::optional<double> epoch_of(const std::optional<source::Located<double>>& epoch) {
  return epoch ? std::optional(epoch->value) : std::nullopt;
}

// Returns the bit widths by tensor, then those of layers with other widths.
static std::vector<std::string> bits_of(const ir::Quantize& quantize) {
  std::vector<std::string> out;
  for (const ir::Grid& grid : quantize.grids) out.push_back(fmt::format("{}: {}", grid.tensor, grid.bits));
  for (std::size_t at = 0; at < std::min(quantize.layers.size(), quantize.layer_grids.size()); ++at) {
    const auto& grids = quantize.layer_grids[at];
    if (grids.empty() || grids == quantize.grids) continue;
    out.push_back(fmt::format("{}: {}", ir::selector_text(quantize.layers[at]), grids.front().bits));
  }
  return out;
}

static Quantizing quantizing_of(const Action& action, const ir::Quantize& quantize) {
  Quantizing out{
      ir::numbered_name(action.origin), {}, epoch_of(quantize.observers_off), epoch_of(quantize.batch_norm_frozen)};
  if (!action.cadence.is<ir::Counted>()) out.start = std::max(0.0, action.cadence.start.value);
  out.bits = bits_of(quantize);
  return out;
}

static Freezing freezing_of(const Action& action, const ir::SetTrainable& trainable) {
  Freezing out{ir::numbered_name(action.origin),
               ir::selector_text(trainable.selector),
               std::max(0.0, action.cadence.start.value),
               {}};
  if (action.cadence.ends()) out.end = action.cadence.end.value;
  return out;
}

std::optional<double> Facts::quantizes_from() const {
  std::optional<double> first;
  for (const Quantizing& each : quantizes) {
    if (each.start) first = std::min(*each.start, first.value_or(*each.start));
  }
  return first;
}

static void add(const Action& action, Facts& facts) {
  const auto* prune = std::get_if<ir::Prune>(&action.effect);
  if (prune != nullptr || std::holds_alternative<ir::ThresholdPrune>(action.effect)) {
    facts.prunes.push_back(pruning_of(action, prune));
  }
  if (const auto* quantize = std::get_if<ir::Quantize>(&action.effect)) {
    facts.quantizes.push_back(quantizing_of(action, *quantize));
  }
  if (const auto* trainable = std::get_if<ir::SetTrainable>(&action.effect); trainable && !trainable->trainable) {
    facts.freezes.push_back(freezing_of(action, *trainable));
  }
  facts.distills = facts.distills || std::holds_alternative<ir::Distill>(action.effect);
  facts.controls_lr = facts.controls_lr || ir::moves_learning_rate(action.effect);
}

// Returns true if the recipe sets a rate at the first step, so the rate of the script is never used.
static bool sets_first_rate(const ir::Recipe& recipe) {
  return std::ranges::any_of(recipe.actions, [](const Action& action) {
    const auto* scheduler = std::get_if<ir::TorchScheduler>(&action.effect);
    const bool sets = std::holds_alternative<ir::SetLearningRate>(action.effect) ||
                      std::holds_alternative<ir::LearningRateCurve>(action.effect) ||
                      (scheduler != nullptr && scheduler->initial_rate);
    return sets && action.cadence.start.value <= 0;
  });
}

static std::vector<std::string> needs_of(const ir::Recipe& recipe, const Facts& facts) {
  std::vector<std::string> needs;
  if (recipe.has_rates && !sets_first_rate(recipe)) needs.emplace_back("an initial learning rate");
  if (facts.distills) needs.emplace_back("a teacher model");
  if (!recipe.trains) needs.emplace_back("calibration data");
  if (recipe.trains && !facts.epochs) needs.emplace_back("a number of epochs");
  return needs;
}

Facts gather(const ir::Recipe& recipe, std::optional<double> epochs, std::optional<std::size_t> steps_per_epoch) {
  Facts facts;
  facts.trains = recipe.trains;
  facts.epochs = epochs || !recipe.length ? epochs : std::optional(recipe.length->epochs);
  const auto steps = steps_per_epoch ? steps_per_epoch : recipe.steps_per_epoch;
  if (facts.epochs && steps) facts.steps = ir::steps_of(*facts.epochs, *steps);
  for (const Action& action : recipe.actions) {
    add(action, facts);
  }
  facts.needs = needs_of(recipe, facts);
  return facts;
}

// --- text -------------------------------------------------------------------------------------------

static std::string pruning_line(const Pruning& pruning) {
  std::vector<std::string> targets;
  for (const double sparsity : pruning.sparsities) {
    targets.push_back(base::python_repr(sparsity));
  }
  std::string line = pruning.action;
  line +=
      targets.empty() ? " to a sparsity that depends on the weights" : fmt::format(" to {}", fmt::join(targets, ", "));
  if (pruning.start) line += ", from epoch " + base::python_repr(*pruning.start);
  if (pruning.end) line += " to " + base::python_repr(*pruning.end);
  return line;
}

static void add_row(std::string& out, std::string_view name, const std::vector<std::string>& lines) {
  for (std::size_t at = 0; at < lines.size(); ++at) {
    out += fmt::format("{:<15}{}\n", at == 0 ? name : "", base::printable(lines[at]));
  }
}

static std::vector<std::string> or_no(std::vector<std::string> lines) {
  return lines.empty() ? std::vector<std::string>{"no"} : lines;
}

// Returns the value in the file of a variable that --set changed, or null if it was not changed.
static const Value* default_of(const ir::Variable& variable, const Facts& facts) {
  const auto found = std::ranges::find_if(facts.defaults, [&](const ir::Variable& other) {
    return other.name == variable.name && other.stage == variable.stage;
  });
  return found == facts.defaults.end() || found->value == variable.value ? nullptr : &found->value;
}

static std::vector<std::string> variable_lines(const ir::Recipe& recipe, const Facts& facts) {
  std::vector<std::string> lines;
  for (const ir::Variable& variable : recipe.variables) {
    const std::string stage = variable.stage.empty() ? "" : variable.stage + ": ";
    const Value* before = default_of(variable, facts);
    lines.push_back(fmt::format("{}{} = {}", stage, variable.name, source::python_str(variable.value)) +
                    (before == nullptr ? "" : fmt::format(" (default: {})", source::python_str(*before))));
  }
  return lines;
}

static std::string quantizing_line(const Quantizing& quantizing) {
  std::string line = quantizing.action;
  if (quantizing.start) line += ", from epoch " + base::python_repr(*quantizing.start);
  if (quantizing.observers_off) line += ", observers off at " + base::python_repr(*quantizing.observers_off);
  if (quantizing.batch_norm_frozen)
    line += ", batch norm frozen at " + base::python_repr(*quantizing.batch_norm_frozen);
  if (!quantizing.bits.empty()) line += fmt::format(", bits of {}", fmt::join(quantizing.bits, ", "));
  return line;
}

static std::string freezing_line(const Freezing& freezing) {
  return fmt::format("{}, from epoch {}{}: {}", freezing.action, base::python_repr(freezing.start),
                     freezing.end ? " to " + base::python_repr(*freezing.end) : "", freezing.selects);
}

static std::string storage_line(const Storage& storage) {
  return fmt::format("{:.2f} bits per weight, {}, {:.2f} times smaller than with 16 bits", storage.bits_per_weight,
                     ir::megabytes(static_cast<double>(storage.bytes) * 8), storage.ratio);
}

// Adds rows for the schemes, mappings, settings and ignored layers of each modifier.
static void add_one_shot(std::string& out, const ir::Recipe& recipe, const ir::OneShot& one_shot) {
  std::vector<std::string> schemes;
  std::vector<std::string> ignored;
  std::vector<std::string> mappings;
  std::vector<std::string> settings;
  for (const ir::OneShotStep& step : one_shot.steps) {
    const std::string name = ir::numbered_name(recipe.actions[step.action].origin);
    for (const ir::SchemeOfLayers& each : step.schemes) {
      schemes.push_back(fmt::format("{}: {}: {}", name, each.layers, each.scheme));
    }
    for (const std::string& mapping : step.mappings) mappings.push_back(fmt::format("{}: {}", name, mapping));
    if (!step.ignored.empty()) ignored.push_back(fmt::format("{}: {}", name, fmt::join(step.ignored, ", ")));
    if (!step.settings.empty()) settings.push_back(fmt::format("{}: {}", name, fmt::join(step.settings, ", ")));
  }
  add_row(out, "targets", schemes);
  add_row(out, "ignored", ignored);
  add_row(out, "mappings", mappings);
  add_row(out, "settings", settings);
}

template <class T>
static std::vector<std::string> lines_of(const std::vector<T>& all, std::string (*line)(const T&)) {
  std::vector<std::string> out;
  for (const T& each : all) out.push_back(line(each));
  return or_no(std::move(out));
}

std::string text(const ir::Recipe& recipe, const Facts& facts) {
  const std::string length = facts.epochs   ? base::python_repr(*facts.epochs)
                             : facts.trains ? "not set by the recipe"
                                            : "none (one-shot: applied to a trained model)";
  std::string out;
  add_row(out, "dialect", {recipe.dialect});
  add_row(out, "epochs", {length + (facts.steps ? fmt::format(", {} steps", *facts.steps) : "")});
  add_row(out, "learning rate", {facts.controls_lr ? "set by the recipe" : "set by the training script"});
  add_row(out, "prunes", lines_of(facts.prunes, pruning_line));
  std::vector<Quantizing> quantizes = facts.quantizes;
  for (Quantizing& each : quantizes) {
    if (!facts.trains) each.start.reset();
  }
  add_row(out, "quantizes", lines_of(quantizes, quantizing_line));
  if (facts.one_shot) add_one_shot(out, recipe, *facts.one_shot);
  if (facts.storage) {
    add_row(out, "schemes", or_no(facts.storage->schemes));
    if (facts.storage->bits_per_weight > 0) add_row(out, "size", {storage_line(*facts.storage)});
  }
  add_row(out, "freezes", lines_of(facts.freezes, freezing_line));
  add_row(out, "distills", {facts.distills ? "yes" : "no"});
  add_row(out, "needs", facts.needs.empty() ? std::vector<std::string>{"nothing"} : facts.needs);
  add_row(out, "variables", variable_lines(recipe, facts));
  if (!recipe.metadata.is_null()) {
    add_row(out, "metadata", {source::python_str(recipe.metadata)});
  }
  return out;
}

// --- JSON -------------------------------------------------------------------------------------------

using Unknown = std::set<source::Span>;

// A value that is known only after running the script becomes an object with the reason.
static Json value_json(const Value& value, const Unknown& unknown = {}) {
  if (unknown.contains(value.span)) {
    return {{"$unknown", source::python_str(value)}};
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
  return {{"class", origin.class_name}, {"fields", std::move(fields)}};
}

static Json json_of(const ir::FoundRecipe& found);

template <typename Rows, typename... More>
static Json array_of(const Rows& rows, const More&... more) {
  Json out = Json::array();
  for (const auto& row : rows) out.push_back(json_of(row, more...));
  return out;
}

static Json json_of(const ir::FoundRecipe& found) {
  Json out = {{"form", found.form}, {"lines", {found.lines.first, found.lines.last}}};
  if (found.lines.cell) out["cell"] = *found.lines.cell;
  out["dialect"] = found.dialect;
  out["static"] = found.unknown.empty();
  out["unknown"] = found.unknown;
  out["modifiers"] = array_of(found.modifiers, found.unknown_parts);
  return out;
}

static std::string dumped(const Json& json) { return json.dump(1, ' ', true, Json::error_handler_t::replace) + "\n"; }

std::string list_json(const std::vector<ir::FoundRecipe>& recipes, const std::string& path) {
  return dumped({{"format", 1}, {"path", path}, {"recipes", array_of(recipes)}});
}

std::string list_text(const std::vector<ir::FoundRecipe>& recipes) {
  std::string out;
  for (std::size_t at = 0; at < recipes.size(); ++at) {
    const ir::FoundRecipe& found = recipes[at];
    std::vector<std::string> classes;
    for (const ir::Origin& origin : found.modifiers) classes.push_back(base::printable(origin.class_name));
    out += fmt::format("{:>3}  {}lines {} to {}  {}  {}  {}\n", at + 1,
                       found.lines.cell ? fmt::format("cell {} ", *found.lines.cell) : "", found.lines.first,
                       found.lines.last, found.form, found.dialect, fmt::join(classes, ", "));
  }
  return out;
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
