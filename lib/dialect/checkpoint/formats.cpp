#include "dialect/checkpoint/formats.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "dialect/checkpoint/values.h"

namespace sparsecfg::dialect::checkpoint::formats {

using ir::Granularity;
using ir::NumberType;
using ir::ScaleTime;
using ir::TensorFormat;

static std::int64_t whole_number(const Value* value, std::int64_t fallback) {
  constexpr double kMax = 1e9;
  const auto number = number_of(value, static_cast<double>(fallback));
  return number && *number > -kMax && *number < kMax ? static_cast<std::int64_t>(*number) : fallback;
}

// Groups of -1 or 0 are whole rows.
static void set_group(TensorFormat& format, std::int64_t size) {
  format.granularity = size > 0 ? Granularity::group : Granularity::channel;
  format.group_size = size > 0 ? size : 0;
}

static Scheme weights_only(TensorFormat format) { return ir::Scheme{{std::move(format)}, {}, {}}; }

static TensorFormat float8(Granularity granularity, ScaleTime scales) {
  return {.type = NumberType::floating, .granularity = granularity, .scales = scales};
}

// `bits` and `group`: null for the defaults.
static Scheme awq(const Value& config, const Value* bits, const Value* group) {
  constexpr std::int64_t kGroup = 128;
  TensorFormat format{.bits = whole_number(bits, 4)};
  set_group(format, whole_number(group, kGroup));
  const Value* zero_point = config.find("zero_point");
  format.symmetric = zero_point != nullptr && !is_set(config, "zero_point");
  return weights_only(std::move(format));
}

Scheme of_awq(const Value& config) {
  return awq(config, first_of(config, {"bits", "w_bit"}), first_of(config, {"group_size", "q_group_size"}));
}

Scheme of_awq_in_transformers(const Value& config) {
  return awq(config, config.find("bits"), config.find("group_size"));
}

Scheme of_gptq(const Value& config) {
  constexpr std::int64_t kGroup = 128;
  TensorFormat format{.bits = whole_number(config.find("bits"), 4)};
  set_group(format, whole_number(config.find("group_size"), kGroup));
  format.symmetric = config.find("sym") == nullptr || is_set(config, "sym");
  if (is_set(config, "desc_act")) format.order = "group";
  return weights_only(std::move(format));
}

Scheme of_bitsandbytes(const Value& config) {
  if (is_set(config, kEightBits)) return weights_only({.granularity = Granularity::channel});
  constexpr std::int64_t kBlock = 64;
  TensorFormat format{.type = NumberType::floating, .bits = 4};
  if (text_of(config.find("bnb_4bit_quant_type")) == "nf4") format.type = NumberType::codebook;
  set_group(format, kBlock);
  if (is_set(config, "bnb_4bit_use_double_quant")) format.scale_type = "float8";
  return weights_only(std::move(format));
}

static TensorFormat fp8_inputs(const Value& config, std::int64_t group) {
  const auto scheme = text_of(config.find("activation_scheme"));
  if (scheme == "static") return float8(Granularity::tensor, ScaleTime::fixed);
  TensorFormat out = float8(group > 0 ? Granularity::group : Granularity::token, ScaleTime::dynamic);
  out.group_size = group;
  return out;
}

// `in_blocks`: the default of the program for a config without `weight_block_size`.
static Scheme fp8(const Value& config, bool in_blocks) {
  constexpr std::int64_t kBlock = 128;
  if (is_set(config, "dequantize")) return std::nullopt;
  const Value* size = config.find("weight_block_size");
  const auto* list = size == nullptr ? nullptr : size->get<source::List>();
  TensorFormat weights = float8(Granularity::tensor, ScaleTime::fixed);
  if ((size == nullptr && in_blocks) || (list != nullptr && list->size() == 2)) {
    weights.granularity = Granularity::block;
    const auto side = [&](std::size_t at) { return list == nullptr ? kBlock : whole_number(&(*list)[at], kBlock); };
    weights.block = {side(0), side(1)};
  }
  return ir::Scheme{{weights}, {fp8_inputs(config, weights.block[1])}, {}};
}

Scheme of_fp8(const Value& config) { return fp8(config, true); }

Scheme of_fp8_in_runtimes(const Value& config) { return fp8(config, false); }

Scheme of_fbgemm(const Value& /*config*/) {
  return ir::Scheme{
      {float8(Granularity::channel, ScaleTime::fixed)}, {float8(Granularity::token, ScaleTime::dynamic)}, {}};
}

Scheme of_mxfp4(const Value& config) {
  constexpr std::int64_t kGroup = 32;
  if (is_set(config, "dequantize")) return std::nullopt;
  TensorFormat format{.type = NumberType::floating, .bits = 4};
  set_group(format, kGroup);
  format.scale_type = "e8m0";
  return weights_only(std::move(format));
}

Scheme of_hqq(const Value& group) {
  const Value* weights = group.find("weight_quant_params");
  if (weights == nullptr) return std::nullopt;
  TensorFormat format{.bits = whole_number(weights->find("nbits"), 4), .symmetric = false};
  const Value* size = weights->given("group_size");
  set_group(format, size == nullptr ? 0 : whole_number(size, 0));
  return weights_only(std::move(format));
}

Scheme of_num_bits(const Value& config) {
  TensorFormat format{.bits = whole_number(first_of(config, {"num_bits", "bits"}), 4)};
  format.granularity = std::nullopt;
  return weights_only(std::move(format));
}

Scheme of_bits_in_groups(const Value& config) {
  constexpr std::int64_t kGroup = 64;
  TensorFormat format{.bits = whole_number(config.find("bits"), 4), .symmetric = false};
  set_group(format, whole_number(config.find("group_size"), kGroup));
  return weights_only(std::move(format));
}

Scheme of_weights_name(const Value& config) {
  constexpr std::int64_t kBits = 8;
  const std::string_view name = text_of(config.find("weights")).value_or("int8");
  const bool real = name.starts_with("float");
  const std::string_view digits = name.substr(real ? 5 : name.starts_with("int") ? 3 : name.size());
  TensorFormat format{.type = real ? NumberType::floating : NumberType::integer,
                      .bits = digits.size() == 1 ? digits.front() - '0' : kBits,
                      .granularity = Granularity::channel};
  return weights_only(std::move(format));
}

Scheme int8(const Value& /*config*/) { return weights_only({.granularity = Granularity::channel}); }

Scheme ternary(const Value& /*config*/) {
  constexpr std::int64_t kInputBits = 8;
  TensorFormat inputs{.bits = kInputBits, .granularity = Granularity::token, .scales = ScaleTime::dynamic};
  return ir::Scheme{{{.bits = 2}}, {std::move(inputs)}, {}};
}

static Scheme codebook(std::int64_t bits) {
  TensorFormat format{.type = NumberType::codebook, .bits = bits};
  format.granularity = std::nullopt;
  return weights_only(std::move(format));
}

// Bits of the indices for each weight of a group.
Scheme of_aqlm(const Value& config) {
  constexpr std::int64_t kMaxFactor = 1024;
  const auto number = [&](std::string_view key, std::int64_t fallback) {
    return std::clamp<std::int64_t>(whole_number(config.find(key), fallback), 1, kMaxFactor);
  };
  const std::int64_t bits = number("num_codebooks", 1) * number("nbits_per_codebook", 16);
  return codebook(std::max<std::int64_t>(bits / (number("in_group_size", 8) * number("out_group_size", 1)), 1));
}

Scheme of_spqr(const Value& config) { return codebook(whole_number(config.find("bits"), 3)); }

Scheme of_higgs(const Value& config) { return codebook(whole_number(config.find("bits"), 4)); }

// The bits of VPTQ differ by layer.
Scheme of_vptq(const Value& /*config*/) { return codebook(2); }

// --- Quark ------------------------------------------------------------------------------------------

// A number type of Quark.
struct QuarkType {
  std::string_view name;
  NumberType type;
  std::int64_t bits;
};

constexpr QuarkType kQuarkTypes[] = {
    {"int2", NumberType::integer, 2},      {"int3", NumberType::integer, 3},      {"int4", NumberType::integer, 4},
    {"uint4", NumberType::integer, 4},     {"int8", NumberType::integer, 8},      {"uint8", NumberType::integer, 8},
    {"int16", NumberType::integer, 16},    {"fp4", NumberType::floating, 4},      {"fp6_e2m3", NumberType::floating, 6},
    {"fp6_e3m2", NumberType::floating, 6}, {"fp8_e4m3", NumberType::floating, 8}, {"fp8_e5m2", NumberType::floating, 8},
    {"mx", NumberType::floating, 8},
};

static std::vector<TensorFormat> quark_tensor(const Value* spec) {
  if (spec == nullptr || spec->get<source::Map>() == nullptr) return {};
  TensorFormat format;
  for (const QuarkType& each : kQuarkTypes) {
    if (text_of(spec->find("dtype")) == each.name) format.type = each.type, format.bits = each.bits;
  }
  const auto scheme = text_of(spec->find("qscheme"));
  if (scheme == "per_channel") format.granularity = Granularity::channel;
  if (scheme == "per_group") set_group(format, whole_number(spec->find("group_size"), 0));
  if (is_set(*spec, "is_dynamic")) format.scales = ScaleTime::dynamic;
  format.symmetric = spec->find("symmetric") == nullptr || is_set(*spec, "symmetric");
  return {format};
}

Scheme of_quark(const Value& group) {
  if (group.get<source::Map>() == nullptr) return std::nullopt;
  ir::Scheme out{quark_tensor(group.find("weight")), quark_tensor(group.find("input_tensors")),
                 quark_tensor(group.find("output_tensors"))};
  if (out.is_empty()) return std::nullopt;
  return out;
}

Scheme of_quark_file(const Value& config) {
  const Value* group = config.given("global_quant_config");
  Scheme known = group == nullptr ? std::nullopt : of_quark(*group);
  if (known) return known;
  TensorFormat unknown;
  unknown.symmetric = std::nullopt;
  unknown.granularity = std::nullopt;
  return weights_only(std::move(unknown));
}

static bool is_static_pair(const Value& weight, const Value& inputs) {
  const auto scheme = text_of(weight.find("qscheme"));
  const auto type = text_of(weight.find("dtype"));
  const bool whole = scheme == "per_tensor" || scheme == "per_channel";
  if (!type || type != text_of(inputs.find("dtype")) || is_set(weight, "is_dynamic") || !whole) return false;
  const bool by_tensor = text_of(inputs.find("qscheme")) == "per_tensor";
  if (type == "fp8_e4m3") return is_set(inputs, "is_dynamic") || by_tensor;
  return type == "int8" && !is_set(inputs, "is_dynamic") && by_tensor;
}

bool vllm_supports_quark(const Value& group) {
  const Value* weight = group.find("weight");
  const Value* inputs = group.find("input_tensors");
  if (weight == nullptr || weight->get<source::Map>() == nullptr) return false;
  const auto type = text_of(weight->find("dtype"));
  if (type == "fp4" || type == "fp6_e2m3" || type == "fp6_e3m2" || type == "mx") {
    return text_of(weight->find("qscheme")) == "per_group";
  }
  return inputs != nullptr && inputs->get<source::Map>() != nullptr && is_static_pair(*weight, *inputs);
}

}  // namespace sparsecfg::dialect::checkpoint::formats
