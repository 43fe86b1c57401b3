#pragma once

#include <optional>
#include <string_view>

#include "regex/scanner.h"
#include "regex/width.h"

namespace sparsecfg::regex {

// How often the item before `token` is repeated, where `token` is `*`, `+`, `?` or `{` and already
// taken; nothing where a brace stands for itself. Counts that are refused go to the scanner.
[[nodiscard]] std::optional<Width> read_count(Scanner& scanner, std::string_view token);

}  // namespace sparsecfg::regex
