#pragma once

#include <string_view>

namespace sparsecfg::dialect::stages {

// An algorithm that more than one dialect of stages applies: its key in `ir::Method`, and its title in output.
struct Algorithm {
  std::string_view name;
  std::string_view title;
};

inline constexpr Algorithm kRoundToNearest{"rtn", "round to nearest"};
inline constexpr Algorithm kGptq{"gptq", "GPTQ"};
inline constexpr Algorithm kSparseGpt{"sparsegpt", "SparseGPT"};
inline constexpr Algorithm kWanda{"wanda", "Wanda"};
inline constexpr Algorithm kSmoothQuant{"smoothquant", "SmoothQuant"};
inline constexpr Algorithm kLogEqualization{"log_equalization", "log equalization"};

// Returns the algorithm of a modifier that moves scales between layers.
[[nodiscard]] constexpr Algorithm smoothing_of(std::string_view modifier_class) {
  return modifier_class.starts_with("Log") ? kLogEqualization : kSmoothQuant;
}

}  // namespace sparsecfg::dialect::stages
