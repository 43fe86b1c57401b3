// Reads lines {"text": ..., "variables": {name: bool, int or float}} and answers each with
// {"type": "bool", "int" or "float", "value": text} or {"error": kind, "message": ..., "offset": ...}.
#include <array>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "base/number.h"
#include "base/overloaded.h"
#include "dialect/sparseml/expression.h"

using nlohmann::json;
namespace python = sparsecfg::python;

static python::Numbers numbers(const json& variables) {
  python::Numbers numbers;
  for (const auto& [name, value] : variables.items()) {
    numbers[name] = value.is_boolean()          ? python::Number(value.get<bool>())
                    : value.is_number_integer() ? python::Number(value.get<std::int64_t>())
                                                : python::Number(value.get<double>());
  }
  return numbers;
}

static json answer(const python::Number& number) {
  return std::visit(sparsecfg::base::Overloaded{
                        [](bool value) -> json {
                          return {{"type", "bool"}, {"value", value ? "True" : "False"}};
                        },
                        [](std::int64_t value) -> json {
                          return {{"type", "int"}, {"value", std::to_string(value)}};
                        },
                        [](double value) -> json {
                          return {{"type", "float"}, {"value", sparsecfg::base::python_repr(value)}};
                        },
                    },
                    number);
}

static json answer(const python::ExpressionError& error) {
  constexpr std::array<const char*, 6> kKinds = {"syntax",           "unknown_variable", "unsupported",
                                                 "division_by_zero", "too_large",        "type_error"};
  return {{"error", kKinds[static_cast<std::size_t>(error.kind)]},
          {"message", error.message},
          {"offset", error.offset},
          {"name", error.name}};
}

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    const json question = json::parse(line);
    const std::string text = question.at("text");
    const auto outcome = sparsecfg::dialect::sparseml::evaluate(text, numbers(question.at("variables")));
    json reply = std::visit([](const auto& found) { return answer(found); }, outcome);
    reply["names"] = sparsecfg::dialect::sparseml::names_in(text);
    std::cout << reply.dump() << '\n';
  }
}
