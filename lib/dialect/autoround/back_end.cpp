#include "dialect/back_ends.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "dialect/autoround/read.h"
#include "dialect/quantizers/python_text.h"

// Writes the outcome of a recipe of another system as a call of AutoRound (docs/semantics/autoround.md#e1-1).
namespace sparsecfg::dialect::autoround {

using quantizers::python_string;
using quantizers::PythonItems;

// --- the exact schemes ----------------------------------------------------------------------------------------------

static constexpr FormatRow in_groups(ir::NumberType type, std::int64_t bits, std::int64_t size, std::string_view scale,
                                     ir::ScaleTime time) {
  return {.type = type,
          .min_bits = bits,
          .max_bits = bits,
          .granularity = ir::Granularity::group,
          .group_size = size,
          .scales = time,
          .scale_type = scale};
}

static constexpr FormatRow mx(std::int64_t bits, ir::ScaleTime time) {
  return in_groups(ir::NumberType::floating, bits, 32, "e8m0", time);
}

constexpr FormatRow kIntGroups{
    .min_bits = 2, .max_bits = 8, .granularity = ir::Granularity::group, .symmetric = std::nullopt};
constexpr FormatRow kIntChannels{.min_bits = 2, .max_bits = 8, .symmetric = std::nullopt};
constexpr FormatRow kInt8Tokens{.granularity = ir::Granularity::token, .scales = ir::ScaleTime::dynamic};
constexpr FormatRow kFloat8Blocks{
    .type = ir::NumberType::floating, .granularity = ir::Granularity::block, .group_size = 128, .rows = 128};

constexpr SchemeRow kExactSchemes[] = {
    {kIntGroups},
    {kIntChannels},
    {FormatRow{}, kInt8Tokens, "INT8"},
    {mx(4, ir::ScaleTime::fixed), mx(4, ir::ScaleTime::dynamic), "MXFP4"},
    {mx(8, ir::ScaleTime::fixed), mx(8, ir::ScaleTime::dynamic), "MXFP8"},
    {in_groups(ir::NumberType::floating, 4, 16, "e4m3", ir::ScaleTime::fixed),
     in_groups(ir::NumberType::floating, 4, 16, "e4m3", ir::ScaleTime::local), "NVFP4"},
    {kFloat8Blocks, in_groups(ir::NumberType::floating, 8, 128, "", ir::ScaleTime::dynamic), "FP8_BLOCK"},
};

constexpr MethodRow kExactMethods[] = {{"auto-round", "autoround"}};

constexpr SettingRow kExactSettings[] = {{"iters", "iters", "200", "autoround"},
                                         {"disable_opt_rtn", "", "False", ""},
                                         {"model_free", "", "False", ""},
                                         {"enable_alg_ext", "", "False", ""},
                                         {"enable_adam", "", "False", ""},
                                         {"enable_minmax_tuning", "", "True", ""},
                                         {"enable_norm_bias_tuning", "", "False", ""},
                                         {"enable_quanted_input", "", "True", ""},
                                         {"scale_dtype", "", "fp16", ""}};

constexpr std::string_view kRunFields[] = {"model",
                                           "tokenizer",
                                           "platform",
                                           "dataset",
                                           "seqlen",
                                           "nsamples",
                                           "batch_size",
                                           "device",
                                           "device_map",
                                           "processor",
                                           "image_processor",
                                           "seed",
                                           "amp",
                                           "inplace",
                                           "low_gpu_mem_usage",
                                           "model_dtype",
                                           "trust_remote_code",
                                           "low_cpu_mem_usage",
                                           "enable_torch_compile",
                                           "gradient_accumulate_steps",
                                           "format"};

constexpr std::string_view kKnownFields[] = {"scheme",
                                             "layer_config",
                                             "ignore_layers",
                                             "fp_layers",
                                             "bits",
                                             "group_size",
                                             "sym",
                                             "data_type",
                                             "act_bits",
                                             "act_sym",
                                             "act_dynamic",
                                             "act_data_type",
                                             "act_group_size",
                                             "quant_lm_head",
                                             "disable_model_free",
                                             "to_quant_block_names",
                                             "quant_nontext_module"};

constexpr std::string_view kSelectingFields[] = {"layer_config"};

// --- the call ---------------------------------------------------------------------------------------------------

// Returns the fields of integers without quantized inputs.
static PythonItems fields_of_format(const ir::TensorFormat& format) {
  const bool grouped = format.granularity == ir::Granularity::group;
  return {{"bits", std::to_string(format.bits)},
          {"group_size", std::to_string(grouped ? format.group_size : -1)},
          {"sym", std::string(quantizers::python_bool(format.symmetric.value_or(true)))},
          {"data_type", python_string("int")}};
}

// Returns a preset, or a dictionary of fields.
static std::string setting_of(const ir::Scheme& scheme) {
  const SchemeRow* row = kBackEnd.find(scheme);
  if (!row->name.empty()) return python_string(row->name);
  PythonItems fields = fields_of_format(scheme.weights.front());
  fields.emplace_back("act_bits", "16");
  return quantizers::short_dictionary(fields);
}

// A key that is no name is a pattern, in which AutoRound escapes the dots.
static std::string key_of(const NameSelector& selector) {
  if (!selector.name.empty()) return selector.name;
  const std::string begin = selector.inside.empty() ? "" : "^" + selector.inside + ".";
  return begin + ".*" + (selector.tail.empty() ? "" : "." + selector.tail + "$");
}

static bool has_name(const GroupedOutcome& outcome, std::string_view name) {
  const auto is_named = [&](const ModuleGroup& group) {
    return std::ranges::find(group.selectors, name, &NameSelector::name) != group.selectors.end();
  };
  return std::ranges::any_of(outcome.groups, is_named);
}

static std::string write_call(const GroupedOutcome& outcome) {
  const ModuleGroup& base = outcome.groups.front();
  PythonItems arguments{{"", "MODEL"}};
  const SchemeRow* row = kBackEnd.find(base.scheme);
  if (!row->name.empty()) arguments.emplace_back("scheme", python_string(row->name));
  if (row->name.empty())
    std::ranges::move(fields_of_format(base.scheme.weights.front()), std::back_inserter(arguments));
  PythonItems layers;
  for (std::size_t at = 0; at < outcome.groups.size(); ++at) {
    for (const NameSelector& selector : outcome.groups[at].selectors) {
      const bool head = selector.name == "lm_head";
      if (at > 0 || head) layers.emplace_back(python_string(key_of(selector)), setting_of(outcome.groups[at].scheme));
    }
  }
  std::string ignored;
  for (const NameSelector& selector : outcome.plain.selectors) {
    if (selector.name != "lm_head") ignored += (ignored.empty() ? "" : ",") + key_of(selector);
  }
  if (!layers.empty()) arguments.emplace_back("layer_config", quantizers::python_dictionary(layers, 1));
  if (!ignored.empty()) arguments.emplace_back("ignore_layers", python_string(ignored));
  if (has_name(outcome, "lm_head")) arguments.emplace_back("quant_lm_head", "True");
  for (const ir::MethodSetting& setting : outcome.settings) arguments.emplace_back(setting.name, setting.value);
  return fmt::format("from auto_round import AutoRound\n\nMODEL = \"path/to/model\"\n\nautoround = {}\n",
                     quantizers::python_call("AutoRound", arguments));
}

constinit const BackEnd kBackEnd{.file = "converted.py",
                                 .schemes = kExactSchemes,
                                 .methods = kExactMethods,
                                 .settings = kExactSettings,
                                 .known_fields = kKnownFields,
                                 .run_fields = kRunFields,
                                 .maps = kSelectingFields,
                                 .write = write_call,
                                 .create = write_call};

}  // namespace sparsecfg::dialect::autoround
