#pragma once

#include <optional>
#include <string>

#include "diag/sink.h"
#include "dialect/record/spec.h"
#include "source/source_file.h"
#include "source/value.h"

// Tests of values against the types of a field, conversions of values of another type, and spellings of numbers.
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

// Returns true if a number is written in base 60 with colons: 2:4 is 124.
[[nodiscard]] bool is_sexagesimal(const source::SourceFile& file, const source::Value& value);

// Reports numbers in `value`, including nested lists and mappings, that are written in base 60 (SP005) or in octal with
// another decimal value (SP007). `may_be_mask`: suggest quotes for N:M masks such as 2:4.
void check_number_spelling(const source::SourceFile& file, const source::Value& value, bool may_be_mask,
                           diag::Sink& sink);

// Formats a number so that YAML 1.1 reads it as a float: 0.0001, 1.0e-05, .inf.
[[nodiscard]] std::string float_as_yaml(double number);

}  // namespace sparsecfg::dialect
