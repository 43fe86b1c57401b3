#pragma once

#include "dialect/record/types.h"
#include "python/numbers.h"

// Conditions on values of valid fields, for columns of rows.
namespace sparsecfg::dialect::is {

inline bool anything(const source::Value&) { return true; }

inline bool null(const source::Value& value) { return value.is_null(); }

inline bool given(const source::Value& value) { return !value.is_null(); }

inline bool zero(const source::Value& value) { return as_real(value) == 0.0; }

inline bool negative(const source::Value& value) { return as_real(value).value_or(0) < 0; }

inline bool true_in_python(const source::Value& value) { return python::is_true(value); }

}  // namespace sparsecfg::dialect::is
