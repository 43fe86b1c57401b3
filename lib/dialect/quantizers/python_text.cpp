#include "dialect/quantizers/python_text.h"

#include <fmt/format.h>

#include "emit/literal.h"

namespace sparsecfg::dialect::quantizers {

constexpr std::size_t kIndent = 4;

std::string python_string(std::string_view text) { return emit::literal(emit::Syntax::python, text); }

std::string_view python_bool(bool value) { return value ? "True" : "False"; }

std::string python_call(std::string_view name, const PythonItems& arguments, std::size_t depth) {
  std::string out = fmt::format("{}(\n", name);
  for (const auto& [key, value] : arguments) {
    out += fmt::format("{:{}}{}{}{},\n", "", (depth + 1) * kIndent, key, key.empty() ? "" : "=", value);
  }
  return out + fmt::format("{:{}})", "", depth * kIndent);
}

std::string python_dictionary(const PythonItems& entries, std::size_t depth) {
  std::string out = "{\n";
  for (const auto& [key, value] : entries) {
    out += fmt::format("{:{}}{}: {},\n", "", (depth + 1) * kIndent, key, value);
  }
  return out + fmt::format("{:{}}}}", "", depth * kIndent);
}

std::string short_dictionary(const PythonItems& entries) {
  std::string out = "{";
  for (const auto& [key, value] : entries) {
    out += fmt::format("{}{}: {}", out.size() == 1 ? "" : ", ", python_string(key), value);
  }
  return out + "}";
}

}  // namespace sparsecfg::dialect::quantizers
