#include <algorithm>

#include "base/limits.h"
#include "base/text.h"
#include "script/interpreter.h"
#include "script/limits.h"
#include "script/model.h"
#include "script/text_builder.h"

// What operations read and build is charged here, before they do it.
namespace sparsecfg::script {

using Kind = Value::Kind;
using Role = Value::Role;

bool Interpreter::reads(std::size_t bytes) {
  constexpr std::size_t kBytesOfStep = 64;
  return budget_.spend(bytes / kBytesOfStep);
}

bool Interpreter::visits(std::size_t elements) { return budget_.spend_search(elements); }

bool Interpreter::builds(std::size_t bytes) { return budget_.allocate(bytes); }

bool Interpreter::reads(const Value& value) {
  const std::size_t bytes = value.string() == nullptr ? 0 : value.string()->size();
  return reads(bytes) && visits(value.items.size() + value.pieces.size());
}

// Records the first limit that is reached.
void Interpreter::limit(Span span, std::string_view what) {
  if (!trace_.limit.empty()) {
    return;
  }
  trace_.limited = span;
  switch (budget_.exceeded()) {
    case base::Budget::Limit::none: trace_.limit = what; break;
    case base::Budget::Limit::steps: trace_.limit = "the script is too long to follow from here on"; break;
    case base::Budget::Limit::bytes:
      trace_.limit = "the values of the script are too large to follow it from here on";
      break;
  }
}

std::optional<std::string> Interpreter::key_of(const Value& value) {
  return reads(value) ? key_text(value) : std::nullopt;
}

void Interpreter::make_unique(Value& set) {
  bool fits = true;
  for (const Ref& item : set.items) fits = fits && reads(*item);
  if (fits) {
    script::make_unique(set);
    return;
  }
  set.open = true;
  set.why = set.span;
  set.text = kTooLong;
}

Ref Interpreter::new_text(Span span, std::string text) {
  if (!builds(text.size())) return unknown(span, "the strings are too long");
  Ref out = scalar(span, std::move(text));
  out->pieces.push_back({0, span, false, false});
  return out;
}

Ref Interpreter::list_like(Kind kind, std::vector<Ref> items, const Node& node, Role role) {
  if (!builds(sizeof(Value) + items.size() * sizeof(Ref))) {
    limit(node.span);
    return unknown(node.span, "the values are too large");
  }
  const Ref out = made(container(kind, node.span, std::move(items)));
  out->role = role;
  return out;
}

Ref Interpreter::duplicate(const Ref& value) {
  builds(sizeof(Value) + value->items.size() * sizeof(Ref) + value->names.size() * sizeof(value->names[0]));
  return made(shallow_copy(value));
}

Ref Interpreter::deep_copy(const Ref& value) { return copy(value, budget_, limits::kMaxScriptCopy, heap_.tick()); }

Ref Interpreter::shared_copy(const Ref& object) {
  // Validators have made the values that both objects have.
  const std::vector<source::Located<std::string>> names =
      is_record(*object) ? object->names : decltype(object->names)();
  for (const auto& name : names) read_field(object, name.value, object->argument(name.value));
  const Ref out = duplicate(object);
  // A change of an attribute that is not listed changes both.
  out->aliases.push_back(object);
  object->linked.push_back(out);
  return out;
}

// Each character of a string becomes a string.
static std::vector<std::string_view> characters_of(std::string_view text) {
  std::vector<std::string_view> out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    static_cast<void>(base::next_code_point(text, at));
    out.push_back(text.substr(begin, at - begin));
  }
  return out;
}

std::optional<std::vector<Ref>> Interpreter::elements(const Ref& value, Span span) {
  if (types_of(*value) == types::text) {
    const std::string& text = *value->string();
    if (text.size() > limits::kMaxScriptCharacters || !builds(text.size() * sizeof(Value))) return std::nullopt;
    std::vector<Ref> out;
    for (const std::string_view character : characters_of(text))
      out.push_back(inherit(new_text(span, std::string(character)), {value}));
    return out;
  }
  if (value->kind == Kind::dictionary) {
    if (value->open || !visits(value->items.size())) return std::nullopt;
    std::vector<Ref> keys;
    for (std::size_t at = 0; at < value->items.size(); at += 2) keys.push_back(value->items[at]);
    return keys;
  }
  if (is_pending(*value) && value->role == Role::generator) return generated(value, span);
  if (auto parts = parts_of_result(value)) return parts;
  if (!is_sequence(*value) || (value->kind == Kind::set && value->items.size() > 1) || !visits(2 * value->items.size()))
    return std::nullopt;
  std::vector<Ref> out = value->items;
  if (value->role == Role::iterator || value->role == Role::generator) {
    heap_.open(value, span, "the iterator is used up");
    if (value->open) value->items = out;
  }
  return out;
}

// Returns a part of a string, with its places.
Ref Interpreter::substring(const Value& text, std::size_t begin, std::size_t end) {
  if (!builds(end - begin) || !visits(text.pieces.size())) return unknown(text.span, "the strings are too long");
  Ref out = scalar(text.span, text.string()->substr(begin, end - begin));
  out->assumed = text.assumed;
  for (std::size_t at = 0; at < text.pieces.size(); ++at) {
    Piece piece = text.pieces[at];
    const std::size_t next = at + 1 < text.pieces.size() ? text.pieces[at + 1].begin : text.string()->size();
    if (next <= begin || piece.begin >= end) continue;
    const std::size_t skipped = piece.begin < begin ? begin - piece.begin : 0;
    if (piece.exact) {
      const std::size_t length = std::min(next, end) - (piece.begin + skipped);
      piece.span.begin += static_cast<std::uint32_t>(skipped);
      piece.span.end = piece.span.begin + static_cast<std::uint32_t>(length);
    }
    piece.begin = static_cast<std::uint32_t>(piece.begin + skipped - begin);
    out->pieces.push_back(piece);
  }
  return out;
}

namespace {

// A line of a text: its begin, and its end without the line break.
struct Line {
  std::size_t begin;
  std::size_t end;
};

std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    out.push_back({at, end});
    at = end + 1;
  }
  return out;
}

bool is_blank_line(std::string_view line) { return line.find_first_not_of(" \t") == std::string_view::npos; }

// The indentation that all lines have, apart from blank lines.
std::size_t margin_of(std::string_view text, const std::vector<Line>& lines) {
  std::optional<std::string_view> margin;
  for (const Line& each : lines) {
    const std::string_view line = text.substr(each.begin, each.end - each.begin);
    if (is_blank_line(line)) continue;
    const std::string_view indent = line.substr(0, line.find_first_not_of(" \t"));
    if (!margin) margin = indent;
    const auto [end, other] = std::ranges::mismatch(*margin, indent);
    margin = margin->substr(0, static_cast<std::size_t>(end - margin->begin()));
  }
  return margin ? margin->size() : 0;
}

}  // namespace

// Python's textwrap.dedent(). The lines keep their places.
Ref Interpreter::dedent(const Ref& text, const Node& node) {
  const std::string& all = *text->string();
  const std::vector<Line> lines = lines_of(all);
  const std::size_t margin = margin_of(all, lines);
  // Each line searches the places of the text.
  if (!builds(text->pieces.size() * sizeof(Piece)) || !visits(lines.size() * text->pieces.size())) {
    limit(node.span);
    return unknown(node.span, "the strings are too long");
  }
  TextBuilder out(*this, text->span);
  for (const Line& line : lines) {
    const bool blank = is_blank_line(std::string_view(all).substr(line.begin, line.end - line.begin));
    const std::size_t begin = blank ? line.end : line.begin + margin;
    out.add(*substring(*text, begin, std::min(line.end + 1, all.size())));
  }
  return out.take();
}

}  // namespace sparsecfg::script
