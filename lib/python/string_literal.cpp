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

// Reads up to three octal digits. Returns false if there is none.
static bool append_octal(std::string& value, std::string_view text, std::size_t& at) {
  const std::string_view digits = text.substr(std::min(at + 1, text.size()), 3);
  std::uint32_t code = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), code, 8);
  const auto length = static_cast<std::size_t>(read.ptr - digits.data());
  if (length == 0) {
    return false;
  }
  base::append_utf8(value, static_cast<char32_t>(code));
  at += 1 + length;
  return true;
}

static void append_escape(std::string& value, std::string_view text, std::size_t& at) {
  constexpr std::string_view kEscapes = "\\'\"abfnrtv";
  constexpr std::string_view kMeanings = "\\'\"\a\b\f\n\r\t\v";
  const char c = at + 1 < text.size() ? text[at + 1] : '\0';
  const std::size_t digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
  if (const std::size_t letter = kEscapes.find(c); c != '\0' && letter != std::string_view::npos) {
    value += kMeanings[letter];
    at += 2;
  } else if (c == '\n') {
    at += 2;
  } else if (append_octal(value, text, at)) {
    return;
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

// Returns the text with the line ends of Python: `\n`.
static std::string with_line_feeds(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool pair = text[at] == '\r' && at + 1 < text.size() && text[at + 1] == '\n';
    if (!pair) out += text[at] == '\r' ? '\n' : text[at];
  }
  return out;
}

// Returns true for a character by its Unicode name, such as `\N{BULLET}`.
static bool has_name(std::string_view content) {
  for (std::size_t at = content.find('\\'); at < content.size(); at = content.find('\\', at + 2)) {
    if (content.substr(at + 1, 2) == "N{") return true;
  }
  return false;
}

std::size_t end_of_literal(std::string_view text, std::size_t quote, bool format, int depth) {
  constexpr int kMaxDepth = 10;
  const std::string_view three = text.substr(quote, 3);
  const bool triple = three.size() == 3 && three[1] == three[0] && three[2] == three[0];
  const std::string_view closing = text.substr(quote, triple ? 3 : 1);
  for (std::size_t at = quote + closing.size(); at < text.size() && depth <= kMaxDepth; ++at) {
    const char c = text[at];
    if (text.substr(at).starts_with(closing)) {
      return at + closing.size();
    }
    if (c == '\\') {
      ++at;
    } else if (!triple && (c == '\n' || c == '\r')) {
      break;
    } else if (format && c == '{' && text.substr(at, 2) == "{{") {
      ++at;
    } else if (format && c == '{') {
      at = end_of_hole_expression(text, at + 1, depth + 1);
    }
  }
  return std::string_view::npos;
}

std::size_t end_of_hole_expression(std::string_view text, std::size_t at, int depth) {
  int open = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\'' || c == '"') {
      const bool format = at > 0 && (text[at - 1] == 'f' || text[at - 1] == 'F');
      const std::size_t end = end_of_literal(text, at, format, depth + 1);
      if (end == std::string_view::npos) return text.size();
      at = end - 1;
    } else if (open == 0 && (c == '}' || c == ':' || (c == '!' && text.substr(at, 2) != "!="))) {
      return at;
    } else {
      open += c == '(' || c == '[' || c == '{' ? 1 : c == ')' || c == ']' || c == '}' ? -1 : 0;
    }
  }
  return at;
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
  out.bytes = prefix.find_first_of("bt") != std::string::npos;  // a template string is an object that is not read
  out.format = prefix.find('f') != std::string::npos;
  out.unread = !out.raw && has_name(content);
  const std::string text = with_line_feeds(content);
  out.value = out.raw || out.format ? text : unescaped(text);
  return out;
}

}  // namespace sparsecfg::python
