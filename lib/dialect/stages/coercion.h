#pragma once

#include <optional>
#include <string>

#include "dialect/stages/table.h"
#include "source/value.h"

// Conversions that pydantic applies to values of another type than the field's.
namespace sparsecfg::dialect::stages {

// Converts numbers, booleans and strings that contain a number. Returns nullopt for any other value.
[[nodiscard]] std::optional<double> as_real(const source::Value& value);

// Converts booleans, 0 and 1, and the words true, yes, on, t, y and their opposites in any case. Returns nullopt for
// any other value.
[[nodiscard]] std::optional<bool> as_boolean(const source::Value& value);

// Returns true if the value can be converted to one of the types. The value must not be null.
[[nodiscard]] bool fits(const source::Value& value, Accepts accepts);

// Returns the part of `value` that has the wrong type: the first wrong item of a list, or the whole value.
[[nodiscard]] const source::Value& misfit(const source::Value& value, Accepts accepts);

// Returns the types in words, such as "a string or a list of strings".
[[nodiscard]] std::string describe(Accepts accepts);

}  // namespace sparsecfg::dialect::stages
