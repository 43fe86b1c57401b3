#pragma once

#include <string>

#include "diag/sink.h"
#include "source/source_file.h"
#include "source/value.h"

// Numbers that YAML 1.1 reads in another way than they look.
namespace sparsecfg::dialect {

// Returns true if a number is written with colons, to the base of 60: 2:4 is 124.
[[nodiscard]] bool is_sexagesimal(const source::SourceFile& file, const source::Value& value);

// Warns of every number in `value`, its lists and mappings included, that stands in the file with
// colons (SP005) or as an octal number that would be another one in decimal (SP007).
void check_number_spelling(const source::SourceFile& file, const source::Value& value, bool may_be_mask,
                           diag::Sink& sink);

// A number as YAML 1.1 reads it as a float: 0.0001, 1.0e-05, .inf.
[[nodiscard]] std::string float_as_yaml(double number);

}  // namespace sparsecfg::dialect
