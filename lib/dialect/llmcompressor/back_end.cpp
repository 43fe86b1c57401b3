#include <algorithm>

#include "dialect/back_ends.h"
#include "dialect/llmcompressor/draft.h"
#include "dialect/llmcompressor/write.h"
#include "dialect/schemes/emit.h"

// Writes the outcome of a recipe of another system as one modifier with groups.
namespace sparsecfg::dialect::llmcompressor {

constexpr MethodRow kMethods[] = {{"rtn", "rtn"}, {"gptq", "gptq"}, {"autoround", "autoround"}};

constexpr SettingRow kSettings[] = {{"dampening_frac", "dampening", "0.01", "gptq"},
                                    {"iters", "iters", "200", "autoround"},
                                    {"block_size", "", "128", "gptq"}};

// Also the fields of schemes and their arguments.
constexpr std::string_view kKnownFields[] = {"targets",
                                             "ignore",
                                             "scheme",
                                             "config_groups",
                                             "kv_cache_scheme",
                                             "weight_observer",
                                             "observer",
                                             "input_observer",
                                             "output_observer",
                                             "actorder",
                                             "start",
                                             "end",
                                             "index",
                                             "update",
                                             "requires_calibration_data",
                                             "offload_hessians",
                                             "weights",
                                             "input_activations",
                                             "output_activations",
                                             "num_bits",
                                             "type",
                                             "symmetric",
                                             "strategy",
                                             "group_size",
                                             "block_structure",
                                             "dynamic",
                                             "scale_dtype",
                                             "zp_dtype",
                                             "format",
                                             "bypass_divisibility_checks"};

constexpr std::string_view kSelectingFields[] = {"config_groups", "scheme"};

static std::string_view modifier_of(std::string_view method) {
  return method == "gptq" ? "GPTQModifier" : method == "autoround" ? "AutoRoundModifier" : "QuantizationModifier";
}

static source::Value setting_value(const std::string& text) {
  auto read = source::read_json(text);
  auto* value = std::get_if<std::optional<source::Value>>(&read);
  return value == nullptr || !*value ? text_value(text) : **value;
}

static std::string write_groups(const GroupedOutcome& outcome) {
  schemes::WrittenGroups written = schemes::written_groups(outcome);
  Draft draft{std::string(modifier_of(outcome.method))};
  draft.set("config_groups", {std::move(written.groups), {}});
  const bool unordered = std::ranges::any_of(
      outcome.groups, [](const ModuleGroup& group) { return group.scheme.weights.front().order.empty(); });
  if (outcome.method == "gptq" && unordered) draft.set("actorder", {});  // the default orders columns
  if (!written.ignored.empty()) draft.set("ignore", {std::move(written.ignored), {}});
  if (!written.cache.is_null()) draft.set("kv_cache_scheme", std::move(written.cache));
  for (const ir::MethodSetting& setting : outcome.settings) draft.set(setting.name, setting_value(setting.value));
  return print({std::move(draft)});
}

constinit const BackEnd kBackEnd{.file = "converted.yaml",
                                 .methods = kMethods,
                                 .settings = kSettings,
                                 .known_fields = kKnownFields,
                                 .maps = kSelectingFields,
                                 .cache = schemes::kCacheFormat,
                                 .orders = true,
                                 .write = write_groups};

}  // namespace sparsecfg::dialect::llmcompressor
