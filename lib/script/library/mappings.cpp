#include "script/library/mappings.h"

#include "script/interpreter.h"
#include "script/library/tables.h"

// Dictionaries and their methods.
namespace sparsecfg::script {

using Kind = Value::Kind;

// Adds pairs of keys and values. Returns false if they are not known.
static bool put_pairs(Interpreter& in, Value& out, const Ref& pairs, source::Span span) {
  const auto items = in.elements(pairs, span);
  if (!items) return false;
  for (const Ref& item : *items) {
    const auto pair = in.elements(item, span);
    if (!pair || pair->size() != 2 || !in.key_of(*pair->front())) return false;
    put(out, pair->front(), pair->back());
  }
  return true;
}

static void put_named(Value& out, const Arguments& arguments) {
  for (std::size_t at = 0; at < arguments.named.size(); ++at) {
    put(out, scalar(arguments.names[at].span, arguments.names[at].value), arguments.named[at]);
  }
}

Ref dictionary_of(Interpreter& in, const Arguments& arguments, const python::Node& node) {
  if (arguments.positional.size() > 1) return nullptr;
  const Ref out = in.made(container(Kind::dictionary, node.span));
  if (!arguments.positional.empty()) {
    const Ref& first = arguments.positional.front();
    if (first->kind == Kind::dictionary) {
      in.merge(*out, first, node.span);
    } else if (!put_pairs(in, *out, first, node.span)) {
      in.merge(*out, in.depends(node.span, {first}, "the dictionary is unknown"), node.span);
    }
  }
  put_named(*out, arguments);
  if (!in.builds((out->items.size() + arguments.named.size()) * sizeof(Ref) + arguments.named.size() * sizeof(Value))) {
    in.limit(node.span);
    return unknown(node.span, "the dictionary is too large");
  }
  return out;
}

void update_mapping(Interpreter& in, const Ref& mapping, const Arguments& arguments, const python::Node& node) {
  if (mapping->escaped) {
    for (const Ref& value : arguments.all())
      in.escape(value, node.span, "it is an element of a dictionary that can change");
    return;
  }
  const Ref more = dictionary_of(in, {arguments.positional, {}, {}, false, false, {}}, node);
  if (!in.heap().change(mapping)) return;
  in.merge(*mapping, more == nullptr ? in.opaque(node.span, "the dictionary is unknown") : more, node.span);
  put_named(*mapping, arguments);
  if (arguments.is_open()) {
    for (const Ref& value : arguments.rest) in.merge(*mapping, value, node.span);
    if (!mapping->open) in.merge(*mapping, in.opaque(node.span, "the arguments are unknown"), node.span);
  }
  if (!in.builds(arguments.named.size() * sizeof(Value))) {
    in.limit(node.span);
    in.heap().open(mapping, node.span, "the dictionary is too large");
  }
}

static Ref update(const Call& call) {
  for (const Ref& value : call.arguments.named) call.interpreter.keep(value);
  update_mapping(call.interpreter, call.self, call.arguments, call.node);
  return scalar(call.node.span, std::monostate());
}

// A view of parts of the entries, which is unknown after the dictionary changes.
template <class Part>
static Ref view(const Call& call, std::size_t bytes, Part part) {
  Interpreter& in = call.interpreter;
  if (call.self->open || !in.builds(call.self->items.size() / 2 * bytes)) {
    Ref out = in.depends(call.node.span, {call.self}, "the keys are unknown");
    out->items = call.self->items;
    return out;
  }
  std::vector<Ref> items;
  for (std::size_t at = 0; at + 1 < call.self->items.size(); at += 2) {
    items.push_back(part(call.self->items[at], call.self->items[at + 1]));
  }
  const Ref out = in.list_like(Kind::list, std::move(items), call.node, Value::Role::view);
  if (out->kind == Kind::list) derive(call.self, out);
  return out;
}

static Ref keys(const Call& call) {
  return view(call, sizeof(Ref), [](const Ref& key, const Ref&) { return key; });
}

static Ref values(const Call& call) {
  return view(call, sizeof(Ref), [](const Ref&, const Ref& value) { return value; });
}

static Ref items(const Call& call) {
  return view(call, sizeof(Value), [&](const Ref& key, const Ref& value) {
    return call.interpreter.made(container(Kind::tuple, call.node.span, {key, value}));
  });
}

// Returns the place of the first argument in the items; nullopt if the key is unknown.
static std::optional<std::size_t> place_of_key(const Call& call) {
  const auto key = call.interpreter.key_of(*call.values[0]);
  return key ? std::optional(place_of(*call.self, *key)) : std::nullopt;
}

static Ref fallback_of(const Call& call) {
  return call.has(1) ? call.values[1] : scalar(call.node.span, std::monostate());
}

static Ref get(const Call& call) {
  const auto place = place_of_key(call);
  if (!place) return nullptr;
  if (*place < call.self->items.size()) return call.self->items[*place + 1];
  if (!call.self->open) return fallback_of(call);
  Ref out = call.interpreter.depends(call.node.span, {call.self}, "the keys are unknown");
  out->aliases = call.self->aliases;
  if (call.has(1)) out->items.push_back(call.values[1]);
  return out;
}

static Ref copy_mapping(const Call& call) {
  if (call.self->escaped) return nullptr;
  const Ref out = call.interpreter.duplicate(call.self);
  out->path.clear();
  return out;
}

static Ref clear_mapping(const Call& call) {
  if (call.interpreter.heap().change(call.self)) {
    call.self->items.clear();
    call.self->index.clear();
    call.self->open = false;
  }
  return scalar(call.node.span, std::monostate());
}

// Returns the place of a key if the script can rely on whether the dictionary has it.
static std::optional<std::size_t> certain_place(const Call& call) {
  const auto place = place_of_key(call);
  const bool known = place && !call.self->escaped && (*place < call.self->items.size() || !call.self->open);
  return known ? place : std::nullopt;
}

static Ref pop_key(const Call& call) {
  const auto place = certain_place(call);
  if (!place) return nullptr;
  if (*place == call.self->items.size()) {
    return call.has(1) ? call.values[1]
                       : call.interpreter.opaque(call.node.span, "the dictionary does not have this key");
  }
  Ref out = call.self->items[*place + 1];
  if (call.interpreter.heap().change(call.self)) erase_entry(*call.self, *place);
  return out;
}

static Ref set_default(const Call& call) {
  const auto place = certain_place(call);
  if (call.has(1)) call.interpreter.keep(call.values[1]);
  if (!place) return nullptr;
  if (*place < call.self->items.size()) return call.self->items[*place + 1];
  const Ref value = fallback_of(call);
  if (call.interpreter.builds(sizeof(Value)) && call.interpreter.heap().change(call.self))
    put(*call.self, call.values[0], value);
  return value;
}

std::span<const Operation> mapping_methods() {
  using enum Parameter::Presence;
  constexpr Traits changes = traits::changes | traits::escapes;
  const Parameter key{};
  const Parameter fallback{"", types::any, optional};
  static const std::vector<Operation> rows = {
      {"update", {{"", types::any, rest}, {"", types::any, mapping}}, Cost::all, &update, changes | traits::open},
      {"keys", {}, Cost::receiver, &keys, traits::escapes},
      {"values", {}, Cost::receiver, &values, traits::escapes},
      {"items", {}, Cost::receiver, &items, traits::escapes},
      {"get", {key, fallback}, Cost::constant, &get, traits::escapes},
      {"copy", {}, Cost::receiver, &copy_mapping, traits::escapes},
      {"clear", {}, Cost::receiver, &clear_mapping, changes},
      {"pop", {key, fallback}, Cost::receiver, &pop_key, changes},
      {"setdefault", {key, fallback}, Cost::constant, &set_default, changes},
  };
  return rows;
}

}  // namespace sparsecfg::script
