#include "dialect/compressed_tensors/config.h"
#include "dialect/schemes/records.h"

namespace sparsecfg::dialect::compressed_tensors {

// One line per field if possible.
// clang-format off
using enum Type;
using schemes::kQuantizationArgs;
using schemes::kQuantizationScheme;
using schemes::kTransformConfig;

constexpr std::string_view kStatuses[] = {"initialized", "calibration", "frozen", "compressed", "decompressed"};

const FieldSpec kConfigFields[] = {
    {.name = "config_groups", .type = named_records, .required = true, .record = &kQuantizationScheme,
     .doc = "Groups by name, each with targets and the quantization of weights and activations."},
    {.name = "ignore", .type = texts, .default_value = "[]", .nullable = true,
     .doc = "Names, `re:` patterns or classes of modules that are not quantized."},
    {.name = "kv_cache_scheme", .type = record, .default_value = "null", .record = &kQuantizationArgs, .nullable = true,
     .doc = "Quantization of the keys and values in the attention cache."},
    {.name = "format", .type = text, .default_value = "fakequant", .suggested = schemes::kFormats,
     .doc = "Storage format of groups without a format. Runtimes require it. The library infers it."},
    {.name = "quant_method", .type = text, .default_value = "compressed-tensors", .doc = "Name of the reader in transformers."},
    {.name = "quantization_status", .type = choice, .default_value = "initialized", .choices = kStatuses,
     .doc = "State of the weights. In files of saved models, the value is `compressed`."},
    {.name = "global_compression_ratio", .type = real, .default_value = "null", .nullable = true, .doc = "Size before / size after; for readers only."},
    {.name = "run_compressed", .default_value = "null", .nullable = true, .no_effect = "compressed-tensors ignores it", .doc = "Keep weights compressed after loading."},
    {.name = "version", .default_value = "null", .nullable = true, .no_effect = "compressed-tensors ignores it", .doc = "Release of compressed-tensors that wrote the file."},
    {.name = "sparsity_config", .default_value = "{}", .nullable = true, .no_effect = "compressed-tensors ignores it", .doc = "Sparsity of older releases; vLLM rejects it."},
    {.name = "transform_config", .type = record, .default_value = "{}", .record = &kTransformConfig, .nullable = true, .doc = "Rotations that are applied to the model."},
};
const ClassSpec kConfig{.name = "QuantizationConfig", .fields = kConfigFields,
                        .doc = "The key `quantization_config` of a `config.json`.", .open = true};

// clang-format on

const ClassSpec& config_table() { return kConfig; }

}  // namespace sparsecfg::dialect::compressed_tensors
