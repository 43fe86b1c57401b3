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
  if (trace_.objects.size() < kMaxItems) trace_.objects.push_back(out);
  const bool copies = out->path == "copy.deepcopy" || out->path == "copy.copy";
  if (copies && out->items.size() == 1) {
    trace_.objects.pop_back();
    return copy(out->items.front());
  }
  return out;
}

// Returns null for a function that is not evaluated.
Ref Follower::builtin(const Node& node, const std::string& name) {
  static constexpr std::array<std::string_view, 6> kKnown = {"dict", "list", "tuple", "str", "len", "range"};
  if (std::ranges::find(kKnown, name) == kKnown.end()) {
    return nullptr;
  }
  const std::size_t positional = node.parts.size() - node.keywords.size();
  const Ref first = positional == 0 ? nullptr : value_of(node.parts.front());
  if (name == "dict") {
    Ref out = container(Kind::dictionary, node.span);
    if (first != nullptr) {
      if (first->kind != Kind::dictionary) return unknown(node.span, "the dictionary is unknown");
      out->items = first->items;
    }
    for (std::size_t at = positional; at < node.parts.size(); ++at) {
      const Ref value = value_of(node.parts[at]);
      const std::string& key = node.keywords[at - positional];
      if (key != "**") {
        out->items.insert(out->items.end(), {scalar(node.keyword_spans[at - positional], key), value});
      } else if (value->kind == Kind::dictionary) {
        out->items.insert(out->items.end(), value->items.begin(), value->items.end());
      } else {
        out->items.insert(out->items.end(), {unknown(node.span, "a key"), value});
      }
    }
    return out;
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
    } else {
      const std::vector<Ref> items = more->items;
      object->items.insert(object->items.end(), items.begin(), items.end());
    }
    return scalar(node.span, std::monostate());
  }
  if (container_type && name == "copy") {
    return container(object->kind, object->span, object->items);
  }
  if (object->kind == Kind::dictionary && name == "update" && plain && arguments.size() == 1 && unsure_ == 0 &&
      arguments.front()->kind == Kind::dictionary) {
    const std::vector<Ref> items = arguments.front()->items;
    for (std::size_t at = 0; at < items.size(); at += 2) keep_change(*object, items[at], node.span);
    object->items.insert(object->items.end(), items.begin(), items.end());
    return scalar(node.span, std::monostate());
  }
  if (object->string() != nullptr && name == "format") {
    return formatted(node, object, arguments);
  }
  if (object->kind == Kind::dictionary && name == "get" && !arguments.empty() &&
      arguments.front()->string() != nullptr) {
    if (Ref found = find(*object, *arguments.front()->string())) return found;
    if (arguments.size() == 2) return arguments[1];
  }
  if (object->string() != nullptr && (name == "strip" || name == "lstrip" || name == "rstrip") && arguments.empty()) {
    return object;  // white space around a recipe does not matter
  }
  static constexpr std::array<std::string_view, 7> kChanging = {"insert", "pop",        "remove", "clear",
                                                                "update", "setdefault", "sort"};
  if (container_type && std::ranges::find(kChanging, name) != kChanging.end()) {
    change(object);
    return unknown(node.span, fmt::format("`.{}(...)` is not evaluated", name));
  }
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
    append(*out, *piece);
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
  return out;
}

void Follower::bind_parameters(const Value& function, const Value& arguments) {
  const std::vector<Statement::Name>& parameters = function.function->names;
  const std::size_t positional = arguments.items.size() - arguments.names.size();
  for (std::size_t at = 0; at < parameters.size(); ++at) {
    const Ref named = arguments.argument(parameters[at].text);
    scope_->names[parameters[at].text] =
        named != nullptr  ? named
        : at < positional ? arguments.items[at]
                          : unknown(parameters[at].span, fmt::format("`{}` is a parameter", parameters[at].text));
  }
}

Ref Follower::run_function(const Node& node, const Ref& function) {
  const Ref arguments = make_object(node, function);
  arguments->path = node.text;
  constexpr std::size_t kMaxCalls = 8;
  if (depth_ > kMaxCalls * 2 || !spend()) {
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
  }
  unsure_ = unsure;
  return result != nullptr ? result : scalar(node.span, std::monostate());
}

}  // namespace sparsecfg::script
