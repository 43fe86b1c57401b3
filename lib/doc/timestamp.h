#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sparsecfg::doc {

// A key that two dates or times share if Python's datetime objects for them are equal; nothing
// where PyYAML can't make one of the text, as of 2024-13-45.
[[nodiscard]] std::optional<std::string> timestamp_identity(std::string_view text);

}  // namespace sparsecfg::doc
