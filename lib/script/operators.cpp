#include <fmt/format.h>

#include <algorithm>

#include "python/numbers.h"
#include "script/interpreter.h"
#include "script/library/formats.h"
#include "script/library/paths.h"
#include "script/search.h"
#include "script/text_builder.h"

// Operators, comparisons and conditions.
namespace sparsecfg::script {

using Kind = Value::Kind;
using Role = Value::Role;

std::optional<python::Number> number_in(const Value& value) {
  if (value.kind != Kind::scalar) return std::nullopt;
  if (const auto* flag = std::get_if<bool>(&value.data)) return *flag;
  if (const auto* integer = std::get_if<std::int64_t>(&value.data)) return *integer;
  if (const auto* real = std::get_if<double>(&value.data)) return *real;
  return std::nullopt;
}

static bool is_plain(const Value& list) { return list.role == Role::plain && !list.open; }

std::optional<bool> Interpreter::truth(const Ref& value) const {
  if (!value->assumed.empty()) {
    return std::nullopt;
  }
  switch (value->kind) {
    case Kind::scalar:
      if (!value->is_whole()) {
        const std::string* text = value->string();
        return text != nullptr && value->role == Role::plain && text->size() > value->pieces.size() * kHole.size()
                   ? std::optional(true)
                   : std::nullopt;
      }
      return python::is_true({value->data, {}});
    case Kind::list:
      if (value->role != Role::plain && value->role != Role::range) return std::nullopt;
      [[fallthrough]];
    case Kind::tuple:
    case Kind::set: return value->open ? std::nullopt : std::optional(!value->items.empty());
    case Kind::dictionary:
      return !value->items.empty() ? std::optional(true) : value->open ? std::nullopt : std::optional(false);
    case Kind::function:
    case Kind::method:
    case Kind::partial: return true;
    case Kind::type: return value->open ? std::nullopt : std::optional(true);
    case Kind::name:
      return !value->imported && is_builtin(value->path) && value->path.find('.') == std::string::npos
                 ? std::optional(true)
                 : std::nullopt;
    case Kind::object: return constructs(*value) ? std::optional(true) : std::nullopt;
    case Kind::instance:
    case Kind::unknown: return std::nullopt;
  }
  return std::nullopt;
}

// Returns the result for two strings or two integers without building their keys.
static std::optional<bool> equal_data(const source::Value::Data& left, const source::Value::Data& right) {
  const bool simple = left.index() == right.index() &&
                      (std::holds_alternative<std::string>(left) || std::holds_alternative<std::int64_t>(left));
  return simple ? std::optional(left == right) : std::nullopt;
}

std::optional<bool> Interpreter::equal(const Value& left, const Value& right, int depth) {
  constexpr int kMaxDepth = 8;
  const bool ordered = (left.kind == Kind::list || left.kind == Kind::tuple) && left.kind == right.kind;
  if (left.kind == Kind::scalar && right.kind == Kind::scalar) {
    if (!left.is_whole() || !right.is_whole() || left.role != Role::plain || right.role != Role::plain)
      return std::nullopt;
    if (left.string() != nullptr && !reads(left.string()->size())) return std::nullopt;
    if (const auto same = equal_data(left.data, right.data)) return same;
    const auto a = key_text(left);
    const auto b = key_text(right);
    return a && b ? std::optional(*a == *b) : std::nullopt;
  }
  const auto is_builtin_type = [](const Value& value) {
    return value.kind == Kind::scalar || value.kind == Kind::list || value.kind == Kind::tuple ||
           value.kind == Kind::dictionary || value.kind == Kind::set;
  };
  if (!is_builtin_type(left) || !is_builtin_type(right) || depth > kMaxDepth) return std::nullopt;
  const bool plain = (left.kind == Kind::scalar || is_plain(left)) && (right.kind == Kind::scalar || is_plain(right));
  if (left.kind != right.kind) {
    return plain ? std::optional(false) : std::nullopt;
  }
  if (!ordered || !plain) return std::nullopt;
  if (left.items.size() != right.items.size()) return false;
  std::optional<bool> all = budget_.spend_search(left.items.size() + 16) ? std::optional(true) : std::nullopt;
  for (std::size_t at = 0; all && at < left.items.size(); ++at) {
    const auto same = left.items[at] == right.items[at] && left.items[at]->kind == Kind::scalar
                          ? std::optional(true)
                          : equal(*left.items[at], *right.items[at], depth + 1);
    if (same && !*same) return false;
    if (!same) all = std::nullopt;
  }
  return all;
}

std::optional<bool> Interpreter::identical(const Ref& left, const Ref& right) const {
  const bool none = is_none(*left) || is_none(*right);
  const auto singleton = [](const Value& value) {
    return is_none(value) || (value.kind == Kind::scalar && std::holds_alternative<bool>(value.data));
  };
  const auto is_some = [](const Value& value) {
    const bool framework = value.kind == Kind::object && value.imported;
    return value.kind != Kind::unknown && value.kind != Kind::name && (value.kind != Kind::object || framework);
  };
  if (singleton(*left) && singleton(*right)) {
    return left->data == right->data;
  }
  if (left->kind == Kind::scalar && right->kind == Kind::scalar && (singleton(*left) || singleton(*right))) {
    return false;
  }
  if (none) {
    const Ref& other = is_none(*left) ? right : left;
    const bool constructed = other->kind != Kind::object || constructs(*other);
    return is_some(*other) && constructed ? std::optional(false) : std::nullopt;
  }
  const bool objects =
      is_mutable(*left) && is_mutable(*right) && left->kind != Kind::object && right->kind != Kind::object;
  if (left == right && objects) return true;
  return objects && left->linked.empty() && right->linked.empty() && left->kind != right->kind ? std::optional(false)
                                                                                               : std::nullopt;
}

Ref Interpreter::unary(const Node& node) {
  const Ref value = evaluate(node.parts.front());
  if (node.text == "not") {
    const auto known = test(value, node.span);
    if (!known && !value->assumed.empty()) {
      return inherit(scalar(node.span, !python::is_true({value->data, {}})), {value});
    }
    return known ? scalar(node.span, !*known) : depends(node.span, {value}, "it depends on a condition");
  }
  const auto number = number_in(*value);
  if (!number) {
    if (value->kind == Kind::instance) escape(value, node.span, "an operator is applied");
    return depends(node.span, {value});
  }
  const python::Operand operand = python::operand(*number);
  const auto* integer = std::get_if<std::int64_t>(&operand);
  if (node.text == "~") {
    return integer == nullptr ? opaque(node.span, "the operator does not accept a float")
                              : inherit(scalar(node.span, ~*integer), {value});
  }
  if (integer != nullptr && *integer == INT64_MIN) {
    return opaque(node.span, "the number is too large");
  }
  const bool negative = node.text == "-";
  return inherit(std::visit([&](auto plain) { return scalar(node.span, negative ? -plain : plain); }, operand),
                 {value});
}

Ref Interpreter::binary(const Node& node) {
  const Ref left = evaluate(node.parts[0]);
  const Ref right = evaluate(node.parts[1]);
  return operate(node.text, left, right, node);
}

// Returns `value * count` of a string, list or tuple.
Ref Interpreter::repeated(const Ref& value, std::int64_t count, const Node& node) {
  constexpr std::int64_t kMaxCount = 1'000'000;
  const std::string* text = value->string();
  const std::size_t size = text != nullptr ? text->size() : value->items.size() * sizeof(Ref);
  const auto rounds = static_cast<std::size_t>(std::clamp(count, std::int64_t{0}, kMaxCount));
  if (count > kMaxCount || !builds(size * rounds + 1)) {
    limit(node.span);
    return depends(node.span, {value}, "it is too large");
  }
  if (text != nullptr) {
    std::string out;
    out.reserve(size * rounds);
    for (std::size_t at = 0; at < rounds; ++at) out += *text;
    return inherit(new_text(node.span, std::move(out)), {value});
  }
  const Ref out = made(container(value->kind, node.span));
  out->items.reserve(value->items.size() * rounds);
  for (std::size_t at = 0; at < rounds; ++at)
    out->items.insert(out->items.end(), value->items.begin(), value->items.end());
  return out;
}

static bool is_list_or_tuple(const Value& value) { return value.kind == Kind::list || value.kind == Kind::tuple; }

// Returns `value << count`, or nullopt for a negative count or a result that is too large.
static std::optional<std::int64_t> shifted_left(std::int64_t value, std::int64_t count) {
  std::int64_t out = 0;
  const bool fits = count >= 0 && count < 63 && !__builtin_mul_overflow(value, std::int64_t{1} << count, &out);
  return fits ? std::optional(out) : std::nullopt;
}

// Returns `value >> count`, or nullopt for a negative count.
static std::optional<std::int64_t> shifted_right(std::int64_t value, std::int64_t count) {
  return count < 0 ? std::nullopt : std::optional(value >> std::min<std::int64_t>(count, 63));
}

// Returns the result for two numbers, or null.
Ref Interpreter::operate_on_numbers(const std::string& operation, const Ref& left, const Ref& right, const Node& node) {
  const auto a = number_in(*left);
  const auto b = number_in(*right);
  if (!a || !b) return nullptr;
  if (python::is_arithmetic(operation)) {
    const python::Outcome outcome = python::calculate(operation, *a, *b);
    const auto* number = std::get_if<python::Number>(&outcome);
    if (number == nullptr) return opaque(node.span, "the result cannot be computed");
    return inherit(std::visit([&](auto value) { return scalar(node.span, value); }, *number), {left, right});
  }
  const auto* x = std::get_if<std::int64_t>(&left->data);
  const auto* y = std::get_if<std::int64_t>(&right->data);
  if (x == nullptr || y == nullptr) return nullptr;
  if (operation == "<<" || operation == ">>") {
    const auto out = operation == "<<" ? shifted_left(*x, *y) : shifted_right(*x, *y);
    return out ? inherit(scalar(node.span, *out), {left, right}) : opaque(node.span, "the result cannot be computed");
  }
  switch (operation.front()) {
    case '&': return inherit(scalar(node.span, *x & *y), {left, right});
    case '|': return inherit(scalar(node.span, *x | *y), {left, right});
    case '^': return inherit(scalar(node.span, *x ^ *y), {left, right});
    default: return nullptr;
  }
}

// A string whose parts may be placeholders, but not a path of the folder of the script.
static bool is_text(const Value& value) { return value.string() != nullptr && value.role == Role::plain; }

// Returns the result of `+` and `%` for strings and paths, or null.
Ref Interpreter::operate_on_text(const std::string& operation, const Ref& left, const Ref& right, const Node& node) {
  const bool adds = operation == "+";
  if (adds && is_text(*left) && is_text(*right)) {
    TextBuilder out(*this, node.span);
    for (const Ref& value : {left, right}) {
      out.inherit(*value);
      out.add(*value);
    }
    return out.take();
  }
  const bool path = adds && left->role == Role::here && types_of(*right) == types::text;
  if (path && right->string()->starts_with('/')) {
    const std::string& folder = *left->string();
    return path_string(*this, {true, folder.empty() ? right->string()->substr(1) : folder + *right->string()}, node);
  }
  if (operation == "%" && is_text(*left)) return percent(*this, left, right, node);
  const bool joins = operation == "/" && (left->role == Role::path || right->role == Role::path);
  return joins ? joined_path(*this, left, right, node) : nullptr;
}

// Returns two lists or two tuples as one.
Ref Interpreter::concatenated(const Ref& left, const Ref& right, const Node& node) {
  if (!builds((left->items.size() + right->items.size()) * sizeof(Ref))) {
    limit(node.span);
    return unknown(node.span, "the lists are too long");
  }
  const Ref out = made(container(left->kind, node.span, left->items));
  out->items.insert(out->items.end(), right->items.begin(), right->items.end());
  for (const Ref& part : {left, right}) {
    if (!part->open) continue;
    out->open = true;
    out->why = part->why;
    out->text = part->text;
  }
  return out;
}

// Returns the result of `+`, `*` and `|` for lists, tuples, dictionaries and repeated strings, or null.
Ref Interpreter::operate_on_containers(const std::string& operation, const Ref& left, const Ref& right,
                                       const Node& node) {
  const bool same = left->kind == right->kind && left->role == Role::plain && right->role == Role::plain;
  if (operation == "+" && same && is_list_or_tuple(*left)) return concatenated(left, right, node);
  if (operation == "|" && same && left->kind == Kind::dictionary) {
    const Ref out = made(container(Kind::dictionary, node.span));
    merge(*out, left, node.span);
    merge(*out, right, node.span);
    return out;
  }
  if (operation != "*") return nullptr;
  for (const auto& [value, count] : {std::pair(left, right), std::pair(right, left)}) {
    const bool repeats = (is_list_or_tuple(*value) && is_plain(*value)) || types_of(*value) == types::text;
    const auto* times = std::get_if<std::int64_t>(&count->data);
    if (repeats && count->kind == Kind::scalar && times != nullptr)
      return inherit(repeated(value, *times, node), {count});
  }
  return nullptr;
}

Ref Interpreter::operate(const std::string& operation, const Ref& left, const Ref& right, const Node& node) {
  if (Ref out = operate_on_numbers(operation, left, right, node)) return out;
  if (Ref out = operate_on_text(operation, left, right, node)) return out;
  if (Ref out = operate_on_containers(operation, left, right, node)) return out;
  for (const Ref& value : {left, right}) {
    if (value->kind == Kind::instance || value->kind == Kind::type) {
      escape(left, node.span, "an operator is applied");
      escape(right, node.span, "an operator is applied");
    }
  }
  Ref out = selects(node.span, {left, right});
  if (operation != "+") return out;
  for (const Ref& value : {left, right}) {
    if (is_list_or_tuple(*value) || value->kind == Kind::unknown)
      out->items.insert(out->items.end(), value->items.begin(), value->items.end());
  }
  return out;
}

std::optional<bool> Interpreter::contains(const Ref& container, const Ref& item) {
  const std::string* text = container->string();
  const std::string* part = item->string();
  if (text != nullptr && part != nullptr && container->is_whole() && item->is_whole()) {
    if (!reads(*container) || !reads(*item)) return std::nullopt;
    return Searcher(*part).find(*text) != std::string::npos;
  }
  const auto key = container->kind == Kind::dictionary ? key_of(*item) : std::nullopt;
  if (key) {
    if (place_of(*container, *key) < container->items.size()) return true;
    return container->open ? std::nullopt : std::optional(false);
  }
  if (!is_sequence(*container) || container->role != Role::plain || !budget_.spend_search(container->items.size())) {
    return std::nullopt;
  }
  std::optional<bool> found = false;
  for (const Ref& each : container->items) {
    const auto same = equal(*each, *item);
    if (same && *same) return true;
    if (!same) found = std::nullopt;
  }
  return found;
}

// Returns the result of comparing two values, or nullopt if it is unknown.
std::optional<bool> Interpreter::compare(const std::string& operation, const Ref& left, const Ref& right) {
  if (operation == "==" || operation == "!=") {
    const auto same = equal(*left, *right);
    return same ? std::optional(*same == (operation == "==")) : std::nullopt;
  }
  if (operation == "is" || operation == "is not") {
    const auto same = identical(left, right);
    return same ? std::optional(*same == (operation == "is")) : std::nullopt;
  }
  if (operation == "in" || operation == "not in") {
    const auto found = contains(right, left);
    return found ? std::optional(*found == (operation == "in")) : std::nullopt;
  }
  const auto ordered = [&](auto order) -> std::optional<bool> {
    return operation == "<" ? order < 0 : operation == "<=" ? order <= 0 : operation == ">" ? order > 0 : order >= 0;
  };
  const std::string* one = left->is_whole() ? left->string() : nullptr;
  const std::string* other = right->is_whole() ? right->string() : nullptr;
  if (one != nullptr && other != nullptr) {
    if (!reads(std::min(one->size(), other->size()))) return std::nullopt;
    return ordered(one->compare(*other));
  }
  const auto a = number_in(*left);
  const auto b = number_in(*right);
  if (!a || !b) {
    return std::nullopt;
  }
  const python::Operand x = python::operand(*a);
  const python::Operand y = python::operand(*b);
  const auto* i = std::get_if<std::int64_t>(&x);
  const auto* j = std::get_if<std::int64_t>(&y);
  if (i != nullptr && j != nullptr) return ordered(*i < *j ? -1 : *i > *j ? 1 : 0);
  const double u = python::as_double(x);
  const double v = python::as_double(y);
  return operation == "<" ? u < v : operation == "<=" ? u <= v : operation == ">" ? u > v : u >= v;
}

// Returns true for the first part of a chain, and false for a comparison in parentheses.
static bool is_chained(const python::Node& node) {
  return (node.kind == Form::comparison || node.kind == Form::membership) &&
         node.span.begin == node.parts.front().span.begin;
}

// The comparisons of a chain have their operands in common.
Ref Interpreter::comparison(const Node& node) {
  std::vector<const Node*> chain;
  for (const Node* at = &node;; at = &at->parts.front()) {
    chain.push_back(at);
    if (!is_chained(at->parts.front())) break;
  }
  Ref left = evaluate(chain.back()->parts.front());
  std::string assumed;
  for (std::size_t at = chain.size(); at-- > 0;) {
    const Ref right = evaluate(chain[at]->parts[1]);
    const auto result = compare(chain[at]->text, left, right);
    if (!result) {
      risks_ += chain[at]->text == "is" || chain[at]->text == "is not" ? 0 : 1;
      const bool instance = left->kind == Kind::instance || right->kind == Kind::instance;
      if (instance) {
        escape(left, node.span, "it is compared");
        escape(right, node.span, "it is compared");
      }
      for (; at-- > 0;) maybe(chain[at]->parts[1], node.span);
      return depends(node.span, {left, right}, "it depends on a condition");
    }
    for (const Ref& value : {left, right}) {
      if (!value->assumed.empty()) assumed = value->assumed;
    }
    if (!*result || at == 0) {
      Ref out = scalar(node.span, *result);
      out->assumed = assumed;
      if (!assumed.empty()) {
        for (; at-- > 0;) maybe(chain[at]->parts[1], node.span);
      }
      return out;
    }
    left = right;
  }
  return opaque(node.span, "it depends on a condition");
}

// Returns the truth of a value that is computed from the default of an option.
static std::optional<bool> default_truth(const Value& value) {
  return !value.assumed.empty() && value.is_whole() ? std::optional(python::is_true({value.data, {}})) : std::nullopt;
}

Ref Interpreter::logical(const Node& node) {
  const Ref left = evaluate(node.parts[0]);
  const bool is_or = node.text == "or";
  if (const auto known = test(left, node.span)) {
    return *known == is_or ? left : evaluate(node.parts[1]);
  }
  const Ref right = maybe(node.parts[1], node.span);
  if (const auto assumed = default_truth(*left); assumed && right->kind == Kind::scalar) {
    Ref out = *assumed == is_or ? left : std::make_shared<Value>(*right);
    return inherit(out, {left});
  }
  Ref out = heap_.join(left, right, node.span, "it depends on a condition");
  if (out->kind == Kind::unknown) {
    const Ref reason = depends(node.span, {left, right});
    out->why = reason->why;
    out->text = reason->text;
  }
  return out;
}

Ref Interpreter::conditional(const Node& node) {
  const Ref value = evaluate(node.parts[1]);
  if (const auto condition = test(value, node.span)) {
    return evaluate(node.parts[*condition ? 0 : 2]);
  }
  Ref one;
  Ref other;
  const Flow flow = choose({[&] {
                              one = evaluate(node.parts[0]);
                              return Flow::normal;
                            },
                            [&] {
                              other = evaluate(node.parts[2]);
                              return Flow::normal;
                            }},
                           node.parts[1].span, "it depends on a condition");
  raised_ = raised_ || flow == Flow::dead;
  const auto by_default = default_of(value);
  return heap_.join(one, other, node.parts[1].span,
                    by_default ? option_reason(by_default->option) : std::string("it depends on a condition"),
                    by_default);
}

}  // namespace sparsecfg::script
