#include <fmt/format.h>

#include <algorithm>

#include "base/limits.h"
#include "base/text.h"
#include "script/interpreter.h"
#include "script/printing.h"

// Methods and formats of strings. A string keeps the places of its parts, and has placeholders for unknown values.
namespace sparsecfg::script {

using Kind = Value::Kind;

constexpr std::string_view kBlanks = " \t\n\r\f\v\x1c\x1d\x1e\x1f";

static bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

// A string that is computed. Its place is that of the expression.
Ref Interpreter::new_text(Span span, std::string text) {
  Ref out = scalar(span, std::move(text));
  out->pieces.push_back({0, span, false, false});
  return out;
}

// Returns false if the string becomes too long, or if `more` has already exceeded a limit and is unknown.
bool Interpreter::append_text(Value& text, const Value& more) {
  if (more.string() == nullptr) return false;
  auto& value = std::get<std::string>(text.data);
  if (value.size() + more.string()->size() > limits::kMaxScriptString ||
      text.pieces.size() + more.pieces.size() > limits::kMaxScriptPieces ||
      !budget_.allocate(value.size() + more.string()->size() + more.pieces.size() * sizeof(Piece))) {
    return false;
  }
  for (Piece piece : more.pieces) {
    piece.begin += static_cast<std::uint32_t>(value.size());
    text.pieces.push_back(piece);
  }
  value += *more.string();
  return true;
}

void Interpreter::append_hole(Value& text, Span span) {
  ++risks_;
  auto& value = std::get<std::string>(text.data);
  text.pieces.push_back({static_cast<std::uint32_t>(value.size()), span, false, true});
  value += kHole;
}

// Appends the text of a value, or a placeholder.
// Returns false if a known text is too long.
bool Interpreter::append(Value& text, const Ref& value, Span span) {
  const bool string = value->string() != nullptr && value->path.empty();
  const auto printed = string ? std::nullopt : str_of(*value);
  const bool fits = string ? append_text(text, *value) : printed && append_text(text, *new_text(span, *printed));
  if (!fits) {
    touch(value, span);
    append_hole(text, span);
  }
  if (text.assumed.empty()) text.assumed = value->assumed;
  return fits || (!string && !printed);
}

// A hole with an unknown value becomes a placeholder in the string.
Ref Interpreter::format(const Node& node) {
  Ref out = scalar(node.span, std::string());
  bool too_long = false;
  Ref here;  // a path of the folder of the script, at the beginning
  for (const Node& part : node.parts) {
    if (part.kind == Form::string) {
      if (!append_text(*out, *text_of(part))) append_hole(*out, part.span);
      continue;
    }
    const Node& expression = part.parts.front();
    const Ref value = evaluate(expression);
    std::string_view spec = part.text;
    if (&part == &node.parts.front() && spec.empty() && path_of(*value) && path_of(*value)->first) {
      here = value;
      continue;
    }
    const bool shown = spec.starts_with("!r") || spec.starts_with("!s");
    const bool repr = spec.starts_with("!r");
    if (shown) spec.remove_prefix(2);
    if (spec.starts_with(':')) spec.remove_prefix(1);
    if (spec.find('{') != std::string_view::npos) {
      havoc(words_of(spec), part.span, "it is used in a format");
    }
    if (spec.empty() && !repr) {
      too_long = !append(*out, value, part.span) || too_long;
    } else {
      auto text = repr ? repr_of(*value) : format_of(*value, spec);
      if (repr && !spec.empty()) text = std::nullopt;
      if (!text) touch(value, part.span);
      if (!text || !append_text(*out, *new_text(part.span, *text))) append_hole(*out, part.span);
      if (out->assumed.empty()) out->assumed = value->assumed;
    }
  }
  run_escaped(node.span);
  if (too_long) return unknown(node.span, "the strings are too long");
  return here == nullptr ? out : operate("+", here, out, node);
}

// Returns a part of a string, with its places.
Ref Interpreter::substring(const Value& text, std::size_t begin, std::size_t end) {
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

// Python's textwrap.dedent().
Ref Interpreter::dedent(const Ref& text, const Node& node) {
  const std::string& all = *text->string();
  std::optional<std::string_view> margin;
  const auto lines = [&](auto visit) {
    for (std::size_t at = 0; at < all.size();) {
      const std::size_t end = std::min(all.find('\n', at), all.size());
      visit(at, end);
      at = end + 1;
    }
  };
  lines([&](std::size_t at, std::size_t end) {
    const std::string_view line = std::string_view(all).substr(at, end - at);
    const std::size_t indent = line.find_first_not_of(" \t");
    if (indent == std::string_view::npos) return;
    const std::string_view found = line.substr(0, indent);
    std::size_t common = 0;
    while (margin && common < margin->size() && common < found.size() && (*margin)[common] == found[common]) ++common;
    margin = margin ? margin->substr(0, common) : found;
  });
  Ref out = scalar(text->span, std::string());
  bool fits = true;
  lines([&](std::size_t at, std::size_t end) {
    const std::string_view line = std::string_view(all).substr(at, end - at);
    const bool blank = line.find_first_not_of(" \t") == std::string_view::npos;
    const std::size_t begin = blank ? end : at + margin->size();
    fits = fits && append_text(*out, *substring(*text, begin, std::min(end + 1, all.size())));
  });
  if (!fits) limit(node.span);
  return fits ? out : unknown(node.span, "the strings are too long");
}

Ref Interpreter::string_method(const Ref& object, const std::string& name, const Arguments& arguments,
                               const Node& node) {
  const std::string& text = *object->string();
  if (!object->path.empty()) {
    return nullptr;
  }
  if (name == "format") return formatted(object, arguments, node);
  if (name == "join" && arguments.positional.size() == 1)
    return join_strings(object, arguments.positional.front(), node);
  if (!arguments.named.empty()) return nullptr;
  const bool strips = name == "strip" || name == "lstrip" || name == "rstrip";
  if (strips && arguments.positional.empty() && (is_ascii(text) || !object->is_whole())) {
    std::size_t begin = name == "rstrip" ? 0 : text.find_first_not_of(kBlanks);
    begin = std::min(begin, text.size());
    const std::size_t last = name == "lstrip" ? text.size() : text.find_last_not_of(kBlanks) + 1;
    return substring(*object, begin, std::max(begin, last));
  }
  std::vector<Ref> on{object};
  on.insert(on.end(), arguments.positional.begin(), arguments.positional.end());
  const bool known = object->is_whole() && std::ranges::all_of(arguments.positional, [](const Ref& value) {
                       return (value->kind == Kind::scalar && value->is_whole()) || value->kind == Kind::tuple;
                     });
  if (!known || !budget_.allocate(text.size())) {
    return depends(node.span, on, fmt::format("`.{}(...)` is not evaluated", name));
  }
  Ref out = plain_string_method(text, name, arguments.positional, node);
  if (out == nullptr) {
    return depends(node.span, on, fmt::format("`.{}(...)` is not evaluated", name));
  }
  for (const Ref& value : on) out = inherit(out, {value});
  return out;
}

static std::vector<std::string> split(std::string_view text, const std::optional<std::string>& separator,
                                      std::size_t most, bool from_right) {
  std::vector<std::string> out;
  if (!separator) {
    for (std::size_t at = text.find_first_not_of(kBlanks); at != std::string_view::npos;) {
      const std::size_t end = std::min(text.find_first_of(kBlanks, at), text.size());
      out.emplace_back(text.substr(at, end - at));
      at = text.find_first_not_of(kBlanks, end);
    }
    return out;
  }
  if (from_right) {
    while (out.size() < most) {
      const std::size_t at = text.rfind(*separator);
      if (at == std::string_view::npos) break;
      out.emplace_back(text.substr(at + separator->size()));
      text = text.substr(0, at);
    }
    out.emplace_back(text);
    std::ranges::reverse(out);
    return out;
  }
  std::size_t begin = 0;
  while (out.size() < most) {
    const std::size_t at = text.find(*separator, begin);
    if (at == std::string_view::npos) break;
    out.emplace_back(text.substr(begin, at - begin));
    begin = at + separator->size();
  }
  out.emplace_back(text.substr(begin));
  return out;
}

static std::string replaced(const std::string& text, const std::string& old, const std::string& with) {
  std::string out;
  std::size_t begin = 0;
  for (std::size_t at = text.find(old); at != std::string::npos; at = text.find(old, begin)) {
    out += text.substr(begin, at - begin) + with;
    begin = at + old.size();
    if (out.size() > 2'000'000) return out;
  }
  return out + text.substr(begin);
}

// Methods of known strings. Returns null for a call that is not modeled.
Ref Interpreter::plain_string_method(const std::string& text, const std::string& name,
                                     const std::vector<Ref>& arguments, const Node& node) {
  const bool ascii = is_ascii(text);
  const std::string* first = arguments.empty() ? nullptr : arguments[0]->string();
  const std::string* second = arguments.size() < 2 ? nullptr : arguments[1]->string();
  const auto* number = arguments.empty() || arguments.back()->kind != Kind::scalar
                           ? nullptr
                           : std::get_if<std::int64_t>(&arguments.back()->data);
  const std::size_t count = arguments.size();
  const auto text_result = [&](std::string value) { return new_text(node.span, std::move(value)); };
  if (count == 0 && ascii) {
    const auto mapped = [&](auto convert) {
      std::string out = text;
      for (std::size_t at = 0; at < out.size(); ++at) out[at] = convert(at);
      return text_result(std::move(out));
    };
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
    const auto upper = [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; };
    if (name == "lower" || name == "casefold") return mapped([&](std::size_t at) { return lower(text[at]); });
    if (name == "upper") return mapped([&](std::size_t at) { return upper(text[at]); });
    if (name == "capitalize")
      return mapped([&](std::size_t at) { return at == 0 ? upper(text[at]) : lower(text[at]); });
    if (name == "swapcase")
      return mapped([&](std::size_t at) { return lower(text[at]) != text[at] ? lower(text[at]) : upper(text[at]); });
    if (name == "title")
      return mapped(
          [&](std::size_t at) { return at > 0 && base::is_letter(text[at - 1]) ? lower(text[at]) : upper(text[at]); });
    const auto all = [&](auto test) { return scalar(node.span, !text.empty() && std::ranges::all_of(text, test)); };
    if (name == "isdigit" || name == "isdecimal" || name == "isnumeric")
      return all([](char c) { return base::is_digit(c); });
    if (name == "isalpha") return all([](char c) { return base::is_letter(c); });
    if (name == "isalnum") return all([](char c) { return base::is_letter(c) || base::is_digit(c); });
    if (name == "isspace") return all([](char c) { return kBlanks.find(c) != std::string_view::npos; });
    const bool lowers = std::ranges::any_of(text, [](char c) { return c >= 'a' && c <= 'z'; });
    const bool uppers = std::ranges::any_of(text, [](char c) { return c >= 'A' && c <= 'Z'; });
    if (name == "islower") return scalar(node.span, lowers && !uppers);
    if (name == "isupper") return scalar(node.span, uppers && !lowers);
  }
  const bool strips = name == "strip" || name == "lstrip" || name == "rstrip";
  if (strips && count == 1 && first != nullptr && ascii && is_ascii(*first)) {
    std::size_t begin = name == "rstrip" ? 0 : std::min(text.find_first_not_of(*first), text.size());
    const std::size_t end = name == "lstrip" ? text.size() : text.find_last_not_of(*first) + 1;
    return text_result(text.substr(begin, std::max(begin, end) - begin));
  }
  if ((name == "split" || name == "rsplit") && count <= 2) {
    const bool none = count > 0 && first == nullptr;
    const bool is_number = count == 2 && number != nullptr;
    if ((count == 2 && !is_number) || (none && !std::holds_alternative<std::monostate>(arguments[0]->data)) ||
        (first != nullptr && first->empty()))
      return nullptr;
    if (first == nullptr && (!ascii || count == 2)) return nullptr;
    const std::size_t most = is_number && *number >= 0 ? static_cast<std::size_t>(*number) : std::string::npos;
    std::vector<Ref> parts;
    const auto found = split(text, first == nullptr ? std::nullopt : std::optional(*first), most, name == "rsplit");
    if (!budget_.allocate(found.size() * sizeof(Value))) return nullptr;
    for (const std::string& part : found) parts.push_back(text_result(part));
    return list_like(Kind::list, std::move(parts), node);
  }
  if (name == "splitlines" && count == 0 && ascii && text.find_first_of("\r\f\v\x1c\x1d\x1e") == std::string::npos) {
    std::vector<Ref> parts;
    const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n')) + 1;
    if (!budget_.allocate(lines * sizeof(Value))) return nullptr;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      parts.push_back(text_result(text.substr(at, end - at)));
      at = end + 1;
    }
    return list_like(Kind::list, std::move(parts), node);
  }
  if ((name == "partition" || name == "rpartition") && count == 1 && first != nullptr && !first->empty()) {
    const std::size_t at = name == "partition" ? text.find(*first) : text.rfind(*first);
    std::vector<Ref> parts;
    if (at != std::string::npos) {
      parts = {text_result(text.substr(0, at)), text_result(*first), text_result(text.substr(at + first->size()))};
    } else if (name == "partition") {
      parts = {text_result(text), text_result(""), text_result("")};
    } else {
      parts = {text_result(""), text_result(""), text_result(text)};
    }
    return made(container(Kind::tuple, node.span, std::move(parts)));
  }
  if (name == "replace" && count == 2 && first != nullptr && second != nullptr && !first->empty()) {
    if (text.size() * std::max<std::size_t>(1, second->size()) / first->size() > 16 * limits::kMaxScriptString)
      return nullptr;
    std::string out = replaced(text, *first, *second);
    return out.size() > limits::kMaxScriptString || !budget_.allocate(out.size()) ? nullptr
                                                                                  : text_result(std::move(out));
  }
  if ((name == "startswith" || name == "endswith") && count == 1) {
    const auto tests = [&](const std::string& part) {
      return name == "startswith" ? text.starts_with(part) : text.ends_with(part);
    };
    if (first != nullptr) return scalar(node.span, tests(*first));
    bool any = false;
    for (const Ref& item : arguments[0]->items) {
      if (item->string() == nullptr || !item->is_whole()) return nullptr;
      any = any || tests(*item->string());
    }
    return arguments[0]->kind == Kind::tuple && !arguments[0]->open ? scalar(node.span, any) : nullptr;
  }
  if (name == "removeprefix" && count == 1 && first != nullptr)
    return text_result(text.starts_with(*first) ? text.substr(first->size()) : text);
  if (name == "removesuffix" && count == 1 && first != nullptr)
    return text_result(text.ends_with(*first) ? text.substr(0, text.size() - first->size()) : text);
  if (count == 1 && first != nullptr && ascii && is_ascii(*first)) {
    const std::size_t at = name == "rfind" || name == "rindex" ? text.rfind(*first) : text.find(*first);
    const bool finds = name == "find" || name == "rfind";
    if (finds || ((name == "index" || name == "rindex") && at != std::string::npos))
      return scalar(node.span, at == std::string::npos ? std::int64_t{-1} : static_cast<std::int64_t>(at));
    if (name == "count" && !first->empty()) {
      std::int64_t found = 0;
      for (std::size_t place = text.find(*first); place != std::string::npos;
           place = text.find(*first, place + first->size()))
        ++found;
      return scalar(node.span, found);
    }
  }
  if (name == "zfill" && count == 1 && number != nullptr && ascii && *number < limits::kMaxScriptWidth) {
    const bool sign = !text.empty() && (text[0] == '+' || text[0] == '-');
    const auto width = static_cast<std::size_t>(std::max<std::int64_t>(*number, 0));
    const std::string zeros(width > text.size() ? width - text.size() : 0, '0');
    return text_result((sign ? text.substr(0, 1) : "") + zeros + text.substr(sign ? 1 : 0));
  }
  if ((name == "ljust" || name == "rjust") && count == 1 && number != nullptr && ascii &&
      *number < limits::kMaxScriptWidth) {
    const auto width = static_cast<std::size_t>(std::max<std::int64_t>(*number, 0));
    const std::string blanks(width > text.size() ? width - text.size() : 0, ' ');
    return text_result(name == "ljust" ? text + blanks : blanks + text);
  }
  return nullptr;
}

Ref Interpreter::join_strings(const Ref& separator, const Ref& parts, const Node& node) {
  auto items = elements(parts, node.span);
  const bool strings = items && std::ranges::all_of(*items, [](const Ref& item) {
                         return item->string() != nullptr || item->kind == Kind::unknown || item->kind == Kind::name ||
                                item->kind == Kind::object;
                       });
  if (!strings) {
    if (items) escape(parts, node.span, "its elements are joined");
    return depends(node.span, {separator, parts}, "the parts of the string are unknown");
  }
  Ref out = scalar(node.span, std::string());
  for (std::size_t at = 0; at < items->size(); ++at) {
    bool fits = at == 0 || append_text(*out, *separator);
    if ((*items)[at]->string() != nullptr) {
      fits = fits && append_text(*out, *(*items)[at]);
    } else {
      append_hole(*out, (*items)[at]->span);
    }
    if (!fits) {
      limit(node.span);
      return unknown(node.span, "the strings are too long");
    }
    out = inherit(out, {(*items)[at]});
  }
  if (out->pieces.empty()) out->pieces.push_back({0, node.span, false, false});
  return inherit(out, {separator});
}

// `str.format`. All parts of the result have the place of the template, which is then not a recipe itself.
Ref Interpreter::formatted(const Ref& object, const Arguments& arguments, const Node& node) {
  const std::string text = *object->string();
  if (!object->is_whole()) {
    return depends(node.span, {object});
  }
  const std::vector<Piece>& places = object->pieces;
  const Span span = places.empty() ? node.span : Span{places.front().span.begin, places.back().span.end};
  Ref out = scalar(node.span, std::string());
  bool fits = true;
  const auto add = [&](std::string part) { fits = fits && append_text(*out, *new_text(span, std::move(part))); };
  std::size_t next = 0;
  for (std::size_t at = 0; at < text.size() && fits;) {
    const std::size_t brace = std::min(text.find_first_of("{}", at), text.size());
    if (brace > at) add(text.substr(at, brace - at));
    const bool twice = brace + 1 < text.size() && text[brace + 1] == text[brace];
    if (brace == text.size()) break;
    if (twice) {
      add(text.substr(brace, 1));
      at = brace + 2;
      continue;
    }
    const std::size_t close = text.find_first_of("{}", brace + 1);
    if (text[brace] == '}' || close == std::string::npos || text[close] == '{') {
      return opaque(node.span, "the format is not read");
    }
    const std::string hole = text.substr(brace + 1, close - brace - 1);
    const std::size_t end = std::min(hole.find_first_of("!:"), hole.size());
    const std::string key = hole.substr(0, end);
    const bool number = !key.empty() && std::ranges::all_of(key, base::is_digit) && key.size() < 4;
    const std::size_t index = number ? std::stoul(key) : key.empty() ? next++ : arguments.positional.size();
    Ref value = number || key.empty() ? (index < arguments.positional.size() ? arguments.positional[index] : nullptr)
                                      : arguments.named_argument(key);
    const bool plain = end == hole.size() || hole[end] == ':';
    const auto shown = value == nullptr || !plain || end == hole.size()
                           ? std::nullopt
                           : format_of(*value, std::string_view(hole).substr(end + 1));
    if (value != nullptr && end == hole.size()) {
      append(*out, value, span);
    } else if (shown) {
      add(*shown);
    } else {
      if (value != nullptr) touch(value, node.span);
      append_hole(*out, span);
    }
    if (value != nullptr) out = inherit(out, {value});
    at = close + 1;
  }
  if (!fits) {
    limit(node.span);
    return unknown(node.span, "the strings are too long");
  }
  if (out->pieces.empty()) out->pieces.push_back({0, span, false, false});
  return inherit(out, {object});
}

// `template % values`.
Ref Interpreter::percent(const Ref& object, const Ref& values, const Node& node) {
  const std::string text = *object->string();
  if (!object->is_whole()) {
    return depends(node.span, {object, values});
  }
  const bool several = values->kind == Kind::tuple && !values->open;
  const bool one = values->kind == Kind::scalar || values->kind == Kind::list;
  if (!several && !one && values->kind != Kind::dictionary) {
    return depends(node.span, {values}, "the format is not known");
  }
  Ref out = scalar(node.span, std::string());
  bool fits = true;
  std::size_t next = 0;
  const auto add = [&](std::string part) { fits = fits && append_text(*out, *new_text(node.span, std::move(part))); };
  for (std::size_t at = 0; at < text.size() && fits;) {
    const std::size_t sign = std::min(text.find('%', at), text.size());
    if (sign > at) add(text.substr(at, sign - at));
    if (sign == text.size()) break;
    if (text.substr(sign, 2) == "%%") {
      add("%");
      at = sign + 2;
      continue;
    }
    std::size_t end = sign + 1;
    Ref value;
    if (text.substr(end, 1) == "(") {
      const std::size_t close = text.find(')', end);
      if (close == std::string::npos || values->kind != Kind::dictionary)
        return opaque(node.span, "the format is not read");
      value = find(*values, text.substr(end + 1, close - end - 1));
      if (value == nullptr) value = depends(node.span, {values});
      end = close + 1;
    } else if (values->kind != Kind::dictionary) {
      if (next >= (several ? values->items.size() : 1)) return opaque(node.span, "a value is missing");
      value = several ? values->items[next] : values;
      ++next;
    }
    const std::size_t type = text.find_first_not_of("0123456789.-+ #", end);
    if (type == std::string::npos || value == nullptr) return opaque(node.span, "the format is not read");
    const std::string flags = text.substr(end, type - end);
    const char conversion = text[type];
    at = type + 1;
    const auto* integer = value->kind == Kind::scalar ? std::get_if<std::int64_t>(&value->data) : nullptr;
    std::optional<std::string> shown;
    if (conversion == 's' && flags.empty()) {
      append(*out, value, node.span);
      out = inherit(out, {value});
      continue;
    }
    if (conversion == 'r' && flags.empty()) shown = repr_of(*value);
    const bool digits = flags.find_first_not_of("0123456789") == std::string::npos;
    if ((conversion == 'd' || conversion == 'i') && integer != nullptr && digits)
      shown = format_of(*value, flags + "d");
    if (conversion == 'f' && value->kind == Kind::scalar && std::holds_alternative<double>(value->data)) {
      const bool plain = flags.find_first_not_of("0123456789.") == std::string::npos;
      if (plain) shown = format_of(*value, flags + "f");
    }
    if (shown) {
      add(*shown);
    } else {
      touch(value, node.span);
      append_hole(*out, node.span);
    }
    out = inherit(out, {value});
  }
  if (!fits) {
    limit(node.span);
    return unknown(node.span, "the strings are too long");
  }
  if (several && next != values->items.size()) return opaque(node.span, "there are too many values");
  if (out->pieces.empty()) out->pieces.push_back({0, node.span, false, false});
  return inherit(out, {object});
}

}  // namespace sparsecfg::script
