#pragma once

#include <optional>
#include <string>

#include "dialect/record/spec.h"
#include "source/value.h"

// Tests of values against the types of a field, and conversions of values of another type.
namespace sparsecfg::dialect {

// Converts numbers, booleans and strings that contain a number. Returns nullopt for any other value.
[[nodiscard]] std::optional<double> as_real(const source::Value& value);

// Converts booleans, 0 and 1, and the words true, yes, on, t, y and their opposites in any case. Returns nullopt for
// any other value.
[[nodiscard]] std::optional<bool> as_boolean(const source::Value& value);

// Returns true if the value can be converted to one of the types. The value must not be null.
[[nodiscard]] bool fits(const source::Value& value, Type type);

// Returns the part of `value` that has the wrong type: the first wrong item of a list, or the whole value.
[[nodiscard]] const source::Value& wrong_part(const source::Value& value, Type type);

// Returns the types of a field in words, with the unit of a time: "a string or a list of strings", "a number of
// epochs".
[[nodiscard]] std::string describe(const FieldSpec& spec);

}  // namespace sparsecfg::dialect
