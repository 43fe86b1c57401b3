#include "dialect/schemes/presets.h"

#include <algorithm>

#include "base/text.h"

namespace sparsecfg::dialect::schemes {

using enum Release;

constexpr QuantizationArgs integers(std::int64_t bits, bool symmetric = true) {
  return {true, false, bits, Strategy::group, 128, Dynamic::no, symmetric};
}

constexpr QuantizationArgs per_token(std::int64_t bits, bool is_float = false) {
  return {true, is_float, bits, Strategy::token, 0, Dynamic::yes, true};
}

constexpr QuantizationArgs floats(std::int64_t bits, Strategy strategy, std::int64_t group_size = 0,
                                  Dynamic dynamic = Dynamic::no) {
  return {true, true, bits, strategy, group_size, dynamic, true};
}

constexpr QuantizationArgs kInt8Channel{true, false, 8, Strategy::channel, 0, Dynamic::no, true};

// clang-format off
constexpr Preset kPresets[] = {
    {"FP8", v0_1, floats(8, Strategy::tensor), floats(8, Strategy::tensor), "float8 weights and inputs, each with one static scale."},
    {"FP8_BLOCK", v0_7, floats(8, Strategy::block), floats(8, Strategy::group, 128, Dynamic::yes),
     "float8 weights in blocks of 128 x 128, inputs in dynamic groups of 128."},
    {"FP8_DYNAMIC", v0_1, floats(8, Strategy::channel), per_token(8, true), "float8 weights per channel, inputs per token."},
    {"INT8", v0_3, kInt8Channel, per_token(8), "The same as W8A8."},
    {"MXFP4", v0_9, floats(4, Strategy::group, 32), floats(4, Strategy::group, 32, Dynamic::yes), "float4 weights and inputs in groups of 32."},
    {"MXFP4A16", v0_9, floats(4, Strategy::group, 32), {}, "float4 weights in groups of 32."},
    {"MXFP8", v0_11, floats(8, Strategy::group, 32), floats(8, Strategy::group, 32, Dynamic::yes), "float8 weights and inputs in groups of 32."},
    {"MXFP8A16", v0_11, floats(8, Strategy::group, 32), {}, "float8 weights in groups of 32."},
    {"NVFP4", v0_5_2, floats(4, Strategy::tensor_group, 16), floats(4, Strategy::tensor_group, 16, Dynamic::local),
     "float4 weights and inputs in groups of 16, plus a tensor scale that requires data."},
    {"NVFP4A16", v0_5_2, floats(4, Strategy::tensor_group, 16), {}, "float4 weights in groups of 16."},
    {"UNQUANTIZED", v0_1, {}, {}, "Nothing is quantized."},
    {"W2A16", v0_13, integers(2), {}, "int2 weights in groups of 128."},
    {"W2A4", v0_13, integers(2), per_token(4), "int2 weights in groups of 128, int4 inputs per token."},
    {"W2A8", v0_13, integers(2), per_token(8), "int2 weights in groups of 128, int8 inputs per token."},
    {"W3A16", v0_13, integers(3), {}, "int3 weights in groups of 128."},
    {"W3A4", v0_13, integers(3), per_token(4), "int3 weights in groups of 128, int4 inputs per token."},
    {"W3A8", v0_13, integers(3), per_token(8), "int3 weights in groups of 128, int8 inputs per token."},
    {"W4A16", v0_1, integers(4), {}, "int4 weights in groups of 128."},
    {"W4A16_ASYM", v0_5_1, integers(4, false), {}, "int4 weights in groups of 128, with zero points."},
    {"W4A4", v0_13, integers(4), per_token(4), "int4 weights in groups of 128, int4 inputs per token."},
    {"W4A8", v0_1, integers(4), per_token(8), "int4 weights in groups of 128, int8 inputs per token."},
    {"W4AFP8", v0_10, integers(4), per_token(8, true), "int4 weights in groups of 128, float8 inputs per token."},
    {"W5A16", v0_13, integers(5), {}, "int5 weights in groups of 128."},
    {"W5A8", v0_13, integers(5), per_token(8), "int5 weights in groups of 128, int8 inputs per token."},
    {"W6A16", v0_13, integers(6), {}, "int6 weights in groups of 128."},
    {"W6A8", v0_13, integers(6), per_token(8), "int6 weights in groups of 128, int8 inputs per token."},
    {"W7A16", v0_13, integers(7), {}, "int7 weights in groups of 128."},
    {"W7A8", v0_13, integers(7), per_token(8), "int7 weights in groups of 128, int8 inputs per token."},
    {"W8A16", v0_1, integers(8), {}, "int8 weights in groups of 128; per channel before 0.11."},
    {"W8A8", v0_1, kInt8Channel, per_token(8), "int8 weights per channel, int8 inputs per token."},
};
// clang-format on
static_assert(std::ranges::is_sorted(kPresets, {}, &Preset::name));
static_assert(std::ranges::equal(kPresets, kPresetNames, {}, &Preset::name));

std::span<const Preset> presets() { return kPresets; }

const Preset* find_preset(std::string_view name) {
  const std::string upper = base::to_upper(name);
  const auto* found = std::ranges::find(kPresets, upper, &Preset::name);
  return found == std::end(kPresets) ? nullptr : found;
}

bool was_per_channel(std::string_view preset, Release release) {
  return base::to_upper(preset) == "W8A16" && !is_at_least(release, v0_11);
}

constexpr std::string_view kStrategyNames[] = {"none",  "tensor", "channel",      "group",
                                               "block", "token",  "tensor_group", "attn_head"};

std::string_view to_string(Strategy strategy) { return kStrategyNames[static_cast<std::size_t>(strategy)]; }

Strategy strategy_of(std::string_view name) {
  const std::string lower = base::to_lower(name);
  const auto* found = std::ranges::find(kStrategyNames, lower);
  return found == std::end(kStrategyNames) ? Strategy::none : static_cast<Strategy>(found - kStrategyNames);
}

}  // namespace sparsecfg::dialect::schemes
