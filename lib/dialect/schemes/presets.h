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
struct Numbers {
  bool present = false;
  bool is_float = false;
  std::int64_t bits = 8;
  Strategy strategy = Strategy::none;
  std::int64_t group_size = 0;  // for groups
  Dynamic dynamic = Dynamic::no;
  bool symmetric = true;

  friend bool operator==(const Numbers&, const Numbers&) = default;
};

struct Preset {
  std::string_view name;  // upper case
  Release since;
  Numbers weights;
  Numbers inputs;
  std::string_view doc;
};

// Returns all presets, sorted by name.
[[nodiscard]] std::span<const Preset> presets();
// Returns the preset with a name (case-insensitive), or null.
[[nodiscard]] const Preset* find_preset(std::string_view name);

[[nodiscard]] std::string_view to_string(Strategy strategy);
// Returns the strategy with a name (case-insensitive), or Strategy::none.
[[nodiscard]] Strategy strategy_of(std::string_view name);

}  // namespace sparsecfg::dialect::schemes
