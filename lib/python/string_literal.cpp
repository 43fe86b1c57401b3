#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "python/token.h"

namespace sparsecfg::python {

// Reads the hexadecimal digits of an escape that starts at `at`.
static bool append_code(std::string& value, std::string_view text, std::size_t& at, std::size_t digits) {
  const std::string_view code_text = text.substr(std::min(at + 2, text.size()), digits);
  std::uint32_t code = 0;
  const auto read = std::from_chars(code_text.data(), code_text.data() + code_text.size(), code, 16);
  if (code_text.size() != digits || read.ptr != code_text.data() + code_text.size() || code > 0x10FFFF) {
    return false;
  }
  // A lone surrogate is not a character and can't be part of a model's name.
  const bool lone = code >= 0xD800 && code <= 0xDFFF;
  base::append_utf8(value, lone ? char32_t{0xFFFD} : static_cast<char32_t>(code));
  at += 2 + digits;
  return true;
}

static void append_escape(std::string& value, std::string_view text, std::size_t& at) {
  constexpr std::string_view kLetters = "\\'\"abfnrtv";
  constexpr std::string_view kMeanings = "\\'\"\a\b\f\n\r\t\v";
  const char c = at + 1 < text.size() ? text[at + 1] : '\0';
  const std::size_t digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
  if (const std::size_t letter = kLetters.find(c); c != '\0' && letter != std::string_view::npos) {
    value += kMeanings[letter];
    at += 2;
  } else if (c == '\n') {
    at += 2;
  } else if (digits == 0 || !append_code(value, text, at, digits)) {
    value += text.substr(at, 2);
    at = std::min(at + 2, text.size());
  }
}

std::size_t escape_width(std::string_view text) {
  std::string unused;
  std::size_t at = 0;
  append_escape(unused, text, at);
  return at;
}

std::string unescaped(std::string_view text) {
  std::string value;
  value.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t escape = std::min(text.find('\\', at), text.size());
    value += text.substr(at, escape - at);
    at = escape;
    if (at < text.size()) {
      append_escape(value, text, at);
    }
  }
  return value;
}

StringLiteral take_apart(std::string_view literal) {
  StringLiteral out;
  const std::size_t quote = literal.find_first_of("'\"");
  const std::string prefix = base::to_lower(literal.substr(0, quote));
  const std::string_view quotes = literal.substr(quote);
  const bool triple = quotes.size() >= 6 && quotes[1] == quotes[0] && quotes[2] == quotes[0];
  const std::size_t width = triple ? 3 : 1;
  const std::string_view content = quotes.substr(width, quotes.size() - 2 * width);
  out.content = static_cast<std::uint32_t>(quote + width);
  out.length = static_cast<std::uint32_t>(content.size());
  out.raw = prefix.find('r') != std::string::npos;
  out.bytes = prefix.find('b') != std::string::npos;
  out.format = prefix.find('f') != std::string::npos;
  out.value = out.raw || out.format ? std::string(content) : unescaped(content);
  return out;
}

}  // namespace sparsecfg::python
