#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "script/follower.h"

namespace sparsecfg::script {

using Kind = Value::Kind;

Ref Follower::call(const Node& node) {
  if (node.kind == Node::Kind::call_of) {
    const Node& function = node.parts.front();
    if (function.kind == Node::Kind::attribute) {
      const Ref object = value_of(function.parts.front());
      if (object->kind != Kind::name) {
        return method(node, object, function.text);
      }
    }
    return make_object(node, value_of(function));
  }
  Node callee;
  callee.kind = Node::Kind::name;
  callee.text = node.text;
  callee.span = {node.offset, node.offset + static_cast<std::uint32_t>(node.text.size())};
  const Ref function = name(callee);
  if (function->kind == Kind::function) {
    return run_function(node, function);
  }
  if (Ref result = function->kind == Kind::name && !function->imported ? builtin(node, node.text) : nullptr) {
    return result;
  }
  Ref out = make_object(node, function);
  out->name_span = callee.span;
  return out;
}

// Evaluates the arguments. A mapping after `**` becomes named arguments.
Ref Follower::make_object(const Node& node, const Ref& callee) {
  Ref out = std::make_shared<Value>();
  const bool known = callee->kind == Kind::name;
  out->kind = Kind::object;
  out->span = node.span;
  out->path = known ? callee->path : std::string();
  out->imported = callee->imported;
  out->name_span = callee->span;
  const std::size_t first = node.kind == Node::Kind::call_of ? 1 : 0;
  const std::size_t named = node.parts.size() - node.keywords.size();
  for (std::size_t at = first; at < node.parts.size(); ++at) {
    const Node& part = node.parts[at];
    const Ref value = value_of(part.kind == Node::Kind::spread && !part.parts.empty() ? part.parts.front() : part);
    if (value->string() != nullptr) trace_.strings.push_back(value);
    if (at < named) {
      out->items.push_back(
          part.kind == Node::Kind::spread ? unknown(part.span, "the elements that `*` adds are unknown") : value);
    } else if (node.keywords[at - named] != "**") {
      out->items.push_back(value);
      out->names.push_back({node.keywords[at - named], node.keyword_spans[at - named]});
    } else {
      for (std::size_t pair = 0; value->kind == Kind::dictionary && pair + 1 < value->items.size(); pair += 2) {
        const std::string* key = value->items[pair]->string();
        out->items.push_back(value->items[pair + 1]);
        out->names.push_back({key == nullptr ? "**" : *key, value->items[pair]->span});
      }
      if (value->kind != Kind::dictionary) {
        out->items.push_back(value);
        out->names.push_back({"**", part.span});
      }
    }
  }
  const bool copies = out->path == "copy.deepcopy" || out->path == "copy.copy";
  if (copies && out->items.size() == 1) return copy(out->items.front());
  if (trace_.objects.size() < kMaxItems) {
    trace_.objects.push_back(out);
  } else if (!trace_.limit) {
    trace_.limit = node.span;
  }
  return out;
}

// Returns null for a function that is not evaluated.
Ref Follower::builtin(const Node& node, const std::string& name) {
  static constexpr std::array<std::string_view, 7> kKnown = {"dict", "list", "tuple", "str", "len", "range", "setattr"};
  if (std::ranges::find(kKnown, name) == kKnown.end()) {
    return nullptr;
  }
  const std::size_t positional = node.parts.size() - node.keywords.size();
  const Ref first = positional == 0 ? nullptr : value_of(node.parts.front());
  if (name == "dict") {
    Ref out = container(Kind::dictionary, node.span);
    if (first != nullptr) {
      if (first->kind != Kind::dictionary || !fits(*out, *first)) {
        return unknown(node.span, "the dictionary is unknown");
      }
      out->items = first->items;
    }
    for (std::size_t at = positional; at < node.parts.size(); ++at) {
      const Ref value = value_of(node.parts[at]);
      const std::string& key = node.keywords[at - positional];
      if (key != "**") {
        put(out, scalar(node.keyword_spans[at - positional], key), value);
      } else if (value->kind == Kind::dictionary && fits(*out, *value)) {
        const std::vector<Ref> items = value->items;
        for (std::size_t pair = 0; pair + 1 < items.size(); pair += 2) put(out, items[pair], items[pair + 1]);
      } else {
        out->items.insert(out->items.end(), {unknown(node.span, "a key"), value});
      }
    }
    return out;
  }
  if (name == "setattr" && node.parts.size() == 3 && node.keywords.empty()) {
    const Ref attribute = value_of(node.parts[1]);
    const std::string* text = attribute->is_whole() ? attribute->string() : nullptr;
    set_attribute(first, text == nullptr ? "**" : *text, node.parts[1].span, value_of(node.parts[2]));
    return scalar(node.span, std::monostate());
  }
  const bool sequence = first != nullptr && (first->kind == Kind::list || first->kind == Kind::tuple);
  if ((name == "list" || name == "tuple") && (first == nullptr || sequence)) {
    return container(name == "list" ? Kind::list : Kind::tuple, node.span,
                     first == nullptr ? std::vector<Ref>() : first->items);
  }
  if (name == "len" && sequence) {
    return scalar(node.span, static_cast<std::int64_t>(first->items.size()));
  }
  if (name == "str" && first != nullptr && first->kind == Kind::scalar) {
    return first->string() != nullptr ? first : scalar(node.span, source::python_str({first->data, {}}));
  }
  const auto* count =
      first != nullptr && name == "range" && node.parts.size() == 1 ? std::get_if<std::int64_t>(&first->data) : nullptr;
  constexpr std::int64_t kMaxCount = 1000;
  if (count != nullptr && first->kind == Kind::scalar && *count <= kMaxCount) {
    Ref out = container(Kind::list, node.span);
    for (std::int64_t at = 0; at < *count; ++at) out->items.push_back(scalar(node.span, at));
    return out;
  }
  for (std::size_t at = 1; at < node.parts.size(); ++at) value_of(node.parts[at]);
  return unknown(node.span, fmt::format("`{}(...)` is not evaluated", name));
}

// Evaluates methods of containers and strings. For other objects, it evaluates only the arguments.
Ref Follower::method(const Node& node, const Ref& object, const std::string& name) {
  std::vector<Ref> arguments;
  const bool container_type =
      object->kind == Kind::list || object->kind == Kind::dictionary || object->kind == Kind::set;
  const bool plain = node.keywords.empty();
  if (container_type || object->kind == Kind::scalar) {
    for (std::size_t at = 1; at < node.parts.size(); ++at) arguments.push_back(value_of(node.parts[at]));
  }
  if (object->kind == Kind::list && plain && arguments.size() == 1 && (name == "append" || name == "extend")) {
    const Ref more = arguments.front();
    const bool known = more->kind == Kind::list || more->kind == Kind::tuple;
    if (unsure_ > 0 || object->items.size() > kMaxItems || (name == "extend" && !known)) {
      change(object);
    } else if (name == "append") {
      object->items.push_back(more);
    } else if (fits(*object, *more)) {
      const std::vector<Ref> items = more->items;
      object->items.insert(object->items.end(), items.begin(), items.end());
    } else {
      lose(object);
    }
    return scalar(node.span, std::monostate());
  }
  if (container_type && name == "copy") {
    return container(object->kind, object->span, object->items);
  }
  if (object->kind == Kind::dictionary) {
    if (Ref result = dictionary_method(node, object, name, arguments)) return result;
  }
  if (object->kind == Kind::list && plain) {
    if (Ref result = list_method(node, object, name, arguments)) return result;
  }
  if (object->string() != nullptr && name == "format") {
    return formatted(node, object, arguments);
  }
  if (object->kind == Kind::dictionary && name == "get" && !arguments.empty() &&
      arguments.front()->string() != nullptr) {
    if (Ref found = find(*object, *arguments.front()->string())) return found;
    if (arguments.size() == 2) return arguments[1];
  }
  const bool strips = name == "strip" || name == "lstrip" || name == "rstrip";
  if (object->string() != nullptr && strips && arguments.empty()) {
    const std::string& text = *object->string();
    if (text.find('\n') != std::string::npos) return object;  // white space around a recipe does not matter
    const std::size_t begin = name == "rstrip" ? 0 : std::min(text.find_first_not_of(" \t"), text.size());
    const std::size_t end = name == "lstrip" ? text.size() : text.find_last_not_of(" \t") + 1;
    if (begin == 0 && end == text.size()) return object;
    if (object->is_whole()) return scalar(node.span, text.substr(begin, std::max(begin, end) - begin));
  }
  static constexpr std::array<std::string_view, 8> kReading = {"keys", "values", "items", "get",
                                                               "copy", "index",  "count", "__len__"};
  if (container_type && std::ranges::find(kReading, name) == kReading.end()) lose(object);
  if (container_type || object->kind == Kind::scalar) {
    return unknown(node.span, fmt::format("`.{}(...)` is not evaluated", name));
  }
  // A method of an unknown object, which may accept a recipe.
  auto callee = std::make_shared<Value>();
  callee->kind = Kind::name;
  callee->span = node.span;
  callee->path = "." + name;
  return make_object(node, callee);
}

// Returns null for a method that is not evaluated.
Ref Follower::dictionary_method(const Node& node, const Ref& object, const std::string& name,
                                const std::vector<Ref>& arguments) {
  const std::size_t positional = arguments.size() - node.keywords.size();
  const bool mappings = std::ranges::find(node.keywords, "**") != node.keywords.end();
  if (name == "update" && unsure_ == 0 && positional <= 1 && !mappings) {
    const Ref more = positional == 1 ? arguments.front() : nullptr;
    if (more != nullptr && (more->kind != Kind::dictionary || !fits(*object, *more))) return nullptr;
    const std::vector<Ref> items = more == nullptr ? std::vector<Ref>() : more->items;
    for (std::size_t at = 0; at + 1 < items.size(); at += 2) {
      keep_change(*object, items[at], node.span);
      put(object, items[at], items[at + 1]);
    }
    for (std::size_t at = positional; at < arguments.size(); ++at) {
      const std::size_t name_at = at - positional;
      put(object, scalar(node.keyword_spans[name_at], node.keywords[name_at]), arguments[at]);
    }
    return scalar(node.span, std::monostate());
  }
  const bool known_keys = std::ranges::none_of(object->items, [](const Ref& item) { return item->text == "a key"; });
  const bool changes = (name == "pop" || name == "setdefault") && !arguments.empty() && node.keywords.empty();
  if (!changes || unsure_ > 0 || arguments.front()->kind != Kind::scalar || !known_keys) {
    return nullptr;
  }
  const std::size_t place = place_of(*object, *arguments.front());
  if (place < object->items.size()) {
    const Ref value = object->items[place + 1];
    if (name == "pop") {
      const auto begin = object->items.begin() + static_cast<std::ptrdiff_t>(place);
      object->items.erase(begin, begin + 2);
      indexes_.erase(object.get());
    }
    return value;
  }
  const Ref fallback = arguments.size() > 1 ? arguments[1] : scalar(node.span, std::monostate());
  if (name == "setdefault") put(object, arguments.front(), fallback);
  return fallback;
}

// Returns null for a method that is not evaluated.
Ref Follower::list_method(const Node& node, const Ref& list, const std::string& name,
                          const std::vector<Ref>& arguments) {
  const auto* index = arguments.empty() ? nullptr : std::get_if<std::int64_t>(&arguments.front()->data);
  const auto size = static_cast<std::int64_t>(list->items.size());
  const bool known =
      unsure_ == 0 && std::ranges::none_of(list->items, [](const Ref& item) { return item->kind == Kind::unknown; });
  const std::int64_t at = arguments.empty() ? size - 1 : index == nullptr ? size : *index < 0 ? *index + size : *index;
  if (!known) {
    return nullptr;
  }
  if (name == "reverse" && arguments.empty()) {
    std::ranges::reverse(list->items);
  } else if (name == "clear" && arguments.empty()) {
    list->items.clear();
  } else if (name == "insert" && arguments.size() == 2 && index != nullptr && budget_.allocate(sizeof(Ref))) {
    list->items.insert(list->items.begin() + std::clamp(at, std::int64_t{0}, size), arguments[1]);
  } else if (name == "pop" && at >= 0 && at < size) {
    Ref value = list->items[static_cast<std::size_t>(at)];
    list->items.erase(list->items.begin() + at);
    return value;
  } else {
    return nullptr;
  }
  return scalar(node.span, std::monostate());
}

// Clears the places of the template, because the template itself is not a recipe. A hole with an unknown value becomes
// a placeholder.
Ref Follower::formatted(const Node& node, const Ref& object, const std::vector<Ref>& arguments) {
  const std::string text = *object->string();
  const std::vector<Piece> places = std::exchange(object->pieces, {});
  const source::Span span = places.empty() ? node.span : places.front().span;
  const std::size_t positional = arguments.size() - node.keywords.size();
  Ref out = scalar(node.span, std::string());
  const auto add = [&](std::string part, bool hole) {
    const Ref piece = scalar(span, std::move(part));
    piece->pieces.push_back({0, span, false, hole});
    if (fits(*piece, *piece)) append(*out, *piece);
  };
  std::size_t next = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t brace = std::min(text.find_first_of("{}", at), text.size());
    add(text.substr(at, brace - at), false);
    const bool twice = brace + 1 < text.size() && text[brace + 1] == text[brace];
    const std::size_t close = text.find('}', brace);
    if (brace == text.size() || twice || close == std::string::npos) {
      add(text.substr(brace, 1), false);
      at = brace + (twice ? 2 : 1);
      continue;
    }
    const std::string hole = text.substr(brace + 1, close - brace - 1);
    const auto named = std::ranges::find(node.keywords, hole);
    const std::size_t index = named != node.keywords.end()
                                  ? positional + static_cast<std::size_t>(named - node.keywords.begin())
                              : hole.empty() ? next++
                                             : arguments.size();
    const bool known = index < arguments.size() && arguments[index]->kind == Kind::scalar;
    add(known ? source::python_str({arguments[index]->data, {}}) : "\u27E6\u27E7", !known);
    at = close + 1;
  }
  return budget_.exceeded() == base::Budget::Limit::none ? out : unknown(node.span, "the strings are too long");
}

void Follower::bind_parameters(const Value& function, const Value& arguments) {
  const std::vector<Statement::Name>& parameters = function.function->names;
  const std::size_t positional = arguments.items.size() - arguments.names.size();
  const bool open =
      std::ranges::any_of(arguments.names, [](const auto& name) { return name.value == "**"; }) ||
      std::any_of(arguments.items.begin(), arguments.items.begin() + static_cast<std::ptrdiff_t>(positional),
                  [](const Ref& item) { return item->kind == Kind::unknown; });
  bool keyword = false;  // true for the parameters after `*args`
  for (std::size_t at = 0; at < parameters.size(); ++at) {
    const Statement::Name& parameter = parameters[at];
    const Ref named = arguments.argument(parameter.text);
    Ref value = named != nullptr ? named
                : at < positional && !keyword
                    ? arguments.items[at]
                    : unknown(parameter.span, fmt::format("`{}` is a parameter", parameter.text));
    if (parameter.alias == "*" && !open) {
      const auto begin = arguments.items.begin() + static_cast<std::ptrdiff_t>(std::min(at, positional));
      value = container(Kind::tuple, parameter.span,
                        std::vector<Ref>(begin, arguments.items.begin() + static_cast<std::ptrdiff_t>(positional)));
    } else if (parameter.alias == "**" && !open) {
      value = container(Kind::dictionary, parameter.span);
      for (std::size_t name = 0; name < arguments.names.size(); ++name) {
        const auto is_own = [&](const Statement::Name& own) { return own.text == arguments.names[name].value; };
        if (std::ranges::any_of(parameters, is_own)) continue;
        put(value, scalar(arguments.names[name].span, arguments.names[name].value), arguments.items[positional + name]);
      }
    } else if (!parameter.alias.empty() && parameter.alias != "=") {
      value = unknown(parameter.span, fmt::format("`{}` is a parameter", parameter.text));
    }
    keyword = keyword || parameter.alias == "*";
    scope_->names[parameter.text] = value;
  }
}

Ref Follower::run_function(const Node& node, const Ref& function) {
  const Ref arguments = make_object(node, function);
  arguments->path = node.text;
  constexpr std::size_t kMaxCalls = 8;
  if (depth_ > kMaxCalls * 2 || !spend(node.span)) {
    return unknown(node.span, "calls are nested too deeply");
  }
  called_.insert(function->function);
  const std::size_t unsure = std::exchange(unsure_, 0);
  Ref result;
  {
    const Entered entered(*this, function->scope);
    bind_parameters(*function, *arguments);
    follow(function->function->body);
    result = result_;
    if (!returned_ && result != nullptr) result = unknown(node.span, "the result depends on a condition");
  }
  unsure_ = unsure;
  return result != nullptr ? result : scalar(node.span, std::monostate());
}

}  // namespace sparsecfg::script
