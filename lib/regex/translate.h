#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "regex/pattern.h"

namespace sparsecfg::regex {

// Rewrites a pattern of Python's `re` (3.11, text patterns) for PCRE2, with UTF and UCP on, such
// that it means there what it means to Python. Groups keep their numbers and lose their names.
// Refuses what Python's re.compile refuses, and what no selector needs: more than 16 KiB, groups
// nested over 100 deep, repeats beyond 65535, characters by name.
[[nodiscard]] std::variant<std::string, SyntaxError> translate(std::string_view python_pattern);

}  // namespace sparsecfg::regex
