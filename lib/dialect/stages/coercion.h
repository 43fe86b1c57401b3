#pragma once

#include <optional>
#include <string>

#include "dialect/stages/table.h"
#include "source/value.h"

// What pydantic makes of a value that is not of the type it wants.
namespace sparsecfg::dialect::stages {

// Numbers, booleans and texts that hold a number.
[[nodiscard]] std::optional<double> as_real(const source::Value& value);

// Booleans, 0 and 1, and the words true, yes, on, t, y and their opposites in any case.
[[nodiscard]] std::optional<bool> as_boolean(const source::Value& value);

// Returns true if a value other than null fits one of the types.
[[nodiscard]] bool fits(const source::Value& value, Accepts accepts);

// What of a value does not fit: an item of a list that should be another one, or the whole value.
[[nodiscard]] const source::Value& misfit(const source::Value& value, Accepts accepts);

// "a text or a list of texts"
[[nodiscard]] std::string describe(Accepts accepts);

}  // namespace sparsecfg::dialect::stages
