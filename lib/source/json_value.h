#pragma once

#include <optional>
#include <string_view>
#include <variant>

#include "source/load.h"
#include "source/value.h"

namespace sparsecfg::source {

// An integer of any size from its decimal digits, with `-` before them if it is negative.
[[nodiscard]] Value::Data integer_of(std::string_view digits);

// Returns the value of a JSON text, nullopt if it is not JSON, or why it is not read: nested more than 128 levels deep.
[[nodiscard]] std::variant<std::optional<Value>, LoadError> read_json(std::string_view text);

}  // namespace sparsecfg::source
