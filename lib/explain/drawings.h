#pragma once

#include <string>
#include <string_view>

// Small drawings in text of checks that compare epochs.
namespace sparsecfg::explain {

// Returns lines with a scale of epochs and a bar for each that takes part, or an empty string.
[[nodiscard]] std::string drawing_of(std::string_view code);

}  // namespace sparsecfg::explain
