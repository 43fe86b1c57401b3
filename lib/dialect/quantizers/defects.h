#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "dialect/options.h"

// Defects of a program that only some of its releases have.
namespace sparsecfg::dialect::quantizers {

// A rule that reports a defect. Releases are names of the option that selects one; those have the newest release first.
struct Defect {
  std::string_view rule;     // its code
  std::string_view since;    // the first release with the defect
  std::string_view until{};  // the first release without it; empty: the newest one has it
};

// Returns true if the release of the options has the defect. A rule without a row holds for all releases.
[[nodiscard]] bool has_defect(std::span<const Defect> rows, std::string_view rule, const ReaderOption& option,
                              const ReadOptions& options);

// Returns true if the release of the options is `first` or newer.
[[nodiscard]] bool is_at_least(std::string_view first, const ReaderOption& option, const ReadOptions& options);

}  // namespace sparsecfg::dialect::quantizers
