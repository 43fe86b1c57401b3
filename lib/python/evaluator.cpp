#include "python/evaluator.h"

#include "python/numbers.h"

#include <fmt/format.h>

#include <array>
#include <limits>
#include <numbers>
#include <optional>
#include <utility>

#include "base/text.h"
#include "python/tree.h"
#include "python/value.h"

namespace sparsecfg::python {

using source::Value;
using Result = std::optional<Value>;

std::optional<double> math_constant(std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, double>, 5> kConstants = {{
      {"pi", std::numbers::pi},
      {"e", std::numbers::e},
      {"tau", 2 * std::numbers::pi},
      {"inf", std::numeric_limits<double>::infinity()},
      {"nan", std::numeric_limits<double>::quiet_NaN()},
  }};
  for (const auto& [known, value] : kConstants) {
    if (known == name) return value;
  }
  return std::nullopt;
}

static std::optional<Number> as_number(const Value& value) {
  if (const auto* flag = value.get<bool>()) return *flag;
  if (const auto* integer = value.get<std::int64_t>()) return *integer;
  if (const auto* real = value.get<double>()) return *real;
  return std::nullopt;
}

static Value as_value(const Number& number) {
  return std::visit([](auto plain) { return Value{plain, {}}; }, number);
}

// Evaluates a tree as Python does: operands that Python skips are not evaluated.
class Evaluator {
 public:
  explicit Evaluator(const Lookup& lookup) : lookup_(lookup) {}

  std::variant<Value, ExpressionError> run(const Node& node) {
    Result value = evaluate(node);
    if (value) {
      return *std::move(value);
    }
    return *error_;
  }

 private:
  Result evaluate(const Node& node) {
    switch (node.kind) {
      case Node::Kind::number:
        return node.text.find_first_of("jJ") == std::string::npos ? result(node, number_value(node.text))
                                                                  : unsupported(node);
      case Node::Kind::name: return named(node);
      case Node::Kind::constant: return constant(node);
      case Node::Kind::binary: return binary(node);
      case Node::Kind::unary: return unary(node);
      case Node::Kind::comparison: return comparison(node);
      case Node::Kind::logical: return logical(node);
      case Node::Kind::conditional: return conditional(node);
      case Node::Kind::attribute: return attribute(node);
      default: return unsupported(node);
    }
  }

  Result fail(const Node& node, ErrorKind kind, std::string message) {
    error_ = ExpressionError{kind, std::move(message), node.offset, node.text};
    return std::nullopt;
  }

  Result unsupported(const Node& node) {
    return fail(node, ErrorKind::unsupported, fmt::format("only Python can evaluate {}", describe(node)));
  }

  Result result(const Node& node, Outcome outcome) {
    if (auto* fault = std::get_if<Fault>(&outcome)) {
      return fail(node, fault->kind, std::move(fault->message));
    }
    return as_value(std::get<Number>(outcome));
  }

  Result named(const Node& node) {
    const Value* value = lookup_(node.text);
    return value != nullptr ? Result(*value)
                            : fail(node, ErrorKind::unknown_variable,
                                   fmt::format("undefined variable `{}`", base::printable(node.text)));
  }

  Result constant(const Node& node) {
    return node.text == "..."    ? unsupported(node)
           : node.text == "None" ? Value{}
                                 : Result(Value{node.text == "True", {}});
  }

  Result attribute(const Node& node) {
    const Node& object = node.parts[0];
    if (object.kind != Node::Kind::name || object.text != "math" || lookup_("math") != nullptr) {
      return unsupported(node);
    }
    const auto value = math_constant(node.text);
    return value ? Result(Value{*value, {}})
                 : fail(node, ErrorKind::type_error,
                        fmt::format("`math.{}` is not a number, and calls are not allowed here", node.text));
  }

  Result binary(const Node& node) {
    const Result left = evaluate(node.parts[0]);
    const Result right = left ? evaluate(node.parts[1]) : std::nullopt;
    if (!right) {
      return std::nullopt;
    }
    const auto a = as_number(*left);
    const auto b = as_number(*right);
    return a && b ? result(node, calculate(node.text, *a, *b)) : join(node, *left, *right);
  }

  // Concatenates two strings; no other operands are supported.
  Result join(const Node& node, const Value& left, const Value& right) {
    const auto* a = left.get<std::string>();
    const auto* b = right.get<std::string>();
    if (node.text == "+" && a != nullptr && b != nullptr) {
      return Value{*a + *b, {}};
    }
    const bool formats = a != nullptr && node.text == "%";
    const bool repeats = node.text == "*" && (as_number(left) || as_number(right));
    if (formats || repeats) {
      return unsupported(node);
    }
    return fail(
        node, ErrorKind::type_error,
        fmt::format("`{}` does not accept {} and {}", node.text, source::describe(left), source::describe(right)));
  }

  Result unary(const Node& node) {
    const Result value = evaluate(node.parts[0]);
    if (!value || node.text == "not") {
      return value ? Result(Value{!is_true(*value), {}}) : std::nullopt;
    }
    const auto number = as_number(*value);
    if (!number) {
      return fail(node, ErrorKind::type_error,
                  fmt::format("unary `{}` does not accept {}", node.text, source::describe(*value)));
    }
    if (node.text == "~") {
      return unsupported(node);
    }
    // Python has -0.0, which 0 - x would not produce.
    const auto* real = std::get_if<double>(&*number);
    return real != nullptr ? Result(Value{node.text == "-" ? -*real : *real, {}})
                           : result(node, calculate(node.text, Number(std::int64_t{0}), *number));
  }

  static std::optional<bool> compare(std::string_view operation, const Value& left, const Value& right) {
    const auto a = left.number();
    const auto b = right.number();
    const bool same = a && b ? *a == *b : left == right;
    if (operation == "==" || operation == "!=") return same == (operation == "==");
    if (!a || !b) return std::nullopt;
    return operation == "<" ? *a < *b : operation == "<=" ? *a <= *b : operation == ">" ? *a > *b : *a >= *b;
  }

  // `a < b < c` is `a < b and b < c`. Parentheses that would change the meaning can't occur here.
  Result comparison(const Node& node) {
    const Node& before = node.parts[0];
    const bool chained = before.kind == Node::Kind::comparison;
    const Result earlier = chained ? comparison(before) : Result(Value{true, {}});
    if (!earlier || !is_true(*earlier)) {
      return earlier;
    }
    const Result left = evaluate(chained ? before.parts[1] : before);
    const Result right = left ? evaluate(node.parts[1]) : std::nullopt;
    if (!right) {
      return std::nullopt;
    }
    const auto holds = compare(node.text, *left, *right);
    return holds ? Result(Value{*holds, {}}) : unsupported(node);
  }

  Result logical(const Node& node) {
    const Result left = evaluate(node.parts[0]);
    const bool decided = !left || is_true(*left) == (node.text == "or");
    return decided ? left : evaluate(node.parts[1]);
  }

  Result conditional(const Node& node) {
    const Result condition = evaluate(node.parts[1]);
    return condition ? evaluate(node.parts[is_true(*condition) ? 0 : 2]) : std::nullopt;
  }

  const Lookup& lookup_;
  std::optional<ExpressionError> error_;
};

std::variant<Value, ExpressionError> evaluate(std::string_view text, const Lookup& lookup) {
  const auto parsed = parse_expression(text);
  if (const auto* error = std::get_if<ExpressionError>(&parsed)) {
    return *error;
  }
  return Evaluator(lookup).run(std::get<Node>(parsed));
}

}  // namespace sparsecfg::python
