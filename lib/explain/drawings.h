#pragma once

#include <string>
#include <string_view>

// ASCII drawings for rules that compare epochs.
namespace sparsecfg::explain {

// Returns a scale of epochs with one bar per line, or an empty string for a rule without a drawing.
[[nodiscard]] std::string drawing_of(std::string_view code);

}  // namespace sparsecfg::explain
