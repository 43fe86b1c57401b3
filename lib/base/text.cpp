#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>

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

}  // namespace sparsecfg::base
