#include "dialect/back_ends.h"

#include <fmt/format.h>

#include <algorithm>

#include "dialect/gptqmodel/read.h"
#include "dialect/quantizers/python_text.h"

// Writes the outcome of a recipe of another system as a `QuantizeConfig` (docs/semantics/gptqmodel.md#e1-1).
namespace sparsecfg::dialect::gptqmodel {

using quantizers::python_string;
using quantizers::PythonItems;

// Layers with 5 to 7 bits have a format that only GPTQModel reads.
static constexpr FormatRow integers(std::int64_t min_bits, std::int64_t max_bits, ir::Granularity granularity) {
  return {.min_bits = min_bits, .max_bits = max_bits, .granularity = granularity, .symmetric = std::nullopt};
}

constexpr SchemeRow kExactSchemes[] = {{integers(2, 4, ir::Granularity::group)},
                                       {integers(8, 8, ir::Granularity::group)},
                                       {integers(2, 4, ir::Granularity::channel)},
                                       {integers(8, 8, ir::Granularity::channel)}};

constexpr MethodRow kExactMethods[] = {{"gptq", "gptq"}};

constexpr SettingRow kExactSettings[] = {{"damp_percent", "dampening", "0.05", "gptq"},
                                         {"true_sequential", "", "True", ""},
                                         {"static_groups", "", "False", ""},
                                         {"mse", "", "0.0", ""},
                                         {"damp_auto_increment", "", "0.01", ""},
                                         {"mock_quantization", "", "False", ""}};

constexpr std::string_view kRunFields[] = {"device",
                                           "pack_dtype",
                                           "pack_impl",
                                           "offload_to_disk",
                                           "gc_mode",
                                           "offload_to_disk_path",
                                           "auto_forward_data_parallel",
                                           "compute_device_filter",
                                           "calibration_data_device",
                                           "wait_for_submodule_finalizers",
                                           "model_name_or_path",
                                           "model_file_base_name"};

constexpr std::string_view kKnownFields[] = {
    "bits",    "group_size", "sym",          "desc_act", "act_group_aware",   "dynamic",
    "lm_head", "method",     "quant_method", "format",   "checkpoint_format", "meta"};

constexpr std::string_view kSelectingFields[] = {"dynamic", "meta"};

// --- the call ---------------------------------------------------------------------------------------------------

// Without an order, columns are quantized as they are stored.
static PythonItems values_of(const ir::TensorFormat& format) {
  const bool grouped = format.granularity == ir::Granularity::group;
  PythonItems out{{"bits", std::to_string(format.bits)},
                  {"group_size", std::to_string(grouped ? format.group_size : -1)},
                  {"sym", std::string(quantizers::python_bool(format.symmetric.value_or(true)))},
                  {"desc_act", std::string(quantizers::python_bool(format.order == "group"))}};
  if (format.order.empty()) out.emplace_back("act_group_aware", "False");
  return out;
}

static bool selects_head(const NameSelector& selector) { return selector.name == "lm_head"; }

static std::string write_call(const GroupedOutcome& outcome) {
  PythonItems arguments = values_of(outcome.groups.front().scheme.weights.front());
  PythonItems dynamic;
  bool head = false;
  for (const NameSelector& selector : outcome.plain.selectors) {
    if (!selects_head(selector)) dynamic.emplace_back(python_string("-:" + regex_of(selector)), "{}");
  }
  for (std::size_t at = 0; at < outcome.groups.size(); ++at) {
    const ModuleGroup& group = outcome.groups[at];
    for (const NameSelector& selector : group.selectors) {
      head = head || selects_head(selector);
      if (at == 0 && !selects_head(selector)) continue;
      dynamic.emplace_back(python_string("+:" + regex_of(selector)),
                           quantizers::short_dictionary(values_of(group.scheme.weights.front())));
    }
  }
  if (!dynamic.empty()) arguments.emplace_back("dynamic", quantizers::python_dictionary(dynamic, 1));
  if (head) arguments.emplace_back("lm_head", "True");
  for (const ir::MethodSetting& setting : outcome.settings) arguments.emplace_back(setting.name, setting.value);
  return fmt::format("from gptqmodel import QuantizeConfig\n\nquantize_config = {}\n",
                     quantizers::python_call("QuantizeConfig", arguments));
}

constinit const BackEnd kBackEnd{.file = "converted.py",
                                 .schemes = kExactSchemes,
                                 .methods = kExactMethods,
                                 .settings = kExactSettings,
                                 .known_fields = kKnownFields,
                                 .run_fields = kRunFields,
                                 .maps = kSelectingFields,
                                 .orders = true,
                                 .write = write_call,
                                 .create = write_call};

}  // namespace sparsecfg::dialect::gptqmodel
