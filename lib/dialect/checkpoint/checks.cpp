#include "dialect/checkpoint/checks.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "dialect/checkpoint/lists.h"
#include "dialect/checkpoint/values.h"
#include "dialect/quantizers/runtime.h"
#include "emit/literal.h"

namespace sparsecfg::dialect::checkpoint::checks {

static bool is_list_or_null(const Value* value) {
  return value == nullptr || value->is_null() || value->get<source::List>() != nullptr;
}

static bool is_null_or(const Value* value, auto accepts) {
  return value == nullptr || value->is_null() || accepts(*value);
}

static bool is_positive_pair(const Value& value) {
  const auto* list = value.get<source::List>();
  return list != nullptr && list->size() == 2 &&
         std::ranges::all_of(*list, [](const Value& side) { return number_of(&side).value_or(0) > 0; });
}

static bool is_bool(const Value* value) { return value == nullptr || value->get<bool>() != nullptr; }

static bool is_whole(const Value* value) {
  return value == nullptr || value->get<bool>() != nullptr || value->get<std::int64_t>() != nullptr;
}

// --- transformers -----------------------------------------------------------------------------------

static constexpr ValueCheck kAwqRows[] = {
    {"version", "`gemm`, `gemv`, `gemv_fast` or `llm-awq`",
     [](const Value& q) {
       return is_one_of_lower(q.find("version"), {"gemm", "gemv", "gemv_fast", "llm-awq"});
     }},
    {"backend", "`auto`, or omit it",
     [](const Value& q) {
       return is_one_of(q.find("backend"),
                        {"auto", "auto_trainable", "autoawq", "machete", "marlin", "exllama_v1", "exllama_v2", "gemm",
                         "gemm_triton", "gemv", "gemv_fast", "torch_awq", "torch_fused_awq"});
     }},
};

static bool is_float_type(const Value& value) {
  return is_one_of(&value, {"half", "float", "double", "bfloat16", "float16", "float32", "float64"});
}

static bool is_storage_type(const Value& value) {
  return is_one_of(&value, {"float16", "float32", "int8", "uint8", "float64", "bfloat16"});
}

static constexpr ValueCheck kBitsandbytesRows[] = {
    {kEightBits, "only one of `load_in_4bit` and `load_in_8bit`",
     [](const Value& q) { return !is_set(q, kFourBits) || !is_set(q, kEightBits); }},
    {kFourBits, "`true` or `false`", [](const Value& q) { return is_bool(q.find(kFourBits)); }},
    {kEightBits, "`true` or `false`", [](const Value& q) { return is_bool(q.find(kEightBits)); }},
    {"llm_int8_threshold", "a float such as `6.0`",
     [](const Value& q) {
       const Value* value = q.find("llm_int8_threshold");
       return value == nullptr || value->get<double>() != nullptr;
     }},
    {"llm_int8_skip_modules", "a list of names",
     [](const Value& q) { return is_list_or_null(q.find("llm_int8_skip_modules")); }},
    {"bnb_4bit_compute_dtype", "a name of a torch type such as `bfloat16`",
     [](const Value& q) { return is_null_or(q.find("bnb_4bit_compute_dtype"), is_float_type); }},
    {"bnb_4bit_quant_storage", "`uint8`, or a name of a torch type such as `bfloat16`",
     [](const Value& q) { return is_null_or(q.find("bnb_4bit_quant_storage"), is_storage_type); }},
};

static constexpr ValueCheck kFp8Rows[] = {
    {"activation_scheme", "`dynamic` or `static`",
     [](const Value& q) {
       return is_one_of_lower(q.find("activation_scheme"), {"dynamic", "static"});
     }},
    {"weight_block_size", "two positive numbers such as `[128, 128]`, or `null`",
     [](const Value& q) { return is_null_or(q.find("weight_block_size"), is_positive_pair); }},
    {"scale_fmt", "`float` or `ue8m0`",
     [](const Value& q) {
       return is_one_of(q.find("scale_fmt"), {"float", "ue8m0"});
     }},
};

static bool is_list_of_lists(const Value& value) {
  const auto* list = value.get<source::List>();
  return list != nullptr &&
         std::ranges::all_of(*list, [](const Value& each) { return each.get<source::List>() != nullptr; });
}

// Returns the names in a flat list of layers as a list of groups.
static std::optional<Correction> grouped_layers(const Value& value) {
  const auto* list = value.get<source::List>();
  std::vector<std::string> names;
  for (std::size_t at = 0; list != nullptr && at < list->size(); ++at) {
    const auto* name = (*list)[at].get<std::string>();
    if (name == nullptr) return std::nullopt;
    names.push_back(*name);
  }
  if (names.empty()) return std::nullopt;
  return Correction{"a flat list, but a list of lists is expected", list_of_groups(emit::Syntax::python, names)};
}

static bool is_damping(const Value* value) {
  const auto number = number_of(value, 0.1);
  return number && *number > 0 && *number < 1;
}

static bool is_data_set(const Value& value) {
  return value.get<source::List>() != nullptr || is_one_of(&value, {"wikitext2", "c4", "c4-new"});
}

static constexpr ValueCheck kGptqRows[] = {
    {"bits", "2, 3, 4 or 8",
     [](const Value& q) {
       return number_of(q.find("bits")).has_value() && is_number_in(q.find("bits"), {2, 3, 4, 8});
     }},
    {"group_size", "a positive number, or -1",
     [](const Value& q) {
       const auto size = number_of(q.find("group_size"), 128);
       return size && (*size > 0 || *size == -1);
     }},
    {"damp_percent", "a number between 0 and 1", [](const Value& q) { return is_damping(q.find("damp_percent")); }},
    {"dataset", "`wikitext2`, `c4`, `c4-new` or a list of texts",
     [](const Value& q) { return is_null_or(q.find("dataset"), is_data_set); }},
    {"modules_in_block_to_quantize", "a list of lists such as `[[\"self_attn.q_proj\"]]`",
     [](const Value& q) {
       return !is_set(q, "modules_in_block_to_quantize") || is_list_of_lists(*q.find("modules_in_block_to_quantize"));
     },
     grouped_layers},
};

static constexpr ValueCheck kHqqRows[] = {
    {"quant_config", "a mapping; it is required", [](const Value& q) { return q.find("quant_config") != nullptr; }},
    {"skip_modules", "a list of tags; it is required",
     [](const Value& q) { return q.find("skip_modules") != nullptr; }},
};

static constexpr ValueCheck kAqlmRows[] = {
    {"in_group_size", "a whole number", [](const Value& q) { return is_whole(q.find("in_group_size")); }},
    {"out_group_size", "a whole number", [](const Value& q) { return is_whole(q.find("out_group_size")); }},
    {"num_codebooks", "a whole number", [](const Value& q) { return is_whole(q.find("num_codebooks")); }},
    {"nbits_per_codebook", "a whole number", [](const Value& q) { return is_whole(q.find("nbits_per_codebook")); }},
};

static constexpr ValueCheck kSpqrRows[] = {
    {"bits", "3", [](const Value& q) { return is_number_in(q.find("bits"), {3}); }},
    {"shapes", "the shapes of the stored tensors", [](const Value& q) { return is_set(q, "shapes"); }},
};

static constexpr ValueCheck kVptqRows[] = {
    {"config_for_layers", "the settings of each layer, or add `shared_layer_config`",
     [](const Value& q) { return is_set(q, "config_for_layers") || is_set(q, "shared_layer_config"); }},
};

static constexpr ValueCheck kEetqRows[] = {
    {"weights", "`int8`", [](const Value& q) { return is_one_of(q.find("weights"), {"int8"}); }},
};

static bool divides_hadamard(const Value& q) {
  const auto size = number_of(q.find("hadamard_size"), 512);
  const auto group = number_of(q.find("group_size"), 256);
  return size && group && *group != 0 && std::fmod(*size, *group) == 0;
}

static constexpr ValueCheck kHiggsRows[] = {
    {"bits", "2, 3 or 4",
     [](const Value& q) {
       return is_number_in(q.find("bits"), {2, 3, 4});
     }},
    {"group_size", "64, 128 or 256",
     [](const Value& q) {
       return is_number_in(q.find("group_size"), {64, 128, 256});
     }},
    {"hadamard_size", "a multiple of `group_size`", divides_hadamard},
};

static constexpr ValueCheck kQuantoRows[] = {
    {"weights", "`float8`, `int8`, `int4` or `int2`",
     [](const Value& q) {
       return is_one_of(q.find("weights"), {"float8", "int8", "int4", "int2"});
     }},
};

static constexpr ValueCheck kBitnetRows[] = {
    {"linear_class", "`bitlinear` or `autobitlinear`",
     [](const Value& q) {
       return is_one_of(q.find("linear_class"), {"bitlinear", "autobitlinear"});
     }},
    {"quantization_mode", "`online` or `offline`",
     [](const Value& q) {
       return is_one_of(q.find("quantization_mode"), {"online", "offline"});
     }},
};

static constexpr ValueCheck kMetalRows[] = {
    {"bits", "2, 4 or 8",
     [](const Value& q) {
       return is_number_in(q.find("bits"), {2, 4, 8});
     }},
};

constexpr std::span<const ValueCheck> kTransformersAwq = kAwqRows;
constexpr std::span<const ValueCheck> kTransformersBitsandbytes = kBitsandbytesRows;
constexpr std::span<const ValueCheck> kTransformersFp8 = kFp8Rows;
constexpr std::span<const ValueCheck> kTransformersGptq = kGptqRows;
constexpr std::span<const ValueCheck> kTransformersHqq = kHqqRows;
constexpr std::span<const ValueCheck> kTransformersAqlm = kAqlmRows;
constexpr std::span<const ValueCheck> kTransformersSpqr = kSpqrRows;
constexpr std::span<const ValueCheck> kTransformersVptq = kVptqRows;
constexpr std::span<const ValueCheck> kTransformersEetq = kEetqRows;
constexpr std::span<const ValueCheck> kTransformersHiggs = kHiggsRows;
constexpr std::span<const ValueCheck> kTransformersQuanto = kQuantoRows;
constexpr std::span<const ValueCheck> kTransformersBitnet = kBitnetRows;
constexpr std::span<const ValueCheck> kTransformersMetal = kMetalRows;

// --- vLLM -------------------------------------------------------------------------------------------

static constexpr ValueCheck kVllmFp8Rows[] = {
    {"activation_scheme", "`dynamic` or `static`",
     [](const Value& q) {
       return q.find("activation_scheme") != nullptr && is_one_of(q.find("activation_scheme"), {"dynamic", "static"});
     }},
    {"activation_scheme", "`dynamic`, because the weights have blocks",
     [](const Value& q) {
       return q.given("weight_block_size") == nullptr || text_of(q.find("activation_scheme")) == "dynamic";
     }},
    {"weight_block_size", "two numbers such as `[128, 128]`",
     [](const Value& q) {
       return is_null_or(q.find("weight_block_size"), [](const Value& size) {
         const auto* list = size.get<source::List>();
         return list != nullptr && list->size() == 2;
       });
     }},
};

static bool is_four_bits(const Value& q) {
  const Value* bits = first_of(q, {"w_bit", "bits"});
  return bits != nullptr && number_of(bits) == 4.0;
}

static constexpr ValueCheck kVllmAwqRows[] = {
    {"bits", "4", is_four_bits},
    {"zero_point", "`true` or `false`; it is required", [](const Value& q) { return q.find("zero_point") != nullptr; }},
    {"group_size", "a number; it is required",
     [](const Value& q) {
       return first_of(q, {"group_size", "q_group_size"}) != nullptr;
     }},
};

static bool has_gptq_keys(const Value& q) {
  return q.find("bits") != nullptr && q.find("group_size") != nullptr && q.find("desc_act") != nullptr &&
         q.find("sym") != nullptr;
}

static bool has_gptq_bits(const Value& q) {
  const auto bits = number_of(q.find("bits"));
  return bits && *bits == std::floor(*bits) && quantizers::vllm_loads_gptq(static_cast<std::int64_t>(*bits), true);
}

static bool is_symmetric(const Value& q) {
  const Value* symmetric = q.find("sym");
  return symmetric != nullptr && symmetric->number() == 1.0;
}

static constexpr ValueCheck kVllmGptqRows[] = {
    {"desc_act", "`true` or `false`; vLLM requires `bits`, `group_size`, `sym` and `desc_act`", has_gptq_keys},
    {"bits", "4 or 8", has_gptq_bits},
    {"sym", "`true`", is_symmetric},
};

static constexpr ValueCheck kVllmBitsandbytesRows[] = {
    {"bnb_4bit_quant_storage", "`uint8`",
     [](const Value& q) {
       return is_one_of(q.find("bnb_4bit_quant_storage"), {"uint8", ""});
     }},
};

static bool knows_cache_groups(const Value& q) {
  const Value* exported = q.given("export");
  const Value* groups = exported == nullptr ? nullptr : exported->given("kv_cache_group");
  const auto* names = groups == nullptr ? nullptr : groups->get<source::List>();
  const Value* layers = q.given("layer_quant_config");
  return names == nullptr || std::ranges::all_of(*names, [&](const Value& name) {
           const auto text = text_of(&name);
           return text && layers != nullptr && layers->find(*text) != nullptr;
         });
}

static constexpr ValueCheck kVllmQuarkRows[] = {
    {"export", "a mapping; it is required", [](const Value& q) { return q.find("export") != nullptr; }},
    {"exclude", "a list; it is required", [](const Value& q) { return q.given("exclude") != nullptr; }},
    {"export", "keys of `layer_quant_config` in its `kv_cache_group`", knows_cache_groups},
};

constexpr std::span<const ValueCheck> kVllmFp8 = kVllmFp8Rows;
constexpr std::span<const ValueCheck> kVllmAwq = kVllmAwqRows;
constexpr std::span<const ValueCheck> kVllmGptq = kVllmGptqRows;
constexpr std::span<const ValueCheck> kVllmBitsandbytes = kVllmBitsandbytesRows;
constexpr std::span<const ValueCheck> kVllmQuark = kVllmQuarkRows;

// --- SGLang -----------------------------------------------------------------------------------------

static constexpr ValueCheck kSglangGptqRows[] = {
    {"bits", "2, 3, 4 or 8",
     [](const Value& q) {
       return number_of(q.find("bits")).has_value() && is_number_in(q.find("bits"), {2, 3, 4, 8});
     }},
};

static constexpr ValueCheck kSglangQuarkRows[] = {
    {"export", "a mapping; it is required", [](const Value& q) { return q.given("export") != nullptr; }},
    {"exclude", "a list; it is required", [](const Value& q) { return q.given("exclude") != nullptr; }},
};

constexpr std::span<const ValueCheck> kSglangAwq = std::span(kVllmAwqRows).first(2);
constexpr std::span<const ValueCheck> kSglangGptq = kSglangGptqRows;
constexpr std::span<const ValueCheck> kSglangQuark = kSglangQuarkRows;

}  // namespace sparsecfg::dialect::checkpoint::checks
