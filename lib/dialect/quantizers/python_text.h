#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Python code that constructs the configuration of a quantizer.
namespace sparsecfg::dialect::quantizers {

using PythonItems = std::vector<std::pair<std::string, std::string>>;  // keys and values as code

// Returns a string literal.
[[nodiscard]] std::string python_string(std::string_view text);
[[nodiscard]] std::string_view python_bool(bool value);

// Returns a call with one argument per line. Arguments without a name are positional.
[[nodiscard]] std::string python_call(std::string_view name, const PythonItems& arguments, std::size_t depth = 0);

// Returns a dictionary with one entry per line. The keys are code.
[[nodiscard]] std::string python_dictionary(const PythonItems& entries, std::size_t depth);

// Returns a dictionary on one line. The keys are strings.
[[nodiscard]] std::string short_dictionary(const PythonItems& entries);

}  // namespace sparsecfg::dialect::quantizers
