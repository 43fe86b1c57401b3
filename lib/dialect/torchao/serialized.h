#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "source/value.h"

// Parts of values in the form `{_type, _version, _data}` (docs/semantics/torchao.md#a1-1).
namespace sparsecfg::dialect::torchao {

[[nodiscard]] const std::string* type_of(const source::Value& value);
[[nodiscard]] const source::Value* data_of(const source::Value& value);

// Returns the name of a type of torch in a field, such as "int4"; empty if the field has none.
[[nodiscard]] std::string type_in(const source::Value& data, std::string_view field);

// Returns the member of an enum, or the string, in a field; in lower case.
[[nodiscard]] std::string word_in(const source::Value& data, std::string_view field);

[[nodiscard]] std::int64_t number_in(const source::Value* value, std::int64_t otherwise);

// Return an item of a list; of another value, the value.
[[nodiscard]] const source::Value* first_of(const source::Value* value);
[[nodiscard]] const source::Value* last_of(const source::Value* value);

// Returns true for a granularity `PerRow` that has a scale for each column of a matrix. Its `dim` is the one that is
// reduced.
[[nodiscard]] bool reduces_rows(const source::Value& granularity);

}  // namespace sparsecfg::dialect::torchao
