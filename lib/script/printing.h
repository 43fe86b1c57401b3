#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/budget.h"
#include "script/value.h"

// How Python prints values. Each value and byte is charged.
namespace sparsecfg::script {

// Returns Python's repr() or str(); nullopt if the value is unknown or too long.
[[nodiscard]] std::optional<std::string> repr_of(const Value& value, base::Budget& budget);
[[nodiscard]] std::optional<std::string> str_of(const Value& value, base::Budget& budget);

// Returns Python's format(value, spec); nullopt if it is unknown.
[[nodiscard]] std::optional<std::string> format_of(const Value& value, std::string_view spec, base::Budget& budget);

// Returns the text of `json.dumps`, with `indent` spaces for each level, or on one line if it is negative.
[[nodiscard]] std::optional<std::string> json_of(const Value& value, int indent, base::Budget& budget);

}  // namespace sparsecfg::script
