#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "script/value.h"

// How Python prints values.
namespace sparsecfg::script {

// Returns Python's repr() or str(); nullopt if the value is unknown.
[[nodiscard]] std::optional<std::string> repr_of(const Value& value);
[[nodiscard]] std::optional<std::string> str_of(const Value& value);

// Returns Python's format(value, spec); nullopt if it is unknown.
[[nodiscard]] std::optional<std::string> format_of(const Value& value, std::string_view spec);

// Returns the text of `json.dumps`, with `indent` spaces for each level, or on one line if it is negative.
[[nodiscard]] std::optional<std::string> json_of(const Value& value, int indent);

}  // namespace sparsecfg::script
