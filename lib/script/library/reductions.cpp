#include <algorithm>

#include "base/text.h"
#include "python/numbers.h"
#include "script/interpreter.h"
#include "script/library/functions.h"
#include "script/library/sorting.h"

// Builtin functions that compute one value of several.
namespace sparsecfg::script {

using Kind = Value::Kind;
using Role = Value::Role;

static std::int64_t code_points(std::string_view text) {
  std::int64_t count = 0;
  for (std::size_t at = 0; at < text.size(); ++count) static_cast<void>(base::next_code_point(text, at));
  return count;
}

Ref length(const Call& call) {
  const Ref& value = call.values[0];
  if (types_of(*value) == types::text)
    return call.interpreter.inherit(scalar(call.node.span, code_points(*value->string())), {value});
  const bool listed = is_sequence(*value) && (value->role == Role::plain || value->role == Role::range);
  if (listed) return scalar(call.node.span, static_cast<std::int64_t>(value->items.size()));
  if (is_closed_mapping(*value)) return scalar(call.node.span, static_cast<std::int64_t>(value->items.size() / 2));
  return call.interpreter.depends(call.node.span, {value}, "the length is unknown");
}

static Ref unknown_elements(const Call& call) {
  return call.interpreter.selects(call.node.span, call.arguments.positional, "the elements are unknown");
}

// Adds one element to a total. Returns null if it is not a number, or not a list like the total.
static Ref added(const Call& call, const Ref& total, const Ref& item, bool single) {
  const bool joins = item->kind == total->kind && (item->kind == Kind::list || item->kind == Kind::tuple);
  // Since 3.12, sums of floats are compensated.
  const bool real = std::holds_alternative<double>(item->data) && !single;
  return (number_in(*item) && !real) || joins ? call.interpreter.operate("+", total, item, call.node) : nullptr;
}

Ref sum(const Call& call) {
  const auto items = call.interpreter.elements(call.values[0], call.node.span);
  if (!items) return unknown_elements(call);
  Ref total = call.has(1) ? call.values[1] : scalar(call.node.span, std::int64_t{0});
  for (const Ref& item : *items) {
    total = added(call, total, item, items->size() == 1);
    if (total == nullptr) return call.interpreter.selects(call.node.span, *items, "an element is unknown");
  }
  return total;
}

static Ref extreme(const Call& call, bool largest) {
  Interpreter& in = call.interpreter;
  const auto items =
      call.rest.empty() ? in.elements(call.values[0], call.node.span) : std::optional(call.arguments.positional);
  if (!items) return unknown_elements(call);
  if (items->empty()) return in.opaque(call.node.span, "there are no elements");
  const Ref out = extreme_item(in, *items, largest, call.values[2], call.node);
  return out != nullptr ? out : in.selects(call.node.span, *items, "the order is unknown");
}

Ref smallest(const Call& call) { return extreme(call, false); }

Ref largest(const Call& call) { return extreme(call, true); }

// `any` if `wanted`, else `all`.
static Ref quantified(const Call& call, bool wanted) {
  const auto items = call.interpreter.elements(call.values[0], call.node.span);
  if (!items) return unknown_elements(call);
  for (const Ref& item : *items) {
    const auto value = call.interpreter.truth(item);
    if (!value) return call.interpreter.depends(call.node.span, *items, "an element is unknown");
    if (*value == wanted) return scalar(call.node.span, wanted);
  }
  return scalar(call.node.span, !wanted);
}

Ref any_of(const Call& call) { return quantified(call, true); }

Ref all_of(const Call& call) { return quantified(call, false); }

// A function of numbers that recipes have, too.
static Ref numeric(const Call& call, const char* name) {
  std::vector<python::Number> numbers;
  for (const Ref& value : call.arguments.all()) {
    const auto number = number_in(*value);
    if (!number) return nullptr;
    numbers.push_back(*number);
  }
  const python::Outcome outcome = python::call(name, numbers, {});
  const auto* number = std::get_if<python::Number>(&outcome);
  if (number == nullptr) return nullptr;
  const auto value = [&](auto plain) { return scalar(call.node.span, plain); };
  return call.interpreter.inherit(std::visit(value, *number), {call.values[0]});
}

Ref absolute(const Call& call) { return numeric(call, "abs"); }

Ref rounded(const Call& call) { return numeric(call, "round"); }

}  // namespace sparsecfg::script
