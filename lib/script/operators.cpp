#include "python/numbers.h"
#include "script/follower.h"

// Operators, comparisons and conditions.
namespace sparsecfg::script {

using Kind = Value::Kind;

static std::optional<python::Number> number_in(const Value& value) {
  if (value.kind != Kind::scalar) return std::nullopt;
  if (const auto* flag = std::get_if<bool>(&value.data)) return *flag;
  if (const auto* integer = std::get_if<std::int64_t>(&value.data)) return *integer;
  if (const auto* real = std::get_if<double>(&value.data)) return *real;
  return std::nullopt;
}

std::optional<bool> Follower::truth(const Ref& value) const {
  switch (value->kind) {
    case Kind::scalar: return python::is_true({value->data, {}});
    case Kind::list:
    case Kind::tuple:
    case Kind::set:
    case Kind::dictionary: return !value->items.empty();
    case Kind::function: return true;
    case Kind::object:
    case Kind::name:
    case Kind::unknown: return std::nullopt;
  }
  return std::nullopt;
}

Ref Follower::unary(const Node& node) {
  const Ref value = value_of(node.parts.front());
  if (node.text == "not") {
    const auto known = truth(value);
    return known ? scalar(node.span, !*known) : unknown(node.span, "it depends on a condition");
  }
  const auto number = number_in(*value);
  if (!number || node.text == "~") {
    return unknown(node.span, "it is not a constant");
  }
  const python::Operand operand = python::operand(*number);
  const bool negative = node.text == "-";
  return std::visit([&](auto plain) { return scalar(node.span, negative ? -plain : plain); }, operand);
}

Ref Follower::binary(const Node& node) {
  const Ref left = value_of(node.parts[0]);
  const Ref right = value_of(node.parts[1]);
  const auto a = number_in(*left);
  const auto b = number_in(*right);
  if (a && b) {
    const python::Outcome outcome = python::calculate(node.text, *a, *b);
    const auto* number = std::get_if<python::Number>(&outcome);
    return number == nullptr ? unknown(node.span, "the result cannot be computed")
                             : std::visit([&](auto value) { return scalar(node.span, value); }, *number);
  }
  if (node.text == "+" && left->string() != nullptr && right->string() != nullptr && fits(*left, *right)) {
    Ref out = copy(left);
    out->span = node.span;
    append(*out, *right);
    return out;
  }
  const bool lists = left->kind == right->kind && (left->kind == Kind::list || left->kind == Kind::tuple);
  if (node.text == "+" && lists && left->items.size() + right->items.size() <= kMaxItems && fits(*left, *right)) {
    std::vector<Ref> items = left->items;
    items.insert(items.end(), right->items.begin(), right->items.end());
    return container(left->kind, node.span, std::move(items));
  }
  return unknown(node.span, "it is not a constant");
}

// Compares scalars. A chain is unknown if one of its parts is unknown.
Ref Follower::comparison(const Node& node) {
  const Ref left = value_of(node.parts[0]);
  const Ref right = value_of(node.parts[1]);
  const auto a = number_in(*left);
  const auto b = number_in(*right);
  const bool scalars = left->kind == Kind::scalar && right->kind == Kind::scalar;
  if (!scalars || node.parts[0].kind == Node::Kind::comparison || !left->is_whole() || !right->is_whole()) {
    return unknown(node.span, "it depends on a condition");
  }
  const double x = a ? python::as_double(python::operand(*a)) : 0;
  const double y = b ? python::as_double(python::operand(*b)) : 0;
  const bool same = a && b ? x == y : left->data == right->data;
  if (node.text == "==" || node.text == "!=") {
    return scalar(node.span, same == (node.text == "=="));
  }
  if (!a || !b) {
    return unknown(node.span, "it depends on a condition");
  }
  return scalar(node.span, node.text == "<" ? x < y : node.text == "<=" ? x <= y : node.text == ">" ? x > y : x >= y);
}

Ref Follower::logical(const Node& node) {
  const Ref left = value_of(node.parts[0]);
  const auto known = truth(left);
  if (!known) {
    value_of(node.parts[1]);
    return unknown(node.span, "it depends on a condition");
  }
  return *known == (node.text == "or") ? left : value_of(node.parts[1]);
}

Ref Follower::conditional(const Node& node) {
  const auto condition = truth(value_of(node.parts[1]));
  if (condition) {
    return value_of(node.parts[*condition ? 0 : 2]);
  }
  value_of(node.parts[0]);
  value_of(node.parts[2]);
  return unknown(node.span, "it depends on a condition");
}

}  // namespace sparsecfg::script
