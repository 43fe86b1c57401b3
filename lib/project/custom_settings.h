#pragma once

#include <string>
#include <variant>
#include <vector>

#include "dialect/custom.h"
#include "source/value.h"

namespace sparsecfg::project {

// A value that a setting rejects.
struct Rejection {
  source::Span span;
  std::string reason;
};

// Reads the value of the setting `custom`: a mapping of class names to `{like: CLASS, fields: {NAME: TYPE}}`.
[[nodiscard]] std::variant<std::vector<dialect::CustomClass>, Rejection> read_custom(const source::Value& value);

}  // namespace sparsecfg::project
