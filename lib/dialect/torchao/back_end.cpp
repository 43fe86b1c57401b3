#include "dialect/back_ends.h"

#include <fmt/format.h>

#include <set>

#include "dialect/quantizers/python_text.h"
#include "dialect/torchao/read.h"

// Writes the outcome of a recipe of another system as a call of `quantize_` (docs/semantics/torchao.md#e1-1).
namespace sparsecfg::dialect::torchao {

using quantizers::python_string;
using quantizers::PythonItems;

// --- the exact schemes ----------------------------------------------------------------------------------------------

constexpr FormatRow kIntGroups{.min_bits = 2, .max_bits = 8, .granularity = ir::Granularity::group};
constexpr FormatRow kInt8Tokens{.granularity = ir::Granularity::token, .scales = ir::ScaleTime::dynamic};

static constexpr FormatRow floats(ir::Granularity granularity, ir::ScaleTime time = ir::ScaleTime::fixed) {
  return {.type = ir::NumberType::floating, .granularity = granularity, .scales = time};
}

static constexpr FormatRow mx(std::int64_t bits, ir::ScaleTime time) {
  return {.type = ir::NumberType::floating,
          .min_bits = bits,
          .max_bits = bits,
          .granularity = ir::Granularity::group,
          .group_size = 32,
          .scales = time,
          .scale_type = "e8m0"};
}

constexpr FormatRow kFloat8Blocks{
    .type = ir::NumberType::floating, .granularity = ir::Granularity::block, .group_size = 128, .rows = 128};
constexpr FormatRow kFloat8Groups{.type = ir::NumberType::floating,
                                  .granularity = ir::Granularity::group,
                                  .group_size = 128,
                                  .scales = ir::ScaleTime::dynamic};

// The names are the configurations. `{}` is replaced by the bits and the group size.
constexpr SchemeRow kExactSchemes[] = {
    {kIntGroups, {}, "IntxWeightOnlyConfig(weight_dtype=torch.int{}, granularity=PerGroup({}))"},
    {FormatRow{}, {}, "Int8WeightOnlyConfig()"},
    {FormatRow{}, kInt8Tokens, "Int8DynamicActivationInt8WeightConfig()"},
    {floats(ir::Granularity::channel), {}, "Float8WeightOnlyConfig()"},
    {floats(ir::Granularity::channel), floats(ir::Granularity::token, ir::ScaleTime::dynamic),
     "Float8DynamicActivationFloat8WeightConfig(granularity=PerRow())"},
    {floats(ir::Granularity::tensor), floats(ir::Granularity::tensor, ir::ScaleTime::dynamic),
     "Float8DynamicActivationFloat8WeightConfig(granularity=PerTensor())"},
    {kFloat8Blocks, kFloat8Groups,
     "Float8DynamicActivationFloat8WeightConfig(granularity=[PerBlock([1, 128]), PerBlock([128, 128])])"},
    {mx(8, ir::ScaleTime::fixed), mx(8, ir::ScaleTime::dynamic),
     "MXDynamicActivationMXWeightConfig(activation_dtype=torch.float8_e4m3fn, weight_dtype=torch.float8_e4m3fn)"},
    {mx(4, ir::ScaleTime::fixed), mx(4, ir::ScaleTime::dynamic),
     "MXDynamicActivationMXWeightConfig(activation_dtype=torch.float4_e2m1fn_x2, "
     "weight_dtype=torch.float4_e2m1fn_x2)"},
};

constexpr MethodRow kExactMethods[] = {{"torchao", "rtn"}};

constexpr SettingRow kExactSettings[] = {{"include_input_output_embeddings", "", "False", ""},
                                         {"untie_embedding_weights", "", "False", ""},
                                         {"reduce_range", "", "False", ""},
                                         {"weight_only_decode", "", "False", ""}};

constexpr std::string_view kRunFields[] = {"model", "device"};

constexpr std::string_view kKnownFields[] = {"config",
                                             "filter_fn",
                                             "quant_type",
                                             "modules_to_not_convert",
                                             "quant_method",
                                             "default",
                                             "_type",
                                             "_version",
                                             "_data",
                                             "fqn_to_config",
                                             "module_fqn_to_config",
                                             "group_size",
                                             "granularity",
                                             "weight_dtype",
                                             "activation_dtype",
                                             "block_size",
                                             "mapping_type",
                                             "act_mapping_type",
                                             "weight_mapping_type",
                                             "weight_granularity",
                                             "set_inductor_config",
                                             "packing_format",
                                             "int4_packing_format",
                                             "intx_packing_format",
                                             "kernel_preference",
                                             "mm_config",
                                             "alg_id",
                                             "bit_width",
                                             "axis"};

constexpr std::string_view kSelectingFields[] = {"fqn_to_config", "module_fqn_to_config"};

// --- the call ---------------------------------------------------------------------------------------------------

static std::string configuration_text(const ir::Scheme& scheme) {
  const ir::TensorFormat& weights = scheme.weights.front();
  return fmt::format(fmt::runtime(kBackEnd.find(scheme)->name), weights.bits, weights.group_size);
}

static std::string key_text(const NameSelector& selector) {
  return python_string(selector.name.empty() ? "re:" + regex_of(selector) : selector.name);
}

// Returns the names of the package that a configuration uses.
static void add_names(const std::string& configuration, std::set<std::string>& names) {
  for (const std::string_view name : {"PerRow", "PerTensor", "PerGroup", "PerBlock"}) {
    if (configuration.find(std::string(name) + "(") != std::string::npos) names.emplace(name);
  }
  names.insert(configuration.substr(0, configuration.find('(')));
}

static std::string write_call(const GroupedOutcome& outcome) {
  std::set<std::string> names{"quantize_"};
  PythonItems entries;
  for (const ModuleGroup& group : outcome.groups) {
    const std::string configuration = configuration_text(group.scheme);
    add_names(configuration, names);
    for (const NameSelector& selector : group.selectors) entries.emplace_back(key_text(selector), configuration);
  }
  const bool all = outcome.groups.size() == 1 && outcome.groups[0].linear && outcome.plain.selectors.empty();
  PythonItems arguments{{"", "model"}};
  if (all) {
    arguments.emplace_back("", entries.front().second);
  } else {
    names.insert("FqnToConfig");
    arguments.emplace_back("", fmt::format("FqnToConfig({})", quantizers::python_dictionary(entries, 1)));
    arguments.emplace_back("filter_fn", "None");
  }
  std::string imports;
  for (const std::string& name : names) imports += (imports.empty() ? "" : ", ") + name;
  return fmt::format(
      "import torch\nfrom torchao.quantization import {}\nfrom transformers import AutoModelForCausalLM\n\n"
      "model = AutoModelForCausalLM.from_pretrained(\"path/to/model\")\n{}\n",
      imports, quantizers::python_call("quantize_", arguments));
}

constinit const BackEnd kBackEnd{.file = "converted.py",
                                 .schemes = kExactSchemes,
                                 .methods = kExactMethods,
                                 .settings = kExactSettings,
                                 .known_fields = kKnownFields,
                                 .run_fields = kRunFields,
                                 .maps = kSelectingFields,
                                 .write = write_call};

}  // namespace sparsecfg::dialect::torchao
