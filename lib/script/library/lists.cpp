#include <algorithm>

#include "script/interpreter.h"
#include "script/library/sorting.h"
#include "script/library/tables.h"

// Methods of lists, tuples and sets.
namespace sparsecfg::script {

using Kind = Value::Kind;

static Ref none_result(const Call& call) { return scalar(call.node.span, std::monostate()); }

static Ref append_item(const Call& call) {
  call.interpreter.add_item(call.self, call.values[0]);
  return none_result(call);
}

// Adds possible elements of a list whose elements are not known.
static void extend_by_unknown(const Call& call, const Ref& values) {
  Interpreter& in = call.interpreter;
  const bool has_parts = values->kind != Kind::object && values->kind != Kind::instance;
  const std::vector<Ref> possible = has_parts ? values->items : std::vector<Ref>();
  const Ref reason = in.depends(call.node.span, {values}, "the elements are unknown");
  in.escape(values, call.node.span, "its elements are added to a list");
  in.heap().open(call.self, reason->why, reason->text);
  const bool adds = !call.self->escaped && in.builds(possible.size() * sizeof(Ref));
  if (adds) call.self->items.insert(call.self->items.end(), possible.begin(), possible.end());
}

static Ref extend_list(const Call& call) {
  const auto items = call.interpreter.elements(call.values[0], call.node.span);
  if (!items) {
    extend_by_unknown(call, call.values[0]);
    return none_result(call);
  }
  for (const Ref& item : *items) call.interpreter.add_item(call.self, item);
  return none_result(call);
}

static Ref insert_item(const Call& call) {
  Interpreter& in = call.interpreter;
  const auto size = static_cast<std::int64_t>(call.self->items.size());
  const std::int64_t index = call.integer(0, 0);
  const std::int64_t place = std::clamp(index < 0 ? index + size : index, std::int64_t{0}, size);
  if (call.self->open) return nullptr;
  in.keep(call.values[1]);
  const bool fits = in.visits(static_cast<std::size_t>(size - place)) && in.builds(sizeof(Ref));
  if (fits && in.heap().change(call.self)) call.self->items.insert(call.self->items.begin() + place, call.values[1]);
  return none_result(call);
}

static Ref pop_item(const Call& call) {
  Interpreter& in = call.interpreter;
  if (call.self->open) return nullptr;
  const auto size = static_cast<std::int64_t>(call.self->items.size());
  const std::int64_t index = call.integer(0, -1);
  const std::int64_t place = index < 0 ? index + size : index;
  if (place < 0 || place >= size) return in.opaque(call.node.span, "the index is out of range");
  Ref out = call.self->items[static_cast<std::size_t>(place)];
  const bool fits = in.visits(static_cast<std::size_t>(size - place));
  if (fits && in.heap().change(call.self)) call.self->items.erase(call.self->items.begin() + place);
  return out;
}

// Returns the place of an element, or the number of elements; nullopt if an element cannot be compared.
static std::optional<std::size_t> place_in(const Call& call) {
  const std::vector<Ref>& items = call.self->items;
  for (std::size_t at = 0; at < items.size(); ++at) {
    const auto same = call.interpreter.equal(*items[at], *call.values[0]);
    if (!same) return std::nullopt;
    if (*same) return at;
  }
  return items.size();
}

static Ref index_of_item(const Call& call) {
  const auto place = call.self->open ? std::nullopt : place_in(call);
  if (!place) return nullptr;
  return *place < call.self->items.size()
             ? scalar(call.node.span, static_cast<std::int64_t>(*place))
             : call.interpreter.opaque(call.node.span, "the list does not have this element");
}

static Ref remove_item(const Call& call) {
  const auto place = call.self->open ? std::nullopt : place_in(call);
  if (!place) return nullptr;
  if (*place == call.self->items.size())
    return call.interpreter.opaque(call.node.span, "the list does not have this element");
  if (call.interpreter.heap().change(call.self))
    call.self->items.erase(call.self->items.begin() + static_cast<std::ptrdiff_t>(*place));
  return none_result(call);
}

static Ref count_items(const Call& call) {
  if (call.self->open) return nullptr;
  std::int64_t count = 0;
  for (const Ref& item : call.self->items) {
    const auto same = call.interpreter.equal(*item, *call.values[0]);
    if (!same) return nullptr;
    count += *same ? 1 : 0;
  }
  return scalar(call.node.span, count);
}

static Ref clear_list(const Call& call) {
  if (call.interpreter.heap().change(call.self)) {
    call.self->items.clear();
    call.self->open = false;
  }
  return none_result(call);
}

static Ref reverse_list(const Call& call) {
  if (call.self->open) return nullptr;
  if (call.interpreter.heap().change(call.self)) std::ranges::reverse(call.self->items);
  return none_result(call);
}

static Ref sort_list(const Call& call) {
  if (call.self->open) return nullptr;
  const auto sorted = sorted_items(call.interpreter, call.self->items, call.values[0], call.values[1], call.node);
  if (!sorted) return nullptr;
  if (call.interpreter.heap().change(call.self)) call.self->items = *sorted;
  return none_result(call);
}

static Ref copy_list(const Call& call) {
  Interpreter& in = call.interpreter;
  if (call.self->escaped) return nullptr;
  if (!call.self->open) return in.list_like(call.self->kind, call.self->items, call.node);
  const Ref out = in.duplicate(call.self);
  link(out, call.self);
  return out;
}

std::span<const Operation> list_methods() {
  using enum Parameter::Presence;
  constexpr Traits changes = traits::changes | traits::escapes;
  const Parameter item{};
  const Parameter place{"", types::integer};
  static const std::vector<Operation> rows = {
      {"append", {item}, Cost::constant, &append_item, changes},
      {"extend", {item}, Cost::constant, &extend_list, changes},
      {"insert", {place, item}, Cost::constant, &insert_item, changes},
      {"pop", {{"", types::integer, optional}}, Cost::constant, &pop_item, changes},
      {"remove", {item}, Cost::receiver, &remove_item, changes},
      {"index", {item}, Cost::receiver, &index_of_item, traits::escapes},
      {"count", {item}, Cost::receiver, &count_items, traits::escapes},
      {"clear", {}, Cost::receiver, &clear_list, changes},
      {"reverse", {}, Cost::receiver, &reverse_list, changes},
      {"sort", {{"key", types::any, optional}, {"reverse", types::any, optional}}, Cost::receiver, &sort_list, changes},
      {"copy", {}, Cost::receiver, &copy_list, traits::escapes},
  };
  return rows;
}

std::span<const Operation> tuple_methods() {
  static const std::vector<Operation> rows = {
      {"index", {Parameter{}}, Cost::receiver, &index_of_item, traits::escapes},
      {"count", {Parameter{}}, Cost::receiver, &count_items, traits::escapes},
  };
  return rows;
}

// Returns the place of an element of a set, or the number of elements; nullopt if it cannot be found.
static std::optional<std::size_t> place_in_set(const Call& call) {
  const auto key = call.interpreter.key_of(*call.values[0]);
  if (call.self->open || !key) return std::nullopt;
  const auto found = std::ranges::find_if(call.self->items, [&](const Ref& item) { return has_key(*item, *key); });
  return static_cast<std::size_t>(found - call.self->items.begin());
}

static Ref add_to_set(const Call& call) {
  const auto place = place_in_set(call);
  if (!place) return nullptr;
  const bool is_new = *place == call.self->items.size() && call.interpreter.builds(sizeof(Ref));
  if (is_new && call.interpreter.heap().change(call.self)) call.self->items.push_back(call.values[0]);
  return none_result(call);
}

static Ref remove_from_set(const Call& call) {
  const auto place = place_in_set(call);
  if (!place) return nullptr;
  if (*place == call.self->items.size()) {
    call.interpreter.risk();
  } else if (call.interpreter.heap().change(call.self)) {
    call.self->items.erase(call.self->items.begin() + static_cast<std::ptrdiff_t>(*place));
  }
  return none_result(call);
}

std::span<const Operation> set_methods() {
  constexpr Traits changes = traits::changes | traits::escapes;
  static const std::vector<Operation> rows = {
      {"add", {Parameter{}}, Cost::receiver, &add_to_set, changes},
      {"discard", {Parameter{}}, Cost::receiver, &remove_from_set, changes},
      {"remove", {Parameter{}}, Cost::receiver, &remove_from_set, changes},
      {"copy", {}, Cost::receiver, &copy_list, traits::escapes},
  };
  return rows;
}

}  // namespace sparsecfg::script
