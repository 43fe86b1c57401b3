#pragma once

#include <cstdint>
#include <string_view>

#include "python/value.h"

namespace sparsecfg::python {

// A double without a fraction as an int, for the function of that name; too large or not a number
// otherwise.
[[nodiscard]] Outcome whole_number(std::string_view function, double value);

// Python's round(number): an int, halves to the even one.
[[nodiscard]] Outcome rounded(const Operand& number);

// Python's round(number, digits): of the same type, correctly rounded from the exact decimal value
// of a float; negative digits round to tens, hundreds and so on.
[[nodiscard]] Outcome rounded(const Operand& number, std::int64_t digits);

}  // namespace sparsecfg::python
