#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

#include "dialect/record/record.h"
#include "ir/operation.h"

namespace sparsecfg::dialect::stages {

// Returns a value in the form of the column `default_value`: "0.5", "true", "null".
[[nodiscard]] std::string text_of_value(const source::Value& value);

// Returns the fields of a record as settings of a method, with the defaults of absent fields, sorted by name. Fields of
// `other` are left out, because other parts of an operation express them.
[[nodiscard]] std::vector<ir::MethodSetting> settings_of(const Record& record,
                                                         std::initializer_list<std::string_view> other);

}  // namespace sparsecfg::dialect::stages
