#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "script/interpreter.h"

// Methods of lists, sets and dictionaries.
namespace sparsecfg::script {

using Kind = Value::Kind;

Ref Interpreter::method(const Ref& object, const std::string& name, const Arguments& arguments, const Node& node) {
  Ref out;
  const bool searches = name != "append" && name != "get" && name != "add" && name != "setdefault";
  if (searches && !budget_.spend_search(object->items.size())) limit(node.span);
  if (object->escaped && name != "copy" && name != "get" && name != "items" && name != "keys" && name != "values") {
    outdate(object, {}, node.span);
  }
  if (!arguments.is_open() || name == "format") {
    switch (object->kind) {
      case Kind::scalar:
        out = object->string() == nullptr ? nullptr : string_method(object, name, arguments, node);
        break;
      case Kind::list: out = object->path.empty() ? list_method(object, name, arguments, node) : nullptr; break;
      case Kind::tuple:
        out = name == "index" || name == "count" ? list_method(object, name, arguments, node) : nullptr;
        break;
      case Kind::set: out = set_method(object, name, arguments, node); break;
      case Kind::dictionary: out = dictionary_method(object, name, arguments, node); break;
      default: break;
    }
  } else if (object->kind == Kind::dictionary && name == "update") {
    out = dictionary_method(object, name, arguments, node);
  }
  if (out != nullptr) {
    return out;
  }
  const bool immutable = object->kind == Kind::scalar || object->kind == Kind::tuple;
  if (!immutable) escape(object, node.span, fmt::format("`.{}(...)` is not evaluated", name));
  for (const Ref& value : arguments.all()) escape(value, node.span, fmt::format("`.{}(...)` is not evaluated", name));
  std::vector<Ref> on{object};
  for (const Ref& value : arguments.all()) on.push_back(value);
  return depends(node.span, on, fmt::format("`.{}(...)` is not evaluated", name));
}

// Appends an item to a list, or to all lists that it may be.
bool Interpreter::add_item(const Ref& list, const Ref& item) {
  if (!budget_.allocate(sizeof(Ref))) {
    limit(list->span);
    return false;
  }
  const std::vector<Ref> variants = list->variants;
  keep(item);
  if (!heap_.change(list)) {
    escape(item, list->span, "it is an element of a list that can change");
    return true;
  }
  list->items.push_back(item);
  for (const Ref& variant : variants) {
    const Ref longer = container(Kind::list, variant->span, variant->items);
    longer->items.push_back(item);
    list->variants.push_back(longer);
  }
  return true;
}

Ref Interpreter::list_method(const Ref& list, const std::string& name, const Arguments& arguments, const Node& node) {
  const std::vector<Ref>& all = arguments.positional;
  const Ref none = scalar(node.span, std::monostate());
  if (name == "append" && all.size() == 1) {
    add_item(list, all[0]);
    return none;
  }
  if (name == "extend" && all.size() == 1) {
    const auto items = elements(all[0], node.span);
    if (items) {
      for (const Ref& item : *items) add_item(list, item);
      return none;
    }
    const std::vector<Ref> possible =
        all[0]->kind == Kind::object || all[0]->kind == Kind::instance ? std::vector<Ref>() : all[0]->items;
    const Ref reason = depends(node.span, {all[0]}, "the elements are unknown");
    escape(all[0], node.span, "its elements are added to a list");
    heap_.open(list, reason->why, reason->text);
    if (!list->escaped) list->items.insert(list->items.end(), possible.begin(), possible.end());
    return none;
  }
  if (list->open || !arguments.named.empty()) {
    if (name == "copy" && all.empty() && !list->escaped) {
      const Ref out = duplicate(list);
      link(out, list);
      return out;
    }
    const bool sorts = name == "sort" || name == "reverse" || name == "clear";
    if (!sorts) return nullptr;
  }
  const auto* index = all.empty() || all[0]->kind != Kind::scalar ? nullptr : std::get_if<std::int64_t>(&all[0]->data);
  const auto size = static_cast<std::int64_t>(list->items.size());
  if (name == "insert" && all.size() == 2 && index != nullptr && !list->open) {
    const std::int64_t place = std::clamp(*index < 0 ? *index + size : *index, std::int64_t{0}, size);
    keep(all[1]);
    if (budget_.allocate(sizeof(Ref)) && heap_.change(list))
      list->items.insert(list->items.begin() + static_cast<std::ptrdiff_t>(place), all[1]);
    return none;
  }
  if (name == "pop" && (all.empty() || index != nullptr)) {
    const std::int64_t at = all.empty() ? size - 1 : *index < 0 ? *index + size : *index;
    if (at < 0 || at >= size) return opaque(node.span, "the index is out of range");
    Ref out = list->items[static_cast<std::size_t>(at)];
    if (heap_.change(list)) list->items.erase(list->items.begin() + static_cast<std::ptrdiff_t>(at));
    return out;
  }
  if ((name == "remove" || name == "index" || name == "count") && all.size() == 1) {
    std::int64_t count = 0;
    for (std::int64_t at = 0; at < size; ++at) {
      const auto same = equal(*list->items[static_cast<std::size_t>(at)], *all[0]);
      if (!same) return nullptr;
      if (!*same) continue;
      ++count;
      if (name == "index") return scalar(node.span, at);
      if (name == "count") continue;
      if (heap_.change(list)) list->items.erase(list->items.begin() + static_cast<std::ptrdiff_t>(at));
      return none;
    }
    return name == "count" ? scalar(node.span, count) : opaque(node.span, "the list does not have this element");
  }
  if (name == "clear" && all.empty()) {
    if (heap_.change(list)) {
      list->items.clear();
      list->open = false;
    }
    return none;
  }
  if (name == "reverse" && all.empty() && !list->open) {
    if (heap_.change(list)) std::ranges::reverse(list->items);
    return none;
  }
  if (name == "sort" && all.empty() && !list->open) {
    Arguments same = arguments;
    same.positional.push_back(list);
    const Ref result = sorted(same, node);
    if (result == nullptr || result->kind != Kind::list) return nullptr;
    if (heap_.change(list)) list->items = result->items;
    return none;
  }
  if (name == "copy" && all.empty()) {
    return list_like(Kind::list, list->items, node);
  }
  return nullptr;
}

Ref Interpreter::set_method(const Ref& set, const std::string& name, const Arguments& arguments, const Node& node) {
  const std::vector<Ref>& all = arguments.positional;
  const auto key = all.size() == 1 ? key_text(*all[0]) : std::nullopt;
  if (set->open || !key || !arguments.named.empty()) {
    return nullptr;
  }
  if (!budget_.spend_search(set->items.size())) return nullptr;
  const auto place = std::ranges::find_if(set->items, [&](const Ref& item) { return key_text(*item) == key; });
  const Ref none = scalar(node.span, std::monostate());
  if (name == "add") {
    if (place == set->items.end() && budget_.allocate(sizeof(Ref)) && heap_.change(set)) set->items.push_back(all[0]);
    return none;
  }
  if (name == "discard" || name == "remove") {
    risks_ += place == set->items.end() ? 1 : 0;
    const auto at = place - set->items.begin();
    if (place != set->items.end() && heap_.change(set)) set->items.erase(set->items.begin() + at);
    return none;
  }
  return nullptr;
}

void Interpreter::update(const Ref& object, const Arguments& arguments, const Node& node) {
  if (object->escaped) {
    for (const Ref& value : arguments.all())
      escape(value, node.span, "it is an element of a dictionary that can change");
    return;
  }
  const Ref more = dictionary_of({arguments.positional, {}, {}, false, false, {}}, node);
  if (!heap_.change(object)) {
    return;
  }
  merge(*object, more == nullptr ? opaque(node.span, "the dictionary is unknown") : more, node.span);
  for (std::size_t at = 0; at < arguments.named.size(); ++at) {
    put(*object, scalar(arguments.names[at].span, arguments.names[at].value), arguments.named[at]);
  }
  if (arguments.is_open()) {
    for (const Ref& value : arguments.rest) merge(*object, value, node.span);
    if (!object->open) merge(*object, opaque(node.span, "the arguments are unknown"), node.span);
  }
  if (!budget_.allocate(object->items.size() * sizeof(Ref))) {
    limit(node.span);
    heap_.open(object, node.span, "the dictionary is too large");
  }
}

Ref Interpreter::dictionary_method(const Ref& object, const std::string& name, const Arguments& arguments,
                                   const Node& node) {
  const std::vector<Ref>& all = arguments.positional;
  for (const Ref& value : arguments.named) keep(value);
  if (name == "setdefault" && all.size() > 1) keep(all[1]);
  if (name == "update") {
    update(object, arguments, node);
    return scalar(node.span, std::monostate());
  }
  if (name == "items" || name == "keys" || name == "values") {
    if (object->open || !budget_.allocate(object->items.size() * sizeof(Value))) {
      Ref out = depends(node.span, {object}, "the keys are unknown");
      out->items = object->items;
      return out;
    }
    std::vector<Ref> items;
    for (std::size_t at = 0; at + 1 < object->items.size(); at += 2) {
      items.push_back(name == "keys" ? object->items[at]
                      : name == "values"
                          ? object->items[at + 1]
                          : made(container(Kind::tuple, node.span, {object->items[at], object->items[at + 1]})));
    }
    const Ref out = list_like(Kind::list, std::move(items), node, "view");
    if (out->kind == Kind::list) derive(object, out);
    return out;
  }
  const auto key = all.empty() ? std::nullopt : key_text(*all[0]);
  const std::size_t place = key ? place_of(*object, *key) : object->items.size();
  const bool found = place < object->items.size();
  const Ref fallback = all.size() > 1 ? all[1] : nullptr;
  if (name == "get" && key && all.size() <= 2) {
    if (found) return object->items[place + 1];
    if (!object->open) return fallback != nullptr ? fallback : scalar(node.span, std::monostate());
    Ref out = depends(node.span, {object}, "the keys are unknown");
    if (fallback != nullptr) out->items.push_back(fallback);
    return out;
  }
  if (name == "copy" && all.empty() && !object->escaped) {
    const Ref out = duplicate(object);
    out->path.clear();
    return out;
  }
  if (name == "clear" && all.empty()) {
    if (heap_.change(object)) {
      object->items.clear();
      object->index.clear();
      object->open = false;
    }
    return scalar(node.span, std::monostate());
  }
  if (name == "pop" && key && !object->escaped && (found || !object->open)) {
    if (!found) return fallback != nullptr ? fallback : opaque(node.span, "the dictionary does not have this key");
    Ref out = object->items[place + 1];
    if (heap_.change(object)) erase_entry(*object, place);
    return out;
  }
  if (name == "setdefault" && key && !object->escaped && (found || !object->open)) {
    if (found) return object->items[place + 1];
    const Ref value = fallback != nullptr ? fallback : scalar(node.span, std::monostate());
    if (budget_.allocate(sizeof(Value)) && heap_.change(object)) put(*object, all[0], value);
    return value;
  }
  return nullptr;
}

}  // namespace sparsecfg::script
