#include "create/one_shot.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/edit_distance.h"
#include "base/text.h"
#include "dialect/back_ends.h"
#include "dialect/schemes/emit.h"
#include "dialect/schemes/presets.h"
#include "emit/literal.h"

namespace sparsecfg::create {

using dialect::schemes::Preset;
using dialect::schemes::Strategy;

// --- layers that keep their precision -----------------------------------------------------------------

// Parts of names of modules that process images, audio or other inputs than text, in lower case.
constexpr std::string_view kOtherInputs[] = {
    "vision",  "visual", "image",     "audio",     "speech",      "video",      "projector", "tower",    "connector",
    "aligner", "merger", "perceiver", "resampler", "multi_modal", "multimodal", "mm_",       "sam_model"};

// Last parts of names of linear layers that choose the experts of a token.
constexpr std::string_view kRouters[] = {"gate", "router", "shared_expert_gate", "wg", "gate_network"};

static std::vector<std::string_view> parts_of(std::string_view name) {
  std::vector<std::string_view> out;
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find('.', begin), name.size());
    out.push_back(name.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

static bool is_number(std::string_view part) { return !part.empty() && std::ranges::all_of(part, base::is_digit); }

// Returns the pattern of a name in a list of `ignore`, in which each character matches only itself.
static std::string pattern_of(std::string_view name) {
  std::string out = "re:.*";
  for (const char c : name) {
    if (std::string_view(".^$*+?{}[]()|\\").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

// Returns the index of the first part that names another input than text, or nullopt.
static std::optional<std::size_t> other_input_in(const std::vector<std::string_view>& parts) {
  for (std::size_t at = 0; at < parts.size(); ++at) {
    const std::string part = base::to_lower(parts[at]);
    const auto is_in = [&](std::string_view word) { return part.find(word) != std::string::npos; };
    if (std::ranges::any_of(kOtherInputs, is_in)) return at;
  }
  return std::nullopt;
}

// Returns the entry of `ignore` for a linear layer that keeps its precision, or an empty string. `groups` is the size
// of quantized groups, or 0.
static std::string entry_for(const model::Module& module, std::int64_t groups) {
  const std::vector<std::string_view> parts = parts_of(module.name);
  if (const auto at = other_input_in(parts)) return pattern_of(parts[*at]) + ".*";
  const bool is_in_block = std::ranges::any_of(parts, is_number);
  if (!is_in_block) return module.name;
  if (base::contains(kRouters, parts.back())) {
    const std::string parent = parts.size() > 1 && !is_number(parts[parts.size() - 2])
                                   ? std::string(parts[parts.size() - 2]) + "."
                                   : std::string();
    return pattern_of(parent + std::string(parts.back())) + "$";
  }
  const bool has_columns = module.shape && !module.shape->empty();
  const auto columns = has_columns ? static_cast<std::int64_t>(module.shape->back()) : 0;
  return groups > 0 && has_columns && columns % groups != 0 ? pattern_of(parts.back()) + "$" : std::string();
}

static bool is_linear(const model::Module& module) { return module.type == "Linear"; }

// Returns the entries of `ignore` in the order of their first layers, and in `quantized` the number of layers that
// remain.
static std::vector<std::string> ignored_in(const std::vector<model::Module>& modules, std::int64_t groups,
                                           std::size_t& quantized) {
  std::vector<std::string> out;
  quantized = 0;
  for (const model::Module& module : modules) {
    if (!is_linear(module)) continue;
    const std::string entry = entry_for(module, groups);
    quantized += entry.empty() ? 1 : 0;
    if (!entry.empty() && std::ranges::find(out, entry) == out.end()) out.push_back(entry);
  }
  return out;
}

// --- the recipe ---------------------------------------------------------------------------------------

// Integer weights gain from GPTQ; floats of 8 and 4 bits are rounded.
static std::string_view modifier_of(const Preset& preset) {
  return preset.weights.is_float ? "QuantizationModifier" : "GPTQModifier";
}

// Static ranges of inputs need data, and GPTQ always does.
static bool needs_data(const Preset& preset) {
  const bool is_static = preset.inputs.present && preset.inputs.dynamic != dialect::schemes::Dynamic::yes;
  return !preset.weights.is_float || is_static;
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

// Returns a list, which YAML and Python write alike. The entries contain names of the model.
static std::string list_of(emit::Syntax syntax, const std::vector<std::string>& entries) {
  std::vector<std::string> out;
  for (const std::string& entry : entries) out.push_back(emit::literal(syntax, entry));
  return fmt::format("[{}]", fmt::join(out, ", "));
}

std::variant<OneShotRecipe, std::string> one_shot_recipe(const OneShotChoices& choices) {
  OneShotRecipe out;
  const Preset* preset = nullptr;
  if (!choices.scheme.empty()) {
    const auto found = preset_of(choices.scheme);
    if (const auto* why = std::get_if<std::string>(&found)) return *why;
    preset = std::get<const Preset*>(found);
  }
  out.ignored = {"lm_head"};
  if (choices.modules != nullptr) {
    std::size_t quantized = 0;
    out.ignored = ignored_in(*choices.modules, preset == nullptr ? 0 : preset->weights.group_size, quantized);
    if (quantized == 0)
      return std::string("the model has no linear layer in a repeated block that could be compressed");
  }
  const std::string ignore =
      out.ignored.empty() ? "" : fmt::format("      ignore: {}\n", list_of(emit::Syntax::yaml, out.ignored));
  out.text = "default_stage:\n  default_modifiers:\n";
  if (choices.sparsity) {
    out.needs_data = true;
    out.text += fmt::format(
        "    SparseGPTModifier:\n      sparsity: {}\n      mask_structure: '{}'\n"
        "      targets: [Linear]\n{}",
        *choices.sparsity, choices.mask_structure, ignore);
  }
  if (preset != nullptr) {
    out.needs_data = out.needs_data || needs_data(*preset);
    out.text += fmt::format("    {}:\n      targets: [Linear]\n      scheme: {}\n{}", modifier_of(*preset),
                            preset->name, ignore);
  }
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

// --- the script ---------------------------------------------------------------------------------------

std::string one_shot_script(const OneShotChoices& choices, const OneShotRecipe& recipe) {
  const Preset* preset = choices.scheme.empty() ? nullptr : dialect::schemes::find_preset(choices.scheme);
  std::string imports = "from llmcompressor import oneshot\n";
  std::string modifiers;
  const std::string ignore = recipe.ignored.empty() ? "" : ", ignore=" + list_of(emit::Syntax::python, recipe.ignored);
  if (choices.sparsity) {
    imports += "from llmcompressor.modifiers.pruning import SparseGPTModifier\n";
    modifiers += fmt::format("    SparseGPTModifier(sparsity={}, mask_structure=\"{}\", targets=[\"Linear\"]{}),\n",
                             *choices.sparsity, choices.mask_structure, ignore);
  }
  if (preset != nullptr) {
    const std::string_view modifier = modifier_of(*preset);
    const std::string_view package = modifier == "GPTQModifier" ? "gptq" : "quantization";
    imports += fmt::format("from llmcompressor.modifiers.{} import {}\n", package, modifier);
    modifiers += fmt::format("    {}(targets=[\"Linear\"], scheme=\"{}\"{}),\n", modifier, preset->name, ignore);
  }
  const std::string model =
      emit::literal(emit::Syntax::python, choices.model.empty() ? "path/to/model" : choices.model);
  std::string calls = "    model=MODEL,\n    recipe=recipe,\n";
  if (recipe.needs_data) {
    calls +=
        "    dataset=\"open_platypus\",  # replace it by texts like those of your task\n"
        "    num_calibration_samples=512,\n    max_seq_length=2048,\n";
  }
  const std::string suffix = preset == nullptr ? "sparse" : std::string(preset->name);
  return fmt::format(
      "{}\nMODEL = {}\n\nrecipe = [\n{}]\n\noneshot(\n{}    output_dir=MODEL.rstrip(\"/\").split(\"/\")[-1] + "
      "\"-{}\",\n)\n",
      imports, model, modifiers, calls, suffix);
}

}  // namespace sparsecfg::create
