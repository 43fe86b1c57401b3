#pragma once

#include <string_view>

#include "script/trace.h"
#include "script/value.h"

// Data sets of the package `datasets`, which scripts pass as calibration data.
namespace sparsecfg::dialect::quantizers {

// Returns the call of `load_dataset` that a value comes from, over methods that keep the columns, such as `shuffle`.
// Null if there is none, or if its arguments are not known.
[[nodiscard]] const script::Value* loaded_dataset(const script::Value& value);

// Returns true for a method that keeps the columns of a data set. See Objects::keeps_object.
[[nodiscard]] bool keeps_dataset(const script::Value& object, std::string_view method);

// Returns the name that a script gives an expression: `tokenizer` in `tokenizer = AutoTokenizer...`. Empty without one.
[[nodiscard]] std::string_view assigned_name(const script::Trace& trace, source::Span expression);

}  // namespace sparsecfg::dialect::quantizers
