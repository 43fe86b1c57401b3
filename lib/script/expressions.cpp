#include <fmt/format.h>

#include <algorithm>

#include "base/number.h"
#include "python/numbers.h"
#include "python/token.h"
#include "script/follower.h"

namespace sparsecfg::script {

using Kind = Value::Kind;

void append(Value& text, const Value& more) {
  auto& value = std::get<std::string>(text.data);
  for (Piece piece : more.pieces) {
    piece.begin += static_cast<std::uint32_t>(value.size());
    text.pieces.push_back(piece);
  }
  value += *more.string();
}

Ref Follower::value_of(const Node& node) {
  if (!spend(node.span) || depth_ > kMaxDepth) {
    return unknown(node.span, "the script is too long to follow");
  }
  ++depth_;
  Ref out;
  switch (node.kind) {
    case Node::Kind::number: {
      const python::Outcome outcome = python::number_value(node.text);
      const auto* number = std::get_if<python::Number>(&outcome);
      out = number == nullptr ? unknown(node.span, "the number is too large")
                              : std::visit([&](auto value) { return scalar(node.span, value); }, *number);
      break;
    }
    case Node::Kind::name: out = name(node); break;
    case Node::Kind::constant:
      out = node.text == "..."    ? unknown(node.span, "`...` is a placeholder")
            : node.text == "None" ? scalar(node.span, std::monostate())
                                  : scalar(node.span, node.text == "True");
      break;
    case Node::Kind::string: out = text_of(node); break;
    case Node::Kind::format: out = format(node); break;
    case Node::Kind::binary: out = binary(node); break;
    case Node::Kind::unary: out = unary(node); break;
    case Node::Kind::comparison: out = comparison(node); break;
    case Node::Kind::logical: out = logical(node); break;
    case Node::Kind::conditional: out = conditional(node); break;
    case Node::Kind::attribute: out = attribute(node); break;
    case Node::Kind::subscript: out = subscript(node); break;
    case Node::Kind::call:
    case Node::Kind::call_of: out = call(node); break;
    case Node::Kind::tuple: out = sequence(Kind::tuple, node); break;
    case Node::Kind::list: out = sequence(Kind::list, node); break;
    case Node::Kind::set: out = sequence(Kind::set, node); break;
    case Node::Kind::dictionary: out = dictionary(node); break;
    case Node::Kind::spread:
    case Node::Kind::other:
      for (const Node& part : node.parts) value_of(part);
      out = unknown(node.span, "it is not a constant");
      break;
    case Node::Kind::bytes:
    case Node::Kind::hole:
    case Node::Kind::slice:
    case Node::Kind::comprehension: out = unknown(node.span, "it is not a constant"); break;
  }
  --depth_;
  return out;
}

// Returns the places of the parts of a literal between its escapes; empty if the parts do not form its text.
static std::vector<Piece> pieces_of(std::string_view written, const python::Node& literal) {
  std::vector<Piece> out;
  std::string text;
  const std::uint32_t first = literal.content.begin;
  for (std::size_t at = 0; at < written.size();) {
    const bool escape = written[at] == '\\';
    const std::size_t end =
        escape ? at + python::escape_width(written.substr(at)) : std::min(written.find('\\', at), written.size());
    const source::Span span{first + static_cast<std::uint32_t>(at), first + static_cast<std::uint32_t>(end)};
    out.push_back({static_cast<std::uint32_t>(text.size()), span, !escape, false});
    const std::string_view part = written.substr(at, end - at);
    text += escape ? python::unescaped(part) : std::string(part);
    at = end;
  }
  return text == literal.text ? out : std::vector<Piece>();
}

// Returns a string with the places of its literals, without quotes. A decoded character has the place of its escape.
Ref Follower::text_of(const Node& node) {
  Ref out = scalar(node.span, node.text);
  std::uint32_t begin = 0;
  const auto add = [&](const Node& literal) {
    const auto width = static_cast<std::uint32_t>(literal.text.size());
    const bool exact = literal.content.end - literal.content.begin == width;
    std::vector<Piece> pieces;
    if (!exact && literal.content.end <= text_.size()) {
      pieces = pieces_of(text_.substr(literal.content.begin, literal.content.end - literal.content.begin), literal);
    }
    if (pieces.empty()) pieces = {{0, literal.content, exact, false}};
    for (Piece piece : pieces) {
      piece.begin += begin;
      out->pieces.push_back(piece);
    }
    begin += width;
  };
  if (node.parts.empty()) {
    add(node);
  }
  for (const Node& part : node.parts) add(part);
  return out;
}

// Returns Python's str() of a value, or nullopt.
static std::optional<std::string> printed(const Value& value) {
  return value.kind == Kind::scalar ? std::optional(source::python_str({value.data, {}})) : std::nullopt;
}

// A hole with an unknown value becomes a placeholder in the string.
Ref Follower::format(const Node& node) {
  Ref out = scalar(node.span, std::string());
  for (const Node& part : node.parts) {
    if (part.kind == Node::Kind::string) {
      append(*out, *text_of(part));
      continue;
    }
    const Ref value = value_of(part.parts.front());
    if (!fits(*out, *value)) return unknown(node.span, "the strings are too long");
    const auto text = part.text.empty() ? printed(*value) : std::nullopt;
    const Ref piece = scalar(part.span, text.value_or("\u27E6\u27E7"));
    piece->pieces.push_back({0, part.span, false, !text || !value->is_whole()});
    append(*out, *piece);
  }
  return out;
}

Ref Follower::name(const Node& node) {
  for (const Scope* scope = scope_.get(); scope != nullptr; scope = scope->outer.get()) {
    if (const auto found = scope->names.find(node.text); found != scope->names.end()) return found->second;
  }
  if (node.text == "__name__") {
    return scalar(node.span, "__main__");
  }
  auto out = std::make_shared<Value>();
  out->kind = Kind::name;
  out->span = node.span;
  out->path = node.text;
  return out;
}

Ref Follower::attribute(const Node& node) {
  const Ref object = value_of(node.parts.front());
  if (object->kind == Kind::name) {
    const std::string path = object->path + "." + node.text;
    if (Ref known = object->imported ? constant_(path, node.span) : nullptr) return known;
    Ref out = copy(object);
    out->span = node.span;
    out->path = path;
    return out;
  }
  if (object->kind == Kind::object) {
    if (Ref argument = object->argument(node.text)) return argument;
  }
  return unknown(node.span, fmt::format("the attribute `.{}` is unknown", node.text));
}

// Returns the elements that a slice of a list selects.
Ref Follower::slice(const Node& node, const Ref& object) {
  const Node& bounds = node.parts[1];
  std::int64_t given[3] = {0, 0, 1};
  bool has[3] = {};
  bool known = (object->kind == Kind::list || object->kind == Kind::tuple) &&
               std::ranges::none_of(object->items, [](const Ref& item) { return item->kind == Kind::unknown; });
  for (std::size_t at = 0; at < bounds.parts.size(); ++at) {
    const Ref value = value_of(bounds.parts[at]);
    const auto* integer = value->kind == Kind::scalar ? std::get_if<std::int64_t>(&value->data) : nullptr;
    known = known && integer != nullptr;
    const auto place = static_cast<std::size_t>(bounds.text[at] - '0');
    given[place] = integer == nullptr ? 0 : *integer;
    has[place] = true;
  }
  const std::int64_t step = given[2];
  if (!known || (step != 1 && step != -1)) {
    return unknown(node.span, "the elements that `[...]` selects are unknown");
  }
  const auto size = static_cast<std::int64_t>(object->items.size());
  const std::int64_t low = step < 0 ? -1 : 0;
  const std::int64_t high = step < 0 ? size - 1 : size;
  const auto place_in = [&](std::size_t which, std::int64_t fallback) {
    const std::int64_t at = given[which] < 0 ? given[which] + size : given[which];
    return has[which] ? std::clamp(at, low, std::max(low, high)) : fallback;
  };
  const std::int64_t last = place_in(1, step < 0 ? -1 : size);
  Ref out = container(object->kind, node.span);
  for (std::int64_t at = place_in(0, step < 0 ? size - 1 : 0); step < 0 ? at > last : at < last; at += step) {
    out->items.push_back(object->items[static_cast<std::size_t>(at)]);
  }
  return fits(*out, *out) ? out : unknown(node.span, "the lists are too long");
}

Ref Follower::subscript(const Node& node) {
  const Ref object = value_of(node.parts.front());
  if (node.parts.size() == 2 && node.parts[1].kind == Node::Kind::slice) return slice(node, object);
  const Ref key = node.parts.size() == 2 ? value_of(node.parts[1]) : nullptr;
  if (key != nullptr && key->kind == Kind::scalar) {
    const auto* index = std::get_if<std::int64_t>(&key->data);
    if (object->kind == Kind::dictionary) {
      const std::size_t place = place_of(*object, *key);
      if (place < object->items.size()) return object->items[place + 1];
    } else if (index != nullptr && (object->kind == Kind::list || object->kind == Kind::tuple)) {
      const auto size = static_cast<std::int64_t>(object->items.size());
      const std::int64_t place = *index < 0 ? *index + size : *index;
      if (place >= 0 && place < size) return object->items[static_cast<std::size_t>(place)];
    }
  }
  return unknown(node.span, "the element that `[...]` selects is unknown");
}

// Later keys replace earlier ones, also keys from `**`.
Ref Follower::dictionary(const Node& node) {
  if (node.parts.size() == 1) {
    return comprehension(Kind::dictionary, node);
  }
  Ref out = container(Kind::dictionary, node.span);
  for (std::size_t at = 0; at + 1 < node.parts.size(); at += 2) {
    const bool spread = node.parts[at].kind == Node::Kind::spread;
    const Ref value = value_of(node.parts[at + 1]);
    const Ref key = spread ? unknown(node.parts[at + 1].span, "a key") : value_of(node.parts[at]);
    std::vector<Ref> more = spread && value->kind == Kind::dictionary ? value->items : std::vector<Ref>{key, value};
    for (std::size_t pair = 0; pair + 1 < more.size(); pair += 2) put(out, more[pair], more[pair + 1]);
  }
  return out;
}

Ref Follower::sequence(Kind kind, const Node& node) {
  if (node.parts.size() == 1 && node.parts.front().kind == Node::Kind::comprehension) {
    return comprehension(kind, node);
  }
  Ref out = container(kind, node.span);
  for (const Node& part : node.parts) {
    if (part.kind != Node::Kind::spread) {
      out->items.push_back(value_of(part));
      if (out->items.back()->string() != nullptr) trace_.strings.push_back(out->items.back());
      continue;
    }
    const Ref spread = value_of(part.parts.front());
    const bool known = spread->kind == Kind::list || spread->kind == Kind::tuple;
    if (known && out->items.size() + spread->items.size() <= kMaxItems) {
      out->items.insert(out->items.end(), spread->items.begin(), spread->items.end());
    } else {
      out->items.push_back(unknown(part.span, "the elements that `*` adds are unknown"));
    }
  }
  if (!out->items.empty() && trace_.lists.size() < kMaxItems) trace_.lists.push_back(out);
  return out;
}

// Evaluates a comprehension with one `for` and no condition; its parts are the element, the target and the values.
Ref Follower::comprehension(Kind kind, const Node& node) {
  const std::vector<Node>& parts = node.parts.front().parts;
  const std::size_t width = kind == Kind::dictionary ? 2 : 1;
  const Ref values = parts.size() == width + 2 ? value_of(parts[width + 1]) : nullptr;
  if (values == nullptr || (values->kind != Kind::list && values->kind != Kind::tuple) ||
      values->items.size() > kMaxItems) {
    return unknown(node.span, "the values of the comprehension are unknown");
  }
  const std::size_t mark = begin_changes();
  Ref out = container(kind, node.span);
  for (const Ref& item : values->items) {
    assign(parts[width], item);
    for (std::size_t at = 0; at < width; ++at) out->items.push_back(value_of(parts[at]));
  }
  revert(mark);
  end_changes();
  return out;
}

}  // namespace sparsecfg::script
