#include <algorithm>

#include "base/number.h"
#include "base/text.h"
#include "python/integer.h"
#include "python/numbers.h"
#include "script/interpreter.h"
#include "script/library/functions.h"
#include "script/library/paths.h"

// Builtin functions that convert values.
namespace sparsecfg::script {

using Kind = Value::Kind;

// A collection of the same elements, which are not known.
static Ref unknown_collection(const Call& call, Kind kind, const Ref& value) {
  Interpreter& in = call.interpreter;
  const Ref out = in.selects(call.node.span, {value}, "the elements are unknown");
  if (value->kind == Kind::object || value->kind == Kind::instance) return out;
  out->items = value->items;
  if (value->kind != Kind::list && value->kind != Kind::tuple) return out;
  const Ref opened = in.made(container(kind, call.node.span, value->items));
  opened->open = true;
  opened->why = out->why;
  opened->text = out->text;
  return opened;
}

static Ref to_collection(const Call& call, Kind kind) {
  Interpreter& in = call.interpreter;
  if (!call.has(0)) return in.list_like(kind, {}, call.node);
  const Ref& value = call.values[0];
  const bool copies = value->kind == Kind::set && kind == Kind::set && is_sequence(*value);
  auto items = copies ? std::optional(value->items) : in.elements(value, call.node.span);
  if (!items) return unknown_collection(call, kind, value);
  const Ref out = in.list_like(kind, std::move(*items), call.node);
  if (kind != Kind::set) return out;
  in.make_unique(*out);
  return out->open ? in.selects(call.node.span, out->items, "an element is unknown") : out;
}

Ref to_list(const Call& call) { return to_collection(call, Kind::list); }

Ref to_tuple(const Call& call) { return to_collection(call, Kind::tuple); }

Ref to_set(const Call& call) { return to_collection(call, Kind::set); }

static Ref printed(const Call& call, const std::optional<std::string>& text) {
  Interpreter& in = call.interpreter;
  return text ? in.inherit(in.new_text(call.node.span, *text), {call.values[0]}) : nullptr;
}

Ref to_text(const Call& call) {
  Interpreter& in = call.interpreter;
  if (!call.has(0)) return in.new_text(call.node.span, "");
  const Ref& value = call.values[0];
  if (value->string() != nullptr) return value;
  if (const auto path = value->kind == Kind::object ? path_of(in, *value) : std::nullopt)
    return path_string(in, *path, call.node);
  return printed(call, in.str_of(*value));
}

Ref to_repr(const Call& call) { return printed(call, call.interpreter.repr_of(*call.values[0])); }

Ref to_format(const Call& call) {
  return call.has(1) ? nullptr : printed(call, call.interpreter.str_of(*call.values[0]));
}

static Ref number_result(const Call& call, const python::Outcome& outcome) {
  const auto* number = std::get_if<python::Number>(&outcome);
  if (number == nullptr) return nullptr;
  const auto value = [&](auto plain) { return scalar(call.node.span, plain); };
  return call.interpreter.inherit(std::visit(value, *number), {call.values[0]});
}

Ref to_integer(const Call& call) {
  if (!call.has(0)) return nullptr;
  const Ref& value = call.values[0];
  if (const auto number = number_in(*value)) return number_result(call, python::call("int", {*number}, {}));
  if (types_of(*value) != types::text || value->string()->find('_') != std::string::npos) return nullptr;
  const auto integer = python::Integer::parse(*value->string(), 10);
  return integer ? call.interpreter.inherit(scalar(call.node.span, integer->value()), {value}) : nullptr;
}

Ref to_real(const Call& call) {
  const Ref& value = call.values[0];
  if (const auto number = number_in(*value)) return number_result(call, python::as_double(python::operand(*number)));
  const auto real = types_of(*value) == types::text ? base::python_float(*value->string()) : std::nullopt;
  return real ? number_result(call, *real) : nullptr;
}

Ref to_boolean(const Call& call) {
  const Ref& value = call.values[0];
  if (const auto known = call.interpreter.truth(value)) return scalar(call.node.span, *known);
  const bool assumed = !value->assumed.empty() && value->kind == Kind::scalar;
  return assumed ? call.interpreter.inherit(scalar(call.node.span, python::is_true({value->data, {}})), {value})
                 : nullptr;
}

Ref to_character(const Call& call) {
  constexpr std::int64_t kSurrogates = 0xD800;
  const std::int64_t code = call.integer(0, 0);
  if (code <= 0 || code >= kSurrogates) return nullptr;
  std::string character;
  base::append_utf8(character, static_cast<char32_t>(code));
  return printed(call, character);
}

Ref to_code_point(const Call& call) {
  const std::string& text = call.text(0);
  if (text.size() != 1) return nullptr;
  return call.interpreter.inherit(
      scalar(call.node.span, static_cast<std::int64_t>(static_cast<unsigned char>(text.front()))), {call.values[0]});
}

}  // namespace sparsecfg::script
