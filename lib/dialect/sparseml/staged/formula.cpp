#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/text.h"
#include "dialect/sparseml/staged/formula.h"
#include "python/evaluator.h"
#include "python/numbers.h"
#include "python/tree.h"
#include "python/value.h"

// Compiles calc(...), a Python expression, to an IR expression.
namespace sparsecfg::dialect::sparseml {

using python::ErrorKind;
using python::ExpressionError;

using Operation = ir::Expression::Operation;

class Compiler {
 public:
  explicit Compiler(const Constants& constants) : constants_(constants) {}

  std::variant<ir::Expression, ExpressionError> run(const python::Node& node) {
    add(node);
    if (error_) {
      return *error_;
    }
    return std::move(formula_);
  }

 private:
  void add(const python::Node& node) {
    switch (node.kind) {
      case python::Node::Kind::number: add_literal(node); break;
      case python::Node::Kind::name: add_name(node); break;
      case python::Node::Kind::constant: add_constant(node); break;
      case python::Node::Kind::attribute: add_attribute(node); break;
      case python::Node::Kind::binary: add_binary(node); break;
      case python::Node::Kind::unary: add_unary(node); break;
      case python::Node::Kind::comparison: add_comparison(node); break;
      case python::Node::Kind::logical: add_all(node, node.text == "and" ? Operation::both : Operation::either); break;
      case python::Node::Kind::conditional: add_all(node, Operation::choose); break;
      default: unsupported(node); break;
    }
  }

  void fail(const python::Node& node, ErrorKind kind, std::string message) {
    if (!error_) {
      error_ = ExpressionError{kind, std::move(message), node.offset, node.text};
    }
  }

  void unsupported(const python::Node& node) {
    fail(node, ErrorKind::unsupported, fmt::format("only Python can evaluate {}", describe(node)));
  }

  void push(double number) { formula_.steps.push_back({Operation::number, number}); }

  void push(Operation operation) { formula_.steps.push_back({operation, 0}); }

  void add_all(const python::Node& node, Operation operation) {
    std::ranges::for_each(node.parts, [&](const python::Node& part) { add(part); });
    push(operation);
  }

  void add_literal(const python::Node& node) {
    const python::Outcome outcome = python::number_value(node.text);
    if (const auto* number = std::get_if<python::Number>(&outcome)) {
      push(python::as_double(python::operand(*number)));
    } else {
      fail(node, std::get<python::Fault>(outcome).kind, std::get<python::Fault>(outcome).message);
    }
  }

  void add_name(const python::Node& node) {
    const auto found = constants_.find(node.text);
    if (node.text == "index") {
      push(Operation::epoch);
    } else if (found == constants_.end()) {
      fail(node, ErrorKind::unknown_variable, fmt::format("undefined variable `{}`", base::printable(node.text)));
    } else if (found->second) {
      push(*found->second);
    } else {
      fail(node, ErrorKind::type_error, fmt::format("`{}` is not set, so the formula can't use it", node.text));
    }
  }

  void add_constant(const python::Node& node) {
    if (node.text != "True" && node.text != "False") {
      unsupported(node);
    }
    push(node.text == "True" ? 1 : 0);
  }

  void add_attribute(const python::Node& node) {
    const bool of_math =
        node.parts[0].kind == python::Node::Kind::name && node.parts[0].text == "math" && !constants_.contains("math");
    const auto value = of_math ? python::math_constant(node.text) : std::nullopt;
    if (value) {
      push(*value);
    } else if (of_math) {
      fail(node, ErrorKind::type_error,
           fmt::format("`math.{}` is not a number, and calls are not allowed here", node.text));
    } else {
      unsupported(node);
    }
  }

  void add_binary(const python::Node& node) {
    static constexpr std::array<std::pair<std::string_view, Operation>, 7> kOperations = {{
        {"+", Operation::add},
        {"-", Operation::subtract},
        {"*", Operation::multiply},
        {"/", Operation::divide},
        {"//", Operation::floor_divide},
        {"%", Operation::modulo},
        {"**", Operation::power},
    }};
    const auto* found = std::ranges::find(kOperations, node.text, [](const auto& known) { return known.first; });
    add_all(node, found->second);
  }

  void add_unary(const python::Node& node) {
    if (node.text == "~") {
      unsupported(node);
    }
    add(node.parts[0]);
    if (node.text != "+") {
      push(node.text == "not" ? Operation::negation : Operation::negate);
    }
  }

  // Compiles `a > b` as `b < a`, `a != b` as `not a == b`, and a chain as comparisons joined by `and`.
  void add_comparison(const python::Node& node) {
    const python::Node& before = node.parts[0];
    const bool chained = before.kind == python::Node::Kind::comparison;
    if (chained) {
      add(before);
    }
    const python::Node& left = chained ? before.parts[1] : before;
    const bool swapped = node.text.front() == '>';
    add(swapped ? node.parts[1] : left);
    add(swapped ? left : node.parts[1]);
    const bool equality = node.text == "==" || node.text == "!=";
    push(equality ? Operation::equal : node.text.ends_with('=') ? Operation::less_or_equal : Operation::less);
    if (node.text == "!=") {
      push(Operation::negation);
    }
    if (chained) {
      push(Operation::both);
    }
  }

  const Constants& constants_;
  ir::Expression formula_;
  std::optional<ExpressionError> error_;
};

std::variant<ir::Expression, ExpressionError> compile(std::string_view text, const Constants& constants) {
  const auto parsed = python::parse_expression(text);
  if (const auto* error = std::get_if<ExpressionError>(&parsed)) {
    return *error;
  }
  return Compiler(constants).run(std::get<python::Node>(parsed));
}

}  // namespace sparsecfg::dialect::sparseml
