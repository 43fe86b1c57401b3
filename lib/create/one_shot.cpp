#include "create/one_shot.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/edit_distance.h"
#include "base/text.h"
#include "compile/compile.h"
#include "create/kept_layers.h"
#include "dialect/back_ends.h"
#include "dialect/schemes/emit.h"
#include "dialect/schemes/presets.h"
#include "emit/literal.h"

namespace sparsecfg::create {

using dialect::schemes::Preset;
using dialect::schemes::QuantizationArgs;
using dialect::schemes::Strategy;
using emit::Syntax;

// --- methods ------------------------------------------------------------------------------------------

// A modifier, and the module of Python that has it.
struct ModifierClass {
  std::string_view name;
  std::string_view module;
};

constexpr ModifierClass kRounding{"QuantizationModifier", "quantization"};
constexpr ModifierClass kGptq{"GPTQModifier", "gptq"};
constexpr ModifierClass kAwq{"AWQModifier", "transform.awq"};
constexpr ModifierClass kSmoothQuant{"SmoothQuantModifier", "transform.smoothquant"};
constexpr ModifierClass kAutoRound{"AutoRoundModifier", "autoround"};

// How weights are quantized.
struct MethodRow {
  std::string_view name;
  std::string_view scheme;                // the default
  const ModifierClass* before = nullptr;  // prepares the weights
  const ModifierClass* quantizer;
  bool needs_data;
};

constexpr MethodRow kMethods[] = {
    {.name = "rtn", .scheme = "W4A16", .quantizer = &kRounding, .needs_data = false},
    {.name = "gptq", .scheme = "W4A16", .quantizer = &kGptq, .needs_data = true},
    {.name = "awq", .scheme = "W4A16_ASYM", .before = &kAwq, .quantizer = &kRounding, .needs_data = true},
    {.name = "smoothquant", .scheme = "W8A8", .before = &kSmoothQuant, .quantizer = &kGptq, .needs_data = true},
    {.name = "autoround", .scheme = "W4A16", .quantizer = &kAutoRound, .needs_data = true},
};

static const MethodRow* find_method(std::string_view name) {
  const auto* found = std::ranges::find(kMethods, base::to_lower(name), &MethodRow::name);
  return found == std::end(kMethods) ? nullptr : found;
}

std::vector<std::string> method_names() {
  std::vector<std::string> out;
  for (const MethodRow& row : kMethods) out.emplace_back(row.name);
  return out;
}

// Integer weights gain from GPTQ; floats of 8 and 4 bits are rounded. GPTQ does not keep the zeros of a pruner.
static const MethodRow& usual_method(const Preset& preset, bool prunes) {
  return *find_method(preset.weights.is_float || prunes ? "rtn" : "gptq");
}

static std::variant<const Preset*, std::string> preset_of(const std::string& name) {
  const Preset* preset = dialect::schemes::find_preset(name);
  if (preset != nullptr && preset->weights.present) return preset;
  const std::vector<std::string_view> known(std::begin(dialect::schemes::kPresetNames),
                                            std::end(dialect::schemes::kPresetNames));
  const auto guess = base::nearest(base::to_upper(name), known);
  return fmt::format(
      "unknown scheme `{}`; {}", base::printable(name),
      guess ? fmt::format("did you mean `{}`?", *guess) : fmt::format("write one of {}", fmt::join(known, ", ")));
}

// --- modifiers ----------------------------------------------------------------------------------------

namespace {

// An argument of a modifier, in the text of both languages.
struct Argument {
  std::string_view name;
  std::string yaml;
  std::string python;
};

struct WrittenModifier {
  ModifierClass modifier;
  std::vector<Argument> arguments;
};

// Returns a list, which YAML and Python write alike. The entries contain names of the model.
std::string list_of(Syntax syntax, const std::vector<std::string>& entries) {
  std::vector<std::string> out;
  for (const std::string& entry : entries) out.push_back(emit::literal(syntax, entry));
  return fmt::format("[{}]", fmt::join(out, ", "));
}

Argument names(std::string_view name, const std::vector<std::string>& entries) {
  return {name, list_of(Syntax::yaml, entries), list_of(Syntax::python, entries)};
}

Argument linear() { return {"targets", "[Linear]", "[\"Linear\"]"}; }

std::string arguments_of(const QuantizationArgs& args, Syntax syntax) {
  const bool python = syntax == Syntax::python;
  const auto word = [&](std::string_view text) { return python ? fmt::format("\"{}\"", text) : std::string(text); };
  const auto truth = [&](bool value) { return value ? (python ? "True" : "true") : (python ? "False" : "false"); };
  const auto entry = [&](std::string_view key, const std::string& value) {
    return fmt::format("{}: {}", word(key), value);
  };
  std::vector<std::string> out = {
      entry("num_bits", std::to_string(args.bits)), entry("type", word(args.is_float ? "float" : "int")),
      entry("symmetric", truth(args.symmetric)), entry("strategy", word(dialect::schemes::to_string(args.strategy)))};
  if (args.group_size > 0) out.push_back(entry("group_size", std::to_string(args.group_size)));
  if (args.dynamic == dialect::schemes::Dynamic::yes) out.push_back(entry("dynamic", truth(true)));
  return fmt::format("{{{}}}", fmt::join(out, ", "));
}

// Returns the only group of a scheme that is no preset.
std::string groups_of(const Preset& preset, Syntax syntax) {
  const bool python = syntax == Syntax::python;
  const std::string_view quote = python ? "\"" : "";
  std::string out = fmt::format("{{{0}group_0{0}: {{{0}targets{0}: [{0}Linear{0}], {0}weights{0}: {1}", quote,
                                arguments_of(preset.weights, syntax));
  if (preset.inputs.present) {
    out += fmt::format(", {0}input_activations{0}: {1}", quote, arguments_of(preset.inputs, syntax));
  }
  return out + "}}";
}

// Of other strategies, vLLM rejects the order of columns that GPTQModifier has by default.
bool needs_no_order(const Preset& preset) {
  return preset.weights.strategy != Strategy::group && preset.weights.strategy != Strategy::tensor_group;
}

WrittenModifier quantizer_of(const OneShotRecipe& recipe, const ModifierClass& modifier, const Preset& preset,
                             bool is_preset) {
  WrittenModifier out{modifier, {}};
  if (is_preset) {
    const std::string name(preset.name);
    out.arguments = {linear(), {"scheme", name, fmt::format("\"{}\"", name)}};
  } else {
    out.arguments = {{"config_groups", groups_of(preset, Syntax::yaml), groups_of(preset, Syntax::python)}};
  }
  if (!recipe.ignored.empty()) out.arguments.push_back(names("ignore", recipe.ignored));
  if (modifier.name == kGptq.name && needs_no_order(preset)) out.arguments.push_back({"actorder", "null", "None"});
  return out;
}

WrittenModifier pruner_of(const OneShotChoices& choices, const OneShotRecipe& recipe) {
  const std::string sparsity = fmt::format("{}", *choices.sparsity);
  WrittenModifier out{
      {"SparseGPTModifier", "pruning"},
      {{"sparsity", sparsity, sparsity},
       {"mask_structure", fmt::format("'{}'", choices.mask_structure), fmt::format("\"{}\"", choices.mask_structure)},
       linear()}};
  if (!recipe.unpruned.empty()) out.arguments.push_back(names("ignore", recipe.unpruned));
  return out;
}

std::string yaml_of(const std::vector<WrittenModifier>& modifiers) {
  std::string out = "default_stage:\n  default_modifiers:\n";
  for (const WrittenModifier& each : modifiers) {
    out += fmt::format("    {}:{}\n", each.modifier.name, each.arguments.empty() ? " {}" : "");
    for (const Argument& argument : each.arguments) out += fmt::format("      {}: {}\n", argument.name, argument.yaml);
  }
  return out;
}

// Returns the imports and the list of modifiers.
std::pair<std::string, std::string> python_of(const std::vector<WrittenModifier>& modifiers) {
  std::string imports;
  std::string list;
  for (const WrittenModifier& each : modifiers) {
    imports += fmt::format("from llmcompressor.modifiers.{} import {}\n", each.modifier.module, each.modifier.name);
    std::vector<std::string> arguments;
    for (const Argument& argument : each.arguments) {
      arguments.push_back(fmt::format("{}={}", argument.name, argument.python));
    }
    list += fmt::format("    {}({}),\n", each.modifier.name, fmt::join(arguments, ", "));
  }
  return {imports, list};
}

// --- the recipe ---------------------------------------------------------------------------------------

// The script loads models that also read images by their class, because `oneshot` loads only those for text.
std::string script_of(const OneShotChoices& choices, const OneShotRecipe& recipe, const std::string& suffix,
                      const std::vector<WrittenModifier>& modifiers, bool has_other_inputs) {
  const auto [imports, list] = python_of(modifiers);
  const std::string id = emit::literal(Syntax::python, choices.model.empty() ? "path/to/model" : choices.model);
  std::string calls = has_other_inputs ? "    model=model,\n    processor=processor,\n    recipe=recipe,\n"
                                       : "    model=MODEL,\n    recipe=recipe,\n";
  if (recipe.needs_data) {
    calls +=
        "    dataset=\"open_platypus\",  # replace it by texts like those of your task\n"
        "    num_calibration_samples=512,\n    max_seq_length=2048,\n";
  }
  const std::string load = has_other_inputs
                               ? "model = AutoModelForImageTextToText.from_pretrained(MODEL, dtype=\"auto\")\n"
                                 "processor = AutoProcessor.from_pretrained(MODEL)\n\n"
                               : "";
  return fmt::format(
      "from llmcompressor import oneshot\n{}{}\nMODEL = {}\n\n{}recipe = [\n{}]\n\noneshot(\n{}"
      "    output_dir=MODEL.rstrip(\"/\").split(\"/\")[-1] + \"-{}\",\n)\n",
      imports, has_other_inputs ? "from transformers import AutoModelForImageTextToText, AutoProcessor\n" : "", id,
      load, list, calls, suffix);
}

// What is quantized, and how.
struct Plan {
  const MethodRow* method = nullptr;
  Preset preset{};
  bool is_preset = true;  // false if the size of the groups differs from that of the preset
};

}  // namespace

// A method is also accepted as a scheme, because users know them as such: `--scheme AWQ`.
static std::variant<Plan, std::string> plan_of(const OneShotChoices& choices) {
  const MethodRow* named = find_method(choices.method.empty() ? choices.scheme : choices.method);
  const bool is_scheme = choices.method.empty() && named != nullptr;
  const std::string scheme =
      named != nullptr && (is_scheme || choices.scheme.empty()) ? std::string(named->scheme) : choices.scheme;
  const auto found = preset_of(scheme);
  if (const auto* why = std::get_if<std::string>(&found)) return *why;
  const Preset& preset = *std::get<const Preset*>(found);
  return Plan{named == nullptr ? &usual_method(preset, choices.sparsity.has_value()) : named, preset};
}

// Only rounding to a symmetric format keeps zeros.
static std::optional<std::string> zeros_lost(const Plan& plan) {
  if (plan.method->quantizer != &kRounding) {
    return fmt::format("`{}` does not keep the zeros of a pruner; use `--method rtn`", plan.method->quantizer->name);
  }
  return plan.preset.weights.symmetric
             ? std::nullopt
             : std::optional(fmt::format("`{}` is asymmetric and does not keep the zeros of a pruner; use a symmetric "
                                         "scheme such as W4A16",
                                         plan.preset.name));
}

// Selects the size of groups. Returns an error message if the scheme has none.
static std::optional<std::string> select_groups(const OneShotChoices& choices, Plan& plan, OneShotRecipe& out) {
  const std::int64_t usual = plan.preset.weights.group_size;
  const bool integers = !plan.preset.weights.is_float;
  if (choices.group_size > 0 && (usual == 0 || !integers)) {
    return fmt::format("`{}` has no groups whose size can be chosen", plan.preset.name);
  }
  std::int64_t size = choices.group_size > 0 ? choices.group_size : usual;
  if (choices.group_size == 0 && usual > 0 && integers && choices.modules != nullptr) {
    size = fitting_groups(*choices.modules, usual);
    if (size != usual) {
      out.notes.push_back(
          fmt::format("groups of {}, because {} does not divide the columns of all layers", size, usual));
    }
  }
  plan.is_preset = size == usual;
  plan.preset.weights.group_size = size;
  return std::nullopt;
}

// Selects the layers that stay unquantized. Returns an error message if none remains.
static std::optional<std::string> select_layers(const OneShotChoices& choices, std::int64_t groups,
                                                OneShotRecipe& out) {
  if (choices.modules == nullptr) {
    out.ignored = {"lm_head"};
    out.unpruned = {entry_for_pruner("lm_head")};
    return std::nullopt;
  }
  const KeptLayers layers = kept_layers(*choices.modules, groups);
  if (layers.quantized == 0) return "the model has no linear layer in a repeated block that could be compressed";
  std::vector<std::string> kept;
  for (const KeptLayer& layer : layers.entries) {
    out.ignored.push_back(layer.entry);
    if (layer.linear) out.unpruned.push_back(entry_for_pruner(layer.entry));
    kept.push_back(fmt::format("`{}` ({})", base::printable(layer.entry), layer.why));
  }
  out.has_other_inputs = layers.has_other_inputs;
  if (!kept.empty()) out.notes.push_back(fmt::format("unquantized: {}", fmt::join(kept, ", ")));
  return std::nullopt;
}

// Returns the first error of a recipe, "message (code)"; nullopt if it has none.
static std::optional<std::string> first_error(const std::string& recipe, const CompileOptions& options) {
  const Compilation compiled = compile("recipe.yaml", recipe, options);
  const auto error = std::ranges::find(compiled.diagnostics, diag::Severity::error, &diag::Diagnostic::severity);
  if (error == compiled.diagnostics.end()) return std::nullopt;
  return fmt::format("{} ({})", error->message, error->info->code);
}

// Returns the error that vLLM would stop with, which loads most results.
static std::optional<std::string> fault_in_vllm(const std::string& recipe) {
  CompileOptions options;
  dialect::set_reader_option("runtime", "vllm", options.read);
  const auto error = first_error(recipe, options);
  return error ? std::optional("vLLM cannot load the result: " + *error) : std::nullopt;
}

// Returns the error with which a run on the model would stop, such as mappings that do not fit it.
static std::optional<std::string> fault_of_model(const std::string& recipe, const OneShotChoices& choices) {
  if (choices.modules == nullptr) return std::nullopt;
  CompileOptions options;
  options.read.modules = std::make_shared<const std::vector<model::Module>>(*choices.modules);
  const auto error = first_error(recipe, options);
  return error ? std::optional("llm-compressor rejects the recipe for this model: " + *error) : std::nullopt;
}

std::variant<OneShotRecipe, std::string> one_shot_recipe(const OneShotChoices& choices) {
  OneShotRecipe out;
  std::optional<Plan> plan;
  if (!choices.scheme.empty() || !choices.method.empty()) {
    auto found = plan_of(choices);
    if (const auto* why = std::get_if<std::string>(&found)) return *why;
    plan = std::get<Plan>(found);
    if (auto why = choices.sparsity ? zeros_lost(*plan) : std::nullopt) return *why;
    if (auto why = select_groups(choices, *plan, out)) return *why;
  }
  if (auto why = select_layers(choices, plan ? plan->preset.weights.group_size : 0, out)) return *why;
  std::vector<WrittenModifier> modifiers;
  if (choices.sparsity) modifiers.push_back(pruner_of(choices, out));
  out.needs_data = choices.sparsity.has_value();
  if (plan) {
    const QuantizationArgs& inputs = plan->preset.inputs;
    const bool is_static = inputs.present && inputs.dynamic != dialect::schemes::Dynamic::yes;
    out.needs_data = out.needs_data || is_static || plan->method->needs_data;
    if (plan->method->before != nullptr) modifiers.push_back({*plan->method->before, {}});
    modifiers.push_back(quantizer_of(out, *plan->method->quantizer, plan->preset, plan->is_preset));
  }
  out.text = yaml_of(modifiers);
  if (auto fault = fault_of_model(out.text, choices)) return *std::move(fault);
  if (auto fault = fault_in_vllm(out.text)) out.notes.push_back(*std::move(fault));
  out.script =
      script_of(choices, out, plan ? std::string(plan->preset.name) : "sparse", modifiers, out.has_other_inputs);
  return out;
}

// --- other systems ------------------------------------------------------------------------------------

// Returns the schemes of compressed-tensors that a system has.
static std::vector<std::string_view> schemes_for(const dialect::BackEnd& back_end) {
  std::vector<std::string_view> out;
  for (const std::string_view name : dialect::schemes::kPresetNames) {
    if (back_end.find(dialect::schemes::preset_scheme(std::string(name))) != nullptr) out.push_back(name);
  }
  return out;
}

QuantizerRecipe quantizer_recipe(const std::string& scheme, const dialect::Dialect& to) {
  const auto found = preset_of(scheme);
  if (const auto* why = std::get_if<std::string>(&found)) return {"", *why};
  const dialect::BackEnd& back_end = *dialect::back_end_of(to);
  const Preset& preset = *std::get<const Preset*>(found);
  const ir::Scheme wanted = dialect::schemes::preset_scheme(std::string(preset.name));
  if (back_end.find(wanted) == nullptr) {
    return {"", fmt::format("{} has no exact counterpart of `{}`; write one of {}", to.title, preset.name,
                            fmt::join(schemes_for(back_end), ", "))};
  }
  static const std::vector<model::Module> kNone;
  return {back_end.create({kNone, {{wanted, {}, true}}, {}, {}, back_end.methods.front().own, {}}), ""};
}

}  // namespace sparsecfg::create
