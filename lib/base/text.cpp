#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace sparsecfg::base {

std::string_view trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n\v\f\r";
  const std::size_t begin = text.find_first_not_of(kSpace);
  return begin == std::string_view::npos ? std::string_view{}
                                         : text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

bool contains(std::span<const std::string_view> words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

std::string to_lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return out;
}

std::string to_upper(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  return out;
}

std::string as_clause(std::string_view sentence) {
  std::string out(sentence.substr(0, sentence.find(". ")));
  if (out.ends_with('.')) out.pop_back();
  const bool acronym = out.size() > 1 && out[1] >= 'A' && out[1] <= 'Z';
  if (!out.empty() && !acronym) {
    out.front() = to_lower(out.substr(0, 1)).front();
  }
  return out;
}

std::string_view ending_of(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : name.substr(dot + 1);
}

std::vector<std::string_view> parts_of(std::string_view text, char separator) {
  std::vector<std::string_view> out;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    out.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string uri_of(std::string_view path) {
  while (path.starts_with("./")) path.remove_prefix(2);
  std::string out = path.starts_with('/') ? "file://" : "";
  for (const char c : path) {
    const bool plain = is_name_letter(c) || std::string_view("-.~/").find(c) != std::string_view::npos;
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

std::string counted(std::uint64_t number, std::string_view noun) {
  return std::to_string(number) + " " + std::string(noun) + (number == 1 ? "" : "s");
}

std::string join_and(const std::vector<std::string>& parts) {
  std::string out;
  for (std::size_t at = 0; at < parts.size(); ++at) {
    out += (at == 0 ? "" : at + 1 == parts.size() ? " and " : ", ") + parts[at];
  }
  return out;
}

// Returns the length of the UTF-8 sequence that starts with the byte, or 0 if no sequence starts with it.
static std::size_t sequence_length(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return 2;
  if (lead >= 0xE0 && lead <= 0xEF) return 3;
  if (lead >= 0xF0 && lead <= 0xF4) return 4;
  return 0;
}

// Overlong forms, surrogates and code points above U+10FFFF are not valid UTF-8.
static bool in_range(char32_t code_point, std::size_t length) {
  static constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code_point >= 0xD800 && code_point <= 0xDFFF;
  return code_point >= kLeast[length] && code_point <= 0x10FFFF && !surrogate;
}

char32_t next_code_point(std::string_view text, std::size_t& at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  const std::size_t length = sequence_length(lead);
  if (length <= 1) {
    ++at;
    return length == 1 ? lead : kNotUtf8;
  }
  char32_t code_point = lead & (0x7FU >> length);
  for (std::size_t more = 1; more < length; ++more) {
    const unsigned char byte = at + more < text.size() ? static_cast<unsigned char>(text[at + more]) : 0;
    if ((byte & 0xC0) != 0x80) {
      ++at;
      return kNotUtf8;
    }
    code_point = (code_point << 6) | (byte & 0x3FU);
  }
  if (!in_range(code_point, length)) {
    ++at;
    return kNotUtf8;
  }
  at += length;
  return code_point;
}

void append_utf8(std::string& out, char32_t code_point) {
  const auto put = [&](char32_t byte) { out += static_cast<char>(byte); };
  if (code_point < 0x80) {
    put(code_point);
  } else if (code_point < 0x800) {
    put(0xC0 | (code_point >> 6));
    put(0x80 | (code_point & 0x3F));
  } else if (code_point < 0x10000) {
    put(0xE0 | (code_point >> 12));
    put(0x80 | ((code_point >> 6) & 0x3F));
    put(0x80 | (code_point & 0x3F));
  } else {
    put(0xF0 | (code_point >> 18));
    put(0x80 | ((code_point >> 12) & 0x3F));
    put(0x80 | ((code_point >> 6) & 0x3F));
    put(0x80 | (code_point & 0x3F));
  }
}

std::size_t find_invalid_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t start = at;
    if (static_cast<unsigned char>(text[at]) < 0x80) {
      ++at;
    } else if (next_code_point(text, at) == kNotUtf8) {
      return start;
    }
  }
  return text.size();
}

bool is_unsafe(char32_t code_point) {
  return code_point < 0x20 || (code_point >= 0x7F && code_point <= 0x9F) || code_point == 0xAD || code_point == 0x61C ||
         (code_point >= 0x200B && code_point <= 0x200F) || (code_point >= 0x2028 && code_point <= 0x202E) ||
         (code_point >= 0x2060 && code_point <= 0x2069) || code_point == 0xFEFF;
}

std::string printable(std::string_view text) {
  if (std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; })) {
    return std::string(text);
  }
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t start = at;
    const char32_t code_point = next_code_point(text, at);
    if (code_point == kNotUtf8) {
      out += "\xEF\xBF\xBD";
    } else if (!is_unsafe(code_point)) {
      out += text.substr(start, at - start);
    } else {
      out += code_point < 0x100 ? fmt::format("\\x{:02x}", static_cast<unsigned>(code_point))
                                : fmt::format("\\u{:04x}", static_cast<unsigned>(code_point));
    }
  }
  return out;
}

std::string regex_of_glob(std::string_view text) {
  constexpr std::string_view kRepeatable = ".)]}";
  if (text.find('*') == std::string_view::npos || text.find_first_of("\\()|^$+{}") != std::string_view::npos) {
    return {};
  }
  std::string pattern;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '*' && at > 0 && kRepeatable.find(text[at - 1]) != std::string_view::npos) {
      return {};
    }
    pattern += c == '*' ? ".*" : c == '?' ? "." : c == '.' ? "\\." : std::string(1, c);
  }
  return pattern;
}

std::string pattern_meant_by(std::string_view text) {
  if (text.starts_with(".*") || text.starts_with('^') || text.find_first_of("\\()|+$[") != std::string_view::npos) {
    return std::string(text);
  }
  std::string out;
  for (const char c : text) {
    out += c == '*' ? ".*" : c == '?' ? "." : c == '.' ? "\\." : std::string(1, c);
  }
  return text.ends_with('*') ? out : out + "$";
}

struct Range {
  char32_t first;
  char32_t last;
};

// Common Unicode blocks of combining marks, in order. Isolated marks of rare scripts are omitted; they only shift a
// caret by one column.
static constexpr Range kCombining[] = {
    {0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x0610, 0x061A}, {0x064B, 0x065F},
    {0x06D6, 0x06DC}, {0x093C, 0x093C}, {0x0941, 0x0948}, {0x094D, 0x094D}, {0x0E31, 0x0E31},
    {0x0E34, 0x0E3A}, {0x0E47, 0x0E4E}, {0x1160, 0x11FF}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF},
    {0x20D0, 0x20FF}, {0x3099, 0x309A}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0xE0100, 0xE01EF},
};

static constexpr Range kWide[] = {
    {0x1100, 0x115F},   {0x231A, 0x231B},   {0x23E9, 0x23EC},   {0x25FD, 0x25FE},   {0x2614, 0x2615},
    {0x2648, 0x2653},   {0x26A1, 0x26A1},   {0x26AA, 0x26AB},   {0x26BD, 0x26BE},   {0x26D4, 0x26D4},
    {0x2705, 0x2705},   {0x270A, 0x270B},   {0x2728, 0x2728},   {0x274C, 0x274E},   {0x2753, 0x2757},
    {0x2795, 0x2797},   {0x2B1B, 0x2B1C},   {0x2B50, 0x2B55},   {0x2E80, 0x303E},   {0x3041, 0x33FF},
    {0x3400, 0x4DBF},   {0x4E00, 0xA4CF},   {0xA960, 0xA97F},   {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},
    {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},   {0x1F191, 0x1F19A}, {0x1F200, 0x1F265},
    {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F7E0, 0x1F7EB}, {0x1F900, 0x1F9FF}, {0x1FA70, 0x1FAFF},
    {0x20000, 0x3FFFD},
};

static bool holds(std::span<const Range> ranges, char32_t code_point) {
  const auto at = std::ranges::lower_bound(ranges, code_point, {}, &Range::last);
  return at != ranges.end() && at->first <= code_point;
}

std::size_t display_width(char32_t code_point) {
  if (code_point < kCombining[0].first) {
    return 1;
  }
  if (holds(kCombining, code_point)) {
    return 0;
  }
  return holds(kWide, code_point) ? 2 : 1;
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t at = 0; at < text.size();) {
    width += display_width(next_code_point(text, at));
  }
  return width;
}

}  // namespace sparsecfg::base
