#pragma once

#include <cstdint>
#include <string_view>

#include "dialect/options.h"

// Options of the reader of ai8x-training policies.
namespace sparsecfg::dialect::ai8x {

// Releases that read QAT policies differently, newest first. QATv2 came in 2025.
enum class Release : std::uint8_t { y2025, y2024 };

inline constexpr std::string_view kReleaseNames[] = {"2025", "2024"};

inline constexpr ReaderOption kReaderOptions[] = {
    {"ai8x", "Year of the ai8x-training release that reads a QAT policy", kReleaseNames},
    {"nas-levels", "Levels of the network for kernel, depth and width in a NAS policy, such as 1,2,2", {}},
};

[[nodiscard]] inline Release release_of(const ReadOptions& options) {
  return static_cast<Release>(options.choice(kReaderOptions[0]));
}

}  // namespace sparsecfg::dialect::ai8x
