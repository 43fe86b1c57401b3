#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "python/integer.h"
#include "python/value.h"
#include "source/value.h"

namespace sparsecfg::python {

struct NumberText {
  std::size_t length = 0;
  std::string_view fault;  // error of the Python tokenizer; empty if valid
};

// Scans the numeric literal at the beginning of `text`, which starts with a digit, or a point and a digit.
[[nodiscard]] NumberText scan_number(std::string_view text);

// Returns the value of a valid literal of an int; nullopt for more digits than Python or we accept.
[[nodiscard]] std::optional<Integer> integer_value(std::string_view literal);

// Returns the value of a valid literal. Complex numbers are unsupported.
[[nodiscard]] Outcome number_value(std::string_view literal);

// Converts a double without a fraction to an int. Returns a fault that names `function` if it is too large or nan.
[[nodiscard]] Outcome whole_number(std::string_view function, double value);

// Python's round(number): returns an int, rounding halves to even.
[[nodiscard]] Outcome rounded(const Operand& number);

// Python's round(number, digits): returns the same type, correctly rounded from the exact decimal value of a float.
// Negative digits round to tens, hundreds and so on.
[[nodiscard]] Outcome rounded(const Operand& number, std::int64_t digits);

// Returns true if Python's bool(value) is True.
[[nodiscard]] bool is_true(const source::Value& value);

}  // namespace sparsecfg::python
