#include <algorithm>

#include "base/limits.h"
#include "script/interpreter.h"
#include "script/library/functions.h"
#include "script/library/sorting.h"

// Builtin functions that return iterators, and `sorted`.
namespace sparsecfg::script {

using Kind = Value::Kind;
using Role = Value::Role;

// The number of elements; nullopt if it is too large.
static std::optional<std::int64_t> size_of_range(std::int64_t begin, std::int64_t end, std::int64_t step) {
  constexpr std::int64_t kMaxBound = std::int64_t{1} << 60;
  const bool fits = std::abs(begin) < kMaxBound && std::abs(end) < kMaxBound && std::abs(step) < kMaxBound;
  if (step == 0 || !fits) return std::nullopt;
  const std::int64_t size = step > 0 ? (end - begin + step - 1) / step : (begin - end - step - 1) / -step;
  return size > limits::kMaxScriptRange ? std::nullopt : std::optional(std::max(size, std::int64_t{0}));
}

Ref range(const Call& call) {
  Interpreter& in = call.interpreter;
  std::int64_t bounds[3] = {0, 0, 1};
  const std::size_t count = call.has(2) ? 3 : call.has(1) ? 2 : 1;
  for (std::size_t at = 0; at < count; ++at) {
    if (types_of(*call.values[at]) != types::integer)
      return in.depends(call.node.span, call.arguments.positional, "the range is unknown");
    bounds[count == 1 ? 1 : at] = call.integer(at, 0);
  }
  const auto size = size_of_range(bounds[0], bounds[1], bounds[2]);
  if (!size || !in.builds(static_cast<std::size_t>(*size) * sizeof(Value)))
    return in.opaque(call.node.span, "the range is too large");
  std::vector<Ref> items;
  for (std::int64_t at = 0; at < *size; ++at) items.push_back(scalar(call.node.span, bounds[0] + at * bounds[2]));
  return in.list_like(Kind::list, std::move(items), call.node, Role::range);
}

Ref sorted(const Call& call) {
  Interpreter& in = call.interpreter;
  const Ref& values = call.values[0];
  const bool set = values->kind == Kind::set && is_sequence(*values);
  const auto items = set ? std::optional(values->items) : in.elements(values, call.node.span);
  const bool has_key = call.has(1);  // a function that may change the elements
  if (!items && has_key) return nullptr;
  if (!items) return in.selects(call.node.span, call.arguments.all(), "the elements are unknown");
  auto out = sorted_items(in, *items, call.values[1], call.values[2], call.node);
  if (!out && has_key) return nullptr;
  return out ? in.list_like(Kind::list, std::move(*out), call.node)
             : in.selects(call.node.span, call.arguments.all(), "the order is unknown");
}

// The result of a function that selects elements of its arguments, which are not known.
static Ref unknown_selection(const Call& call) {
  const std::vector<Ref> all = call.arguments.positional;
  Ref out = call.interpreter.selects(call.node.span, all, "the elements are unknown");
  for (const Ref& value : all) out->items.insert(out->items.end(), value->items.begin(), value->items.end());
  return out;
}

static bool is_generator(const Ref& value) { return value->role == Role::generator; }

Ref computed_from(const Ref& generator, const std::vector<Ref>& values) {
  for (const Ref& value : values) {
    if (is_generator(value)) generator->aliases.push_back(value);
  }
  return generator;
}

// A generator whose elements a function computes.
static Ref generator_over(const Call& call, std::vector<Ref> items, const Ref& function) {
  const Ref out = call.interpreter.list_like(Kind::list, std::move(items), call.node, Role::generator);
  if (function->kind != Kind::scalar && function->kind != Kind::name) out->aliases.push_back(function);
  return computed_from(out, call.arguments.positional);
}

// Returns an iterator over elements, which is unknown after one of the arguments changes.
static Ref iterator_over(const Call& call, std::vector<Ref> items) {
  const std::vector<Ref>& all = call.arguments.positional;
  const bool lazy = std::ranges::any_of(all, is_generator);
  const Ref out = computed_from(
      call.interpreter.list_like(Kind::list, std::move(items), call.node, lazy ? Role::generator : Role::iterator),
      all);
  for (const Ref& value : all) {
    if (is_mutable(*value)) derive(value, out);
  }
  return out;
}

Ref enumerate(const Call& call) {
  Interpreter& in = call.interpreter;
  const auto items = in.elements(call.values[0], call.node.span);
  if (!items) return unknown_selection(call);
  if (call.has(1) && types_of(*call.values[1]) != types::integer) return nullptr;
  if (!in.builds(items->size() * sizeof(Value) * 2)) return nullptr;
  std::int64_t number = call.integer(1, 0);
  std::vector<Ref> out;
  for (const Ref& item : *items) {
    out.push_back(in.made(container(Kind::tuple, call.node.span, {scalar(call.node.span, number++), item})));
  }
  return iterator_over(call, std::move(out));
}

using Columns = std::vector<std::vector<Ref>>;

static std::optional<Columns> columns_of(const Call& call, std::span<const Ref> values) {
  Columns out;
  for (const Ref& value : values) {
    auto items = call.interpreter.elements(value, call.node.span);
    if (!items) return std::nullopt;
    out.push_back(std::move(*items));
  }
  return out;
}

// The number of rows of the shortest column.
static std::size_t rows_of(const Columns& columns) {
  std::size_t size = columns.empty() ? 0 : columns.front().size();
  for (const auto& column : columns) size = std::min(size, column.size());
  return size;
}

Ref zip(const Call& call) {
  Interpreter& in = call.interpreter;
  if (call.rest.empty()) return nullptr;
  const auto columns = columns_of(call, call.rest);
  if (!columns) return unknown_selection(call);
  const std::size_t size = rows_of(*columns);
  if (!in.builds(size * (sizeof(Value) + columns->size() * sizeof(Ref)))) return nullptr;
  std::vector<Ref> out;
  for (std::size_t at = 0; at < size; ++at) {
    std::vector<Ref> row;
    for (const auto& column : *columns) row.push_back(column[at]);
    out.push_back(in.made(container(Kind::tuple, call.node.span, std::move(row))));
  }
  return iterator_over(call, std::move(out));
}

Ref reversed(const Call& call) {
  if (call.values[0]->kind == Kind::dictionary || call.values[0]->kind == Kind::set) return nullptr;
  auto items = call.interpreter.elements(call.values[0], call.node.span);
  if (!items) return unknown_selection(call);
  std::ranges::reverse(*items);
  return iterator_over(call, std::move(*items));
}

Ref iterator_of(const Call& call) {
  auto items = call.interpreter.elements(call.values[0], call.node.span);
  return items ? iterator_over(call, std::move(*items)) : unknown_selection(call);
}

// Returns the next element of an iterator, and removes it.
Ref next_item(const Call& call) {
  Interpreter& in = call.interpreter;
  const Ref& iterator = call.values[0];
  const bool iterates = iterator->role == Role::iterator || iterator->role == Role::generator;
  if (!iterates || !is_sequence(*iterator) || iterator->escaped) {
    for (const Ref& value : call.arguments.positional) in.escape(value, call.node.span, "`next()` changes it");
    return in.selects(call.node.span, call.arguments.positional, "it depends on `next(...)`");
  }
  if (iterator->items.empty())
    return call.has(1) ? call.values[1] : in.opaque(call.node.span, "the iterator has no more elements");
  const Ref out = iterator->items.front();
  if (in.heap().change(iterator)) iterator->items.erase(iterator->items.begin());
  return out;
}

// The generator may run its function later, partly or never.
Ref map_items(const Call& call) {
  Interpreter& in = call.interpreter;
  std::vector<Ref> values{call.values[1]};
  values.insert(values.end(), call.rest.begin(), call.rest.end());
  const auto columns = columns_of(call, values);
  const std::size_t size = columns ? rows_of(*columns) : 0;
  if (!columns || !in.builds(size * sizeof(Value))) return nullptr;
  std::vector<Ref> out;
  const bool effects = in.lazily(
      [&] {
        for (std::size_t at = 0; at < size; ++at) {
          Arguments row;
          for (const auto& column : *columns) row.positional.push_back(column[at]);
          out.push_back(in.call_value(call.values[0], row, call.node));
        }
      },
      call.node.span);
  // The function can change what the next element of a generator depends on.
  if (effects && std::ranges::any_of(values, is_generator)) return nullptr;
  return generator_over(call, std::move(out), call.values[0]);
}

Ref filter_items(const Call& call) {
  Interpreter& in = call.interpreter;
  const auto items = in.elements(call.values[1], call.node.span);
  if (!items || !in.builds(items->size() * sizeof(Value))) return nullptr;
  std::vector<Ref> out;
  bool known = true;
  const bool effects = in.lazily(
      [&] {
        for (const Ref& item : *items) {
          Arguments one;
          one.positional.push_back(item);
          const Ref value =
              types_of(*call.values[0]) == types::none ? item : in.call_value(call.values[0], one, call.node);
          const auto keeps = in.truth(value);
          known = known && keeps;
          if (keeps.value_or(true)) out.push_back(item);
        }
      },
      call.node.span);
  if (effects && is_generator(call.values[1])) return nullptr;
  if (known) return generator_over(call, std::move(out), call.values[0]);
  Ref lost = in.selects(call.node.span, call.arguments.positional, "it depends on a condition");
  lost->aliases.insert(lost->aliases.end(), out.begin(), out.end());
  return lost;
}

}  // namespace sparsecfg::script
