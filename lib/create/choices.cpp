#include "create/choices.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "base/edit_distance.h"
#include "base/number.h"
#include "base/text.h"
#include "create/create.h"
#include "ir/framework.h"
#include "source/value.h"

namespace sparsecfg::create {

constexpr std::string_view kAnyMask[] = {"unstructured", "block4", "2:4"};
constexpr std::string_view kBlockMasks[] = {"unstructured", "block4"};
constexpr std::string_view kStructures[] = {"filter", "channel"};

// Size of OBS Fisher blocks in the table below. With `block4` it must divide the number of elements of each weight.
constexpr std::uint64_t kFisherBlock = 32;

static const std::vector<Pruner>& table() {
  // clang-format off
  static const std::vector<Pruner> kTable = {
      {.name = "true", .aliases = {"gmp", "magnitude"}, .modifier = "MagnitudePruningModifier",
       .global_modifier = "GlobalMagnitudePruningModifier", .masks = kAnyMask,
       .doc = "gradual magnitude pruning"},
      {.name = "acdc", .aliases = {}, .modifier = "ACDCPruningModifier", .gradual = false, .whole_epochs = true,
       .has_global_field = true, .masks = kBlockMasks, .doc = "alternates compressed and dense phases"},
      {.name = "mfac", .aliases = {}, .modifier = "MFACPruningModifier", .has_global_field = true,
       .more_fields = "    num_grads: 64\n    fisher_block_size: 10000\n", .masks = kAnyMask,
       .doc = "second-order pruning with matrix-free approximate curvature"},
      {.name = "movement", .aliases = {}, .modifier = "MovementPruningModifier", .masks = kAnyMask,
       .doc = "ranks weights by their movement during training"},
      {.name = "obs", .aliases = {"obert"}, .modifier = "OBSPruningModifier", .has_global_field = true,
       .more_fields = "    num_grads: 1024\n    fisher_block_size: 32\n", .masks = kBlockMasks,
       .doc = "optimal brain surgeon"},
      {.name = "constant", .aliases = {"transfer", "sparse-transfer"}, .modifier = "ConstantPruningModifier",
       .gradual = false, .holds = true, .doc = "keeps the zeros of an already sparse model"},
      {.name = "structured", .aliases = {}, .modifier = "StructuredPruningModifier", .masks = kStructures,
       .doc = "removes whole filters or channels"},
  };
  // clang-format on
  return kTable;
}

const Pruner* find_pruner(std::string_view name) {
  std::string wanted = base::to_lower(name);
  std::erase(wanted, '/');
  const auto found = std::ranges::find_if(table(), [&](const Pruner& pruner) {
    return pruner.name == wanted || std::ranges::find(pruner.aliases, wanted) != pruner.aliases.end();
  });
  return found == table().end() ? nullptr : &*found;
}

constexpr double kMaxEpochs = 100'000;

constexpr std::string_view kTargets[] = {"none", "vnni", "tensorrt"};
constexpr std::string_view kMasks[] = {"unstructured", "block4", "2:4", "filter", "channel"};

constexpr Variable kVariables[] = {
    {"num_epochs", 20.0, 1, kMaxEpochs, false, "Total number of training epochs."},
    {"init_lr", 0.001, 0, 1, true, "Learning rate at the start."},
    {"final_lr", 1e-7, 0, 1, false, "Learning rate at the end."},
    {"target", std::string_view("none"), 0, 0, false, "Target hardware.", kTargets},
    {"sparsity", 0.8, 0, 1, true, "Final fraction of zero weights."},
    {"mask_type", std::string_view("unstructured"), 0, 0, false,
     "Sparsity pattern. Structured pruning uses filter or channel.", kMasks},
    {"global_sparsity", true, 0, 0, false, "If true, ranks the weights of all layers together, otherwise per layer."},
    {"hardness", 0.5, 0, 1, false, "Weight of the teacher outputs in the distillation loss."},
    {"temperature", 2.0, 0, 1000, true, "Distillation temperature."},
};

std::span<const Variable> variables() { return kVariables; }

static std::string unknown(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Variable& variable : kVariables) names.push_back(variable.name);
  const auto near = base::nearest(name, names);
  return fmt::format(
      "unknown variable `{}`{}", base::printable(name),
      near ? fmt::format("; did you mean `{}`?", *near) : fmt::format("; choose one of {}", fmt::join(names, ", ")));
}

// Returns the number that a variable sets, or null if it is not a number.
static double* number_of(Choices& choices, std::string_view name) {
  const std::pair<std::string_view, double*> kNumbers[] = {
      {"num_epochs", &choices.epochs}, {"init_lr", &choices.initial_rate}, {"final_lr", &choices.final_rate},
      {"sparsity", &choices.sparsity}, {"hardness", &choices.hardness},    {"temperature", &choices.temperature}};
  const auto* found = std::ranges::find(kNumbers, name, [](const auto& entry) { return entry.first; });
  return found == std::end(kNumbers) ? nullptr : found->second;
}

static std::optional<std::string> set_number(double& number, const Variable& variable, std::string_view value) {
  const auto read = base::parse_double(value);
  if (!read || !std::isfinite(*read)) {
    return fmt::format("`{}` must be a number, got `{}`", variable.name, base::printable(value));
  }
  const bool fits =
      variable.open ? *read > variable.min && *read < variable.max : *read >= variable.min && *read <= variable.max;
  if (!fits) {
    return fmt::format("`{}` must be {} {} and {} {}, got {}", variable.name,
                       variable.open ? "greater than" : "at least", variable.min,
                       variable.open ? "less than" : "at most", variable.max, base::printable(value));
  }
  number = *read;
  return std::nullopt;
}

std::optional<std::string> set_variable(Choices& choices, std::string_view name, std::string_view value) {
  const auto* variable = std::ranges::find(kVariables, name, &Variable::name);
  if (variable == std::end(kVariables)) return unknown(name);
  if (double* number = number_of(choices, name)) {
    choices.sparsity_given |= name == "sparsity";
    return set_number(*number, *variable, value);
  }
  if (name == "global_sparsity") {
    const std::string word = base::to_lower(value);
    if (word != "true" && word != "false") {
      return fmt::format("`global_sparsity` must be true or false, got `{}`", base::printable(value));
    }
    choices.global_sparsity = word == "true";
    choices.global_given = true;
    return std::nullopt;
  }
  const bool quoted = value.size() > 1 && value.front() == '"' && value.back() == '"';
  const std::string word(quoted ? value.substr(1, value.size() - 2) : value);
  (name == "target" ? choices.target : choices.mask_type.emplace()) = word;
  return std::nullopt;
}

// Returns the mask type that the kernels of the target require, or an empty string if they accept any.
static std::string_view mask_for(std::string_view target) {
  return target == "vnni" ? "block4" : target == "tensorrt" ? "2:4" : "";
}

// Returns the pruner as the user chose it.
static std::string text_of(const Choices& choices, const Pruner& pruner) {
  return choices.pruning_given ? fmt::format("--pruning {}", pruner.name) : "the default pruner";
}

// Returns "; pass --pruning structured" for a mask that only other pruners than the default support.
static std::string pruners_for(const Choices& choices) {
  std::vector<std::string_view> names;
  for (const Pruner& pruner : table()) {
    if (base::contains(pruner.masks, *choices.mask_type)) names.push_back(pruner.name);
  }
  return choices.pruning_given || names.empty() ? "" : fmt::format("; pass --pruning {}", fmt::join(names, " or "));
}

static std::optional<std::string> resolve_mask(Choices& choices, const Pruner& pruner) {
  const std::string_view needed = mask_for(choices.target);
  if (!choices.mask_type) choices.mask_type = std::string(needed.empty() ? pruner.masks.front() : needed);
  if (!base::contains(pruner.masks, *choices.mask_type)) {
    return fmt::format("{} does not support the mask `{}`{}; supported masks are {}{}", text_of(choices, pruner),
                       base::printable(*choices.mask_type),
                       *choices.mask_type == needed ? fmt::format(" required by --target {}", choices.target) : "",
                       fmt::join(pruner.masks, ", "), pruners_for(choices));
  }
  if (!needed.empty() && *choices.mask_type != needed) {
    return fmt::format("--target {} requires the mask `{}`, but mask_type is `{}`; remove mask_type", choices.target,
                       needed, base::printable(*choices.mask_type));
  }
  return std::nullopt;
}

bool needs_linear_layers(const Choices& choices) {
  return choices.mask_type == "2:4" || (choices.pruning == "mfac" && choices.mask_type == "block4");
}

// Returns true if SparseML can make the mask for a weight.
static bool can_mask(const Choices& choices, const model::Shape& shape) {
  if (choices.mask_type == "2:4") return shape.size() != 4;
  if (choices.mask_type != "block4") return true;
  if (choices.pruning == "mfac") return ir::has_padded_mask_in_one_row(shape);
  return choices.pruning != "obs" || model::elements_of(shape).value_or(0) % kFisherBlock == 0;
}

static std::optional<std::string> resolve_layers(const Choices& choices, const Pruner& pruner) {
  const auto unfit =
      std::ranges::find_if(choices.shapes, [&](const auto& one) { return !can_mask(choices, one.second); });
  if (unfit == choices.shapes.end()) return std::nullopt;
  return fmt::format("SparseML cannot make the mask `{}` for `{}` with {}; remove such weights from --params",
                     *choices.mask_type, base::printable(unfit->first), text_of(choices, pruner));
}

static std::optional<std::string> resolve_sparsity(Choices& choices) {
  if (choices.mask_type != "2:4") return std::nullopt;
  if (!choices.sensitivities.empty())
    return "the mask 2:4 requires one sparsity for all parameters; remove --sensitivity";
  if (choices.sparsity_given && choices.sparsity != 0.5) {
    return fmt::format("the mask 2:4 requires a sparsity of 0.5, got {}; set sparsity=0.5", choices.sparsity);
  }
  choices.sparsity = 0.5;
  return std::nullopt;
}

static std::optional<std::string> resolve_ranking(Choices& choices, const Pruner& pruner) {
  const bool can = !pruner.global_modifier.empty() || pruner.has_global_field;
  if (can && choices.mask_type == "unstructured" && choices.sensitivities.empty()) return std::nullopt;
  if (choices.global_given && choices.global_sparsity && !choices.sensitivities.empty()) {
    return "--sensitivity sets a sparsity per parameter; set global_sparsity=false";
  }
  if (choices.global_given && choices.global_sparsity) {
    return fmt::format("{} with the mask `{}` ranks each layer separately; set global_sparsity=false",
                       text_of(choices, pruner), choices.mask_type.value_or("unstructured"));
  }
  choices.global_sparsity = false;
  return std::nullopt;
}

static std::optional<std::string> resolve_pruner(Choices& choices) {
  const Pruner* pruner = find_pruner(choices.pruning);
  if (pruner == nullptr) {
    std::vector<std::string_view> names{"false"};
    for (const Pruner& each : table()) names.push_back(each.name);
    return fmt::format("unknown --pruning `{}`; choose one of {}", base::printable(choices.pruning),
                       fmt::join(names, ", "));
  }
  choices.pruning = pruner->name;
  if (pruner->holds && !choices.sensitivities.empty()) {
    return "--pruning constant keeps the current sparsity of the model; remove --sensitivity";
  }
  if (pruner->holds) {
    return choices.mask_type
               ? std::optional<std::string>("--pruning constant keeps the current mask of the model; remove mask_type")
               : std::nullopt;
  }
  if (pruner->whole_epochs && choices.epochs < 2) {
    return fmt::format("--pruning {} requires whole epochs; set num_epochs to at least 2", pruner->name);
  }
  for (const auto& step : {resolve_mask(choices, *pruner), resolve_layers(choices, *pruner), resolve_sparsity(choices),
                           resolve_ranking(choices, *pruner)}) {
    if (step) return step;
  }
  return std::nullopt;
}

std::optional<std::string> resolve(Choices& choices) {
  if (!base::contains(kRates, choices.rate)) {
    return fmt::format("unknown --lr `{}`; choose one of {}", base::printable(choices.rate), fmt::join(kRates, ", "));
  }
  if (choices.target != "none" && mask_for(choices.target).empty()) {
    return fmt::format("unknown target `{}`; choose one of vnni, tensorrt, none", base::printable(choices.target));
  }
  if (choices.final_rate > choices.initial_rate) {
    return fmt::format("final_lr {} is greater than init_lr {}; set a smaller final_lr", choices.final_rate,
                       choices.initial_rate);
  }
  const bool decays_by_factor = choices.rate == "exponential" || choices.rate == "stepped";
  if (decays_by_factor && choices.final_rate == 0) {
    return fmt::format("--lr {} multiplies the rate and never reaches 0; set final_lr above 0", choices.rate);
  }
  const std::string pruning = base::to_lower(choices.pruning);
  if (pruning == "false" || pruning == "none") {
    choices.pruning = "false";
    if (!choices.sensitivities.empty()) return "--sensitivity has no effect without pruning; remove --sensitivity";
    return choices.quantization || choices.distillation
               ? std::nullopt
               : std::optional<std::string>(
                     "the recipe would be empty; enable --pruning, --quantization or --distillation");
  }
  return resolve_pruner(choices);
}

static std::string property(const Variable& variable) {
  std::string out = fmt::format("    \"{}\": {{\"description\": \"{}\", ", variable.name, variable.doc);
  if (const auto* number = std::get_if<double>(&variable.default_value)) {
    out += fmt::format("\"type\": \"number\", \"{}\": {}, \"{}\": {}, \"default\": {}",
                       variable.open ? "exclusiveMinimum" : "minimum", variable.min,
                       variable.open ? "exclusiveMaximum" : "maximum", variable.max, *number);
  } else if (const auto* flag = std::get_if<bool>(&variable.default_value)) {
    out += fmt::format("\"type\": \"boolean\", \"default\": {}", *flag);
  } else {
    out += fmt::format("\"type\": \"string\", \"enum\": [\"{}\"], \"default\": \"{}\"",
                       fmt::join(variable.choices, "\", \""), std::get<std::string_view>(variable.default_value));
  }
  return out + "}";
}

std::string schema() {
  std::vector<std::string> properties;
  for (const Variable& variable : kVariables) properties.push_back(property(variable));
  return fmt::format(
      "{{\n  \"$schema\": \"http://json-schema.org/draft-07/schema#\",\n"
      "  \"title\": \"Variables of sparsecfg create\",\n"
      "  \"type\": \"object\",\n  \"additionalProperties\": false,\n  \"properties\": {{\n{}\n  }}\n}}\n",
      fmt::join(properties, ",\n"));
}

}  // namespace sparsecfg::create
