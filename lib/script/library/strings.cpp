#include <algorithm>

#include "base/limits.h"
#include "base/text.h"
#include "script/interpreter.h"
#include "script/library/formats.h"
#include "script/library/tables.h"
#include "script/search.h"
#include "script/text_builder.h"

// Methods of strings. Most of them are known only for ASCII, where each character is one byte.
namespace sparsecfg::script {

using Kind = Value::Kind;

constexpr std::string_view kBlanks = " \t\n\r\f\v\x1c\x1d\x1e\x1f";
constexpr std::size_t kEnd = std::string_view::npos;

static bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

static char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

static char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; }

static Ref text_result(const Call& call, std::string_view text) {
  return call.interpreter.new_text(call.node.span, std::string(text));
}

static Ref result(const Call& call, source::Value::Data data) { return scalar(call.node.span, std::move(data)); }

// Replaces each character by a function of the text and its place.
template <class Convert>
static Ref mapped(const Call& call, Convert convert) {
  const std::string& text = call.text();
  if (!is_ascii(text)) return nullptr;
  std::string out = text;
  for (std::size_t at = 0; at < out.size(); ++at) out[at] = convert(text, at);
  return call.interpreter.new_text(call.node.span, std::move(out));
}

static Ref to_lower(const Call& call) {
  return mapped(call, [](const std::string& text, std::size_t at) { return lower(text[at]); });
}

static Ref to_upper(const Call& call) {
  return mapped(call, [](const std::string& text, std::size_t at) { return upper(text[at]); });
}

static Ref capitalize(const Call& call) {
  return mapped(call,
                [](const std::string& text, std::size_t at) { return at == 0 ? upper(text[at]) : lower(text[at]); });
}

static Ref swapcase(const Call& call) {
  return mapped(call, [](const std::string& text, std::size_t at) {
    return lower(text[at]) != text[at] ? lower(text[at]) : upper(text[at]);
  });
}

static Ref title(const Call& call) {
  return mapped(call, [](const std::string& text, std::size_t at) {
    return at > 0 && base::is_letter(text[at - 1]) ? lower(text[at]) : upper(text[at]);
  });
}

// Returns true if the text is not empty and a test accepts all of its characters.
template <bool (*kTest)(char)>
static Ref consists_of(const Call& call) {
  const std::string& text = call.text();
  return is_ascii(text) ? result(call, !text.empty() && std::ranges::all_of(text, kTest)) : nullptr;
}

static bool is_digit(char c) { return base::is_digit(c); }

static bool is_letter(char c) { return base::is_letter(c); }

static bool is_letter_or_digit(char c) { return base::is_letter(c) || base::is_digit(c); }

static bool is_blank(char c) { return kBlanks.find(c) != kEnd; }

static bool is_lower(char c) { return upper(c) != c; }

static bool is_upper(char c) { return lower(c) != c; }

// Returns true if there are letters of one case, and none of the other.
template <bool (*kWanted)(char), bool (*kOther)(char)>
static Ref is_cased(const Call& call) {
  const std::string& text = call.text();
  if (!is_ascii(text)) return nullptr;
  return result(call, std::ranges::any_of(text, kWanted) && std::ranges::none_of(text, kOther));
}

static Ref is_identifier(const Call& call) {
  const std::string& text = call.text();
  if (!is_ascii(text)) return nullptr;
  return result(call, !text.empty() && !base::is_digit(text[0]) && std::ranges::all_of(text, base::is_name_letter));
}

// Strips characters. Strings with placeholders keep the places of their parts.
static Ref strip(const Call& call, bool left, bool right) {
  const std::string& text = call.text();
  const bool blanks = call.is_none(0);
  const std::string_view characters = blanks ? kBlanks : std::string_view(call.text(0));
  if (!is_ascii(characters) || (call.self->is_whole() ? !is_ascii(text) : !blanks)) return nullptr;
  const std::size_t begin = left ? std::min(text.find_first_not_of(characters), text.size()) : 0;
  const std::size_t end = right ? text.find_last_not_of(characters) + 1 : text.size();
  if (blanks) return call.interpreter.substring(*call.self, begin, std::max(begin, end));
  return text_result(call, std::string_view(text).substr(begin, std::max(begin, end) - begin));
}

static Ref strip_both(const Call& call) { return strip(call, true, true); }

static Ref strip_left(const Call& call) { return strip(call, true, false); }

static Ref strip_right(const Call& call) { return strip(call, false, true); }

// Adds the parts between blanks.
static bool split_at_blanks(const Call& call, std::vector<Ref>& out) {
  const std::string_view text = call.text();
  for (std::size_t at = text.find_first_not_of(kBlanks); at != kEnd;) {
    const std::size_t end = std::min(text.find_first_of(kBlanks, at), text.size());
    if (!call.interpreter.builds(sizeof(Value))) return false;
    out.push_back(text_result(call, text.substr(at, end - at)));
    at = text.find_first_not_of(kBlanks, end);
  }
  return true;
}

// Adds the parts between a separator.
static bool split_at(const Call& call, const std::string& separator, std::size_t most, std::vector<Ref>& out) {
  const Searcher searcher(separator);
  const std::string_view text = call.text();
  std::size_t begin = 0;
  while (out.size() < most) {
    const std::size_t at = searcher.find(text, begin);
    if (at == kEnd) break;
    if (!call.interpreter.builds(sizeof(Value))) return false;
    out.push_back(text_result(call, text.substr(begin, at - begin)));
    begin = at + separator.size();
  }
  out.push_back(text_result(call, text.substr(begin)));
  return true;
}

// Adds the parts between a separator, beginning at the end. Few parts are searched one by one.
static bool split_at_last(const Call& call, const std::string& separator, std::size_t most, std::vector<Ref>& out) {
  const Searcher searcher(separator);
  std::string_view text = call.text();
  while (out.size() < most) {
    if (!call.interpreter.reads(text.size())) return false;
    const std::size_t at = searcher.rfind(text);
    if (at == kEnd) break;
    if (!call.interpreter.builds(sizeof(Value))) return false;
    out.push_back(text_result(call, text.substr(at + separator.size())));
    text = text.substr(0, at);
  }
  out.push_back(text_result(call, text));
  std::ranges::reverse(out);
  return true;
}

static Ref split(const Call& call, bool from_right) {
  const bool blanks = call.is_none(0);
  if (blanks ? call.has(1) || !is_ascii(call.text()) : call.text(0).empty()) return nullptr;
  const std::int64_t limit = call.integer(1, -1);
  const std::size_t most = limit < 0 ? kEnd : static_cast<std::size_t>(limit);
  std::vector<Ref> parts;
  // Without a limit, the direction matters only if the separator can overlap itself.
  const bool backward = from_right && !blanks && (most != kEnd || call.text(0).size() > 1);
  const bool fits = blanks     ? split_at_blanks(call, parts)
                    : backward ? split_at_last(call, call.text(0), most, parts)
                               : split_at(call, call.text(0), most, parts);
  return fits ? call.interpreter.list_like(Kind::list, std::move(parts), call.node) : nullptr;
}

static Ref split_left(const Call& call) { return split(call, false); }

static Ref split_right(const Call& call) { return split(call, true); }

static Ref split_lines(const Call& call) {
  const std::string_view text = call.text();
  if (!is_ascii(text) || text.find_first_of("\r\f\v\x1c\x1d\x1e") != kEnd) return nullptr;
  std::vector<Ref> parts;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (!call.interpreter.builds(sizeof(Value))) return nullptr;
    parts.push_back(text_result(call, text.substr(at, end - at)));
    at = end + 1;
  }
  return call.interpreter.list_like(Kind::list, std::move(parts), call.node);
}

// The text before the separator, the separator and the text after it.
static Ref parted(const Call& call, std::size_t at, bool keeps_first) {
  const std::string_view text = call.text();
  std::string_view parts[3] = {text, "", ""};
  if (at != kEnd) {
    parts[0] = text.substr(0, at);
    parts[1] = call.text(0);
    parts[2] = text.substr(at + call.text(0).size());
  } else if (!keeps_first) {
    std::swap(parts[0], parts[2]);
  }
  std::vector<Ref> out;
  for (const std::string_view part : parts) out.push_back(text_result(call, part));
  return call.interpreter.list_like(Kind::tuple, std::move(out), call.node);
}

static Ref partition(const Call& call) {
  return call.text(0).empty() ? nullptr : parted(call, Searcher(call.text(0)).find(call.text()), true);
}

static Ref partition_right(const Call& call) {
  return call.text(0).empty() ? nullptr : parted(call, Searcher(call.text(0)).rfind(call.text()), false);
}

static std::size_t occurrences(std::string_view text, std::string_view part, std::size_t most) {
  const Searcher searcher(part);
  std::size_t count = 0;
  for (std::size_t at = searcher.find(text); at != kEnd && count < most; at = searcher.find(text, at + part.size()))
    ++count;
  return count;
}

static Ref replace(const Call& call) {
  const std::string& text = call.text();
  const std::string& old = call.text(0);
  const std::string& with = call.text(1);
  if (old.empty()) return nullptr;
  const std::int64_t limit = call.integer(2, -1);
  const std::size_t count = occurrences(text, old, limit < 0 ? kEnd : static_cast<std::size_t>(limit));
  const std::size_t size = text.size() + count * with.size() - count * old.size();
  if (size > limits::kMaxScriptString || !call.interpreter.builds(size)) return nullptr;
  const Searcher searcher(old);
  std::string out;
  out.reserve(size);
  std::size_t begin = 0;
  for (std::size_t round = 0; round < count; ++round) {
    const std::size_t at = searcher.find(text, begin);
    out.append(text, begin, at - begin).append(with);
    begin = at + old.size();
  }
  return call.interpreter.new_text(call.node.span, out.append(text, begin));
}

// Tests a prefix or suffix, or each of several.
template <class Test>
static Ref any_affix(const Call& call, Test test) {
  if (types_of(*call.values[0]) == types::text) return result(call, test(call.text(), call.text(0)));
  bool any = false;
  for (const Ref& item : call.values[0]->items) {
    if (types_of(*item) != types::text || !call.interpreter.reads(item->string()->size())) return nullptr;
    any = any || test(call.text(), *item->string());
  }
  return result(call, any);
}

static Ref starts_with(const Call& call) {
  return any_affix(call, [](const std::string& text, const std::string& part) { return text.starts_with(part); });
}

static Ref ends_with(const Call& call) {
  return any_affix(call, [](const std::string& text, const std::string& part) { return text.ends_with(part); });
}

static Ref remove_prefix(const Call& call) {
  const std::string_view text = call.text();
  return text_result(call, text.starts_with(call.text(0)) ? text.substr(call.text(0).size()) : text);
}

static Ref remove_suffix(const Call& call) {
  const std::string_view text = call.text();
  return text_result(call, text.ends_with(call.text(0)) ? text.substr(0, text.size() - call.text(0).size()) : text);
}

static bool are_ascii(const Call& call) { return is_ascii(call.text()) && is_ascii(call.text(0)); }

static Ref place(const Call& call, std::size_t at) {
  return result(call, at == kEnd ? std::int64_t{-1} : static_cast<std::int64_t>(at));
}

static Ref find_first(const Call& call) {
  return are_ascii(call) ? place(call, Searcher(call.text(0)).find(call.text())) : nullptr;
}

static Ref find_last(const Call& call) {
  return are_ascii(call) ? place(call, Searcher(call.text(0)).rfind(call.text())) : nullptr;
}

// `index` raises an exception where `find` returns -1.
static Ref index_first(const Call& call) {
  const Ref at = find_first(call);
  return at != nullptr && std::get<std::int64_t>(at->data) >= 0 ? at : nullptr;
}

static Ref index_last(const Call& call) {
  const Ref at = find_last(call);
  return at != nullptr && std::get<std::int64_t>(at->data) >= 0 ? at : nullptr;
}

static Ref count(const Call& call) {
  if (!are_ascii(call) || call.text(0).empty()) return nullptr;
  return result(call, static_cast<std::int64_t>(occurrences(call.text(), call.text(0), kEnd)));
}

// Pads to a width: `before` and `after` are the numbers of fill characters.
static Ref padded(const Call& call, std::size_t before, std::size_t after, char fill) {
  if (!call.interpreter.builds(before + after)) return nullptr;
  return call.interpreter.new_text(call.node.span, std::string(before, fill) + call.text() + std::string(after, fill));
}

// Returns the number of missing characters; nullopt if the call is not modeled.
static std::optional<std::size_t> missing(const Call& call) {
  const std::int64_t width = call.integer(0, 0);
  const bool fill = call.values.size() < 2 || !call.has(1) || (call.text(1).size() == 1 && is_ascii(call.text(1)));
  if (!is_ascii(call.text()) || !fill || width >= limits::kMaxScriptWidth) return std::nullopt;
  const auto size = static_cast<std::int64_t>(call.text().size());
  return static_cast<std::size_t>(std::max(width - size, std::int64_t{0}));
}

static char fill_of(const Call& call) { return call.has(1) ? call.text(1)[0] : ' '; }

static Ref pad_right(const Call& call) {
  const auto count = missing(call);
  return count ? padded(call, 0, *count, fill_of(call)) : nullptr;
}

static Ref pad_left(const Call& call) {
  const auto count = missing(call);
  return count ? padded(call, *count, 0, fill_of(call)) : nullptr;
}

// CPython rounds the left padding down, except if both the padding and the width are odd.
static Ref center(const Call& call) {
  const auto count = missing(call);
  if (!count) return nullptr;
  const bool odd = *count % 2 == 1 && call.integer(0, 0) % 2 != 0;
  const std::size_t before = *count / 2 + (odd ? 1 : 0);
  return padded(call, before, *count - before, fill_of(call));
}

static Ref fill_zeros(const Call& call) {
  const auto count = missing(call);
  if (!count || !call.interpreter.builds(*count)) return nullptr;
  const std::string& text = call.text();
  const std::size_t sign = text.starts_with('+') || text.starts_with('-') ? 1 : 0;
  return call.interpreter.new_text(call.node.span, text.substr(0, sign) + std::string(*count, '0') + text.substr(sign));
}

// Elements that are not known become placeholders.
static Ref join(const Call& call) {
  Interpreter& in = call.interpreter;
  const Ref& parts = call.values[0];
  const auto items = in.elements(parts, call.node.span);
  const bool strings = items && std::ranges::all_of(*items, [](const Ref& item) {
                         return item->string() != nullptr || item->kind == Kind::unknown || item->kind == Kind::name ||
                                item->kind == Kind::object;
                       });
  if (!strings) {
    if (items) in.escape(parts, call.node.span, "its elements are joined");
    return in.depends(call.node.span, {call.self, parts}, "the parts of the string are unknown");
  }
  TextBuilder out(in, call.node.span);
  for (std::size_t at = 0; at < items->size() && out.fits(); ++at) {
    const Ref& item = (*items)[at];
    if (at > 0) out.add(*call.self);
    if (item->string() != nullptr) {
      out.add(*item);
    } else {
      out.add_hole(item->span);
    }
    out.inherit(*item);
  }
  return out.take();
}

std::span<const Operation> text_methods() {
  using enum Parameter::Presence;
  constexpr Types text = types::text;
  const Parameter part{"", text};
  const Parameter characters{"", text | types::none, optional};
  const Parameter separator{"sep", text | types::none, optional};
  const Parameter most{"maxsplit", types::integer, optional};
  const Parameter width{"", types::integer};
  const Parameter fill{"", text, optional};
  static const std::vector<Operation> rows = {
      {"lower", {}, Cost::all, &to_lower},
      {"casefold", {}, Cost::all, &to_lower},
      {"upper", {}, Cost::all, &to_upper},
      {"capitalize", {}, Cost::all, &capitalize},
      {"swapcase", {}, Cost::all, &swapcase},
      {"title", {}, Cost::all, &title},
      {"isdigit", {}, Cost::all, &consists_of<is_digit>},
      {"isdecimal", {}, Cost::all, &consists_of<is_digit>},
      {"isnumeric", {}, Cost::all, &consists_of<is_digit>},
      {"isalpha", {}, Cost::all, &consists_of<is_letter>},
      {"isalnum", {}, Cost::all, &consists_of<is_letter_or_digit>},
      {"isspace", {}, Cost::all, &consists_of<is_blank>},
      {"islower", {}, Cost::all, &is_cased<is_lower, is_upper>},
      {"isupper", {}, Cost::all, &is_cased<is_upper, is_lower>},
      {"isidentifier", {}, Cost::all, &is_identifier},
      {"strip", {characters}, Cost::all, &strip_both, traits::partial},
      {"lstrip", {characters}, Cost::all, &strip_left, traits::partial},
      {"rstrip", {characters}, Cost::all, &strip_right, traits::partial},
      {"split", {separator, most}, Cost::all, &split_left},
      {"rsplit", {separator, most}, Cost::all, &split_right},
      {"splitlines", {}, Cost::all, &split_lines},
      {"partition", {part}, Cost::all, &partition},
      {"rpartition", {part}, Cost::all, &partition_right},
      {"replace", {part, part, {"", types::integer, optional}}, Cost::all, &replace},
      {"startswith", {{"", text | types::tuple}}, Cost::all, &starts_with},
      {"endswith", {{"", text | types::tuple}}, Cost::all, &ends_with},
      {"removeprefix", {part}, Cost::all, &remove_prefix},
      {"removesuffix", {part}, Cost::all, &remove_suffix},
      {"find", {part}, Cost::all, &find_first},
      {"rfind", {part}, Cost::all, &find_last},
      {"index", {part}, Cost::all, &index_first},
      {"rindex", {part}, Cost::all, &index_last},
      {"count", {part}, Cost::all, &count},
      {"ljust", {width, fill}, Cost::all, &pad_right},
      {"rjust", {width, fill}, Cost::all, &pad_left},
      {"center", {width, fill}, Cost::all, &center},
      {"zfill", {width}, Cost::all, &fill_zeros},
      {"join", {{"", types::any}}, Cost::constant, &join, traits::partial},
      {"format",
       {{"", types::any, rest}, {"", types::any, mapping}},
       Cost::all,
       &formatted,
       traits::partial | traits::open},
  };
  return rows;
}

}  // namespace sparsecfg::script
