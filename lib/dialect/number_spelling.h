#pragma once

#include <string>

#include "diag/sink.h"
#include "source/source_file.h"
#include "source/value.h"

// Numbers that YAML 1.1 reads with an unexpected value.
namespace sparsecfg::dialect {

// Returns true if a number is written in base 60 with colons: 2:4 is 124.
[[nodiscard]] bool is_sexagesimal(const source::SourceFile& file, const source::Value& value);

// Reports numbers in `value`, including nested lists and mappings, that are written in base 60 (SP005) or in octal with
// another decimal value (SP007). `may_be_mask`: suggest quotes for N:M masks such as 2:4.
void check_number_spelling(const source::SourceFile& file, const source::Value& value, bool may_be_mask,
                           diag::Sink& sink);

// Formats a number so that YAML 1.1 reads it as a float: 0.0001, 1.0e-05, .inf.
[[nodiscard]] std::string float_as_yaml(double number);

}  // namespace sparsecfg::dialect
