#pragma once

#include <string>
#include <string_view>

#include "diag/catalog.h"

// Short facts about a rule, shared by its page and by the list of rules.
namespace sparsecfg::explain {

// Returns a catalog text with "..." in place of each argument.
[[nodiscard]] std::string without_arguments(std::string_view text);

// Returns the message, or the first sentence of the explanation if the message consists mainly of arguments.
[[nodiscard]] std::string summary_of(const diag::Info& info);

// Returns "safe", "unsafe", "safe or unsafe" or "none".
[[nodiscard]] std::string_view autofix_of(std::string_view code);

}  // namespace sparsecfg::explain
