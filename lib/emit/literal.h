#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sparsecfg::emit {

// A language into which names of models, files and folders are written.
enum class Syntax : std::uint8_t { yaml, python, json, shell };

// Returns a literal of one line that a reader of the language reads back as `name`, whatever the name contains. It is
// valid as an item of a list, as a value, and as an argument. Control characters and invisible characters become
// escapes; bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string literal(Syntax syntax, std::string_view name);

}  // namespace sparsecfg::emit
