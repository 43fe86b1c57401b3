#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "dialect/schemes/release.h"

// The preset schemes of compressed-tensors.
namespace sparsecfg::dialect::schemes {

enum class Strategy : std::uint8_t { none, tensor, channel, group, block, token, tensor_group, attn_head };
enum class Dynamic : std::uint8_t { no, yes, local };

// Quantization of one tensor.
struct QuantizationArgs {
  bool present = false;
  bool is_float = false;
  std::int64_t bits = 8;
  Strategy strategy = Strategy::none;
  std::int64_t group_size = 0;  // for groups
  Dynamic dynamic = Dynamic::no;
  bool symmetric = true;

  friend bool operator==(const QuantizationArgs&, const QuantizationArgs&) = default;
};

struct Preset {
  std::string_view name;  // upper case
  Release since;
  QuantizationArgs weights;
  QuantizationArgs inputs;
  std::string_view doc;
};

// Names of the presets for the tables of fields, in the order of presets().
inline constexpr std::string_view kPresetNames[] = {
    "FP8",   "FP8_BLOCK", "FP8_DYNAMIC", "INT8",  "MXFP4", "MXFP4A16", "MXFP8", "MXFP8A16",
    "NVFP4", "NVFP4A16",  "UNQUANTIZED", "W2A16", "W2A4",  "W2A8",     "W3A16", "W3A4",
    "W3A8",  "W4A16",     "W4A16_ASYM",  "W4A4",  "W4A8",  "W4AFP8",   "W5A16", "W5A8",
    "W6A16", "W6A8",      "W7A16",       "W7A8",  "W8A16", "W8A8"};

// Returns all presets, sorted by name.
[[nodiscard]] std::span<const Preset> presets();
// Returns the preset with a name (case-insensitive), or null.
[[nodiscard]] const Preset* find_preset(std::string_view name);

// Returns true for W8A16 before release 0.11, when it had a scale per channel instead of groups of 128.
[[nodiscard]] bool was_per_channel(std::string_view preset, Release release);

[[nodiscard]] std::string_view to_string(Strategy strategy);
// Returns the strategy with a name (case-insensitive), or Strategy::none.
[[nodiscard]] Strategy strategy_of(std::string_view name);

}  // namespace sparsecfg::dialect::schemes
