#pragma once

#include <string>
#include <variant>
#include <vector>

#include "compile/compile.h"
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

// Returns the setting `custom` for the classes that recipes use and no framework defines, or an empty string. A class
// whose name ends in that of a known class is proposed to be like it.
[[nodiscard]] std::string propose_custom(const std::vector<const Compilation*>& compilations);

}  // namespace sparsecfg::project
