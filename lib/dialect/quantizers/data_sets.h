#pragma once

#include <string_view>

#include "script/value.h"

// Data sets of the package `datasets`, which scripts pass as calibration data.
namespace sparsecfg::dialect::quantizers {

// Returns the call of `load_dataset` that a value comes from, over methods that keep the columns, such as `shuffle`.
// Null if there is none, or if its arguments are not known.
[[nodiscard]] const script::Value* loaded_dataset(const script::Value& value);

// Returns true for a method that keeps the columns of a data set. See Objects::keeps_object.
[[nodiscard]] bool keeps_dataset(const script::Value& object, std::string_view method);

}  // namespace sparsecfg::dialect::quantizers
