#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "python/value.h"

namespace sparsecfg::python {

struct NumberText {
  std::size_t length = 0;
  std::string_view fault;  // what Python's tokenizer finds wrong with it, empty where nothing
};

// The numeric literal that `text` begins with: a digit, or a point and a digit.
[[nodiscard]] NumberText scan_number(std::string_view text);

// The value of a literal without fault; complex numbers are unsupported.
[[nodiscard]] Outcome number_value(std::string_view literal);

}  // namespace sparsecfg::python
