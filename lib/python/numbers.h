#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "python/value.h"
#include "source/value.h"

namespace sparsecfg::python {

struct NumberText {
  std::size_t length = 0;
  std::string_view fault;  // what Python's tokenizer finds wrong with it, empty where nothing
};

// The numeric literal that `text` begins with: a digit, or a point and a digit.
[[nodiscard]] NumberText scan_number(std::string_view text);

// The value of a literal without fault; complex numbers are unsupported.
[[nodiscard]] Outcome number_value(std::string_view literal);

// A double without a fraction as an int, for the function of that name; too large or not a number
// otherwise.
[[nodiscard]] Outcome whole_number(std::string_view function, double value);

// Python's round(number): an int, halves to the even one.
[[nodiscard]] Outcome rounded(const Operand& number);

// Python's round(number, digits): of the same type, correctly rounded from the exact decimal value
// of a float; negative digits round to tens, hundreds and so on.
[[nodiscard]] Outcome rounded(const Operand& number, std::int64_t digits);

// Returns true if Python's bool() of the value is True.
[[nodiscard]] bool is_true(const source::Value& value);

}  // namespace sparsecfg::python
