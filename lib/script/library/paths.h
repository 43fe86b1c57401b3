#pragma once

#include <optional>
#include <string>

#include "python/tree.h"
#include "script/value.h"

namespace sparsecfg::script {

class Interpreter;

// A path as text.
struct PathText {
  bool here = false;  // true if it begins at the folder of the script, which is not known
  std::string text;
};

// Returns the text of a string or `Path`; nullopt if a part is unknown.
[[nodiscard]] std::optional<PathText> path_of(Interpreter& interpreter, const Value& value);

// Returns a path as a string.
[[nodiscard]] Ref path_string(Interpreter& interpreter, PathText path, const python::Node& node);

// Returns an attribute of a `Path`, or null.
[[nodiscard]] Ref path_attribute(Interpreter& interpreter, const Value& object, std::string_view name,
                                 const python::Node& node);

// Returns `left / right` of paths, or null.
[[nodiscard]] Ref joined_path(Interpreter& interpreter, const Ref& left, const Ref& right, const python::Node& node);

}  // namespace sparsecfg::script
