#include "emit/literal.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/number.h"
#include "base/text.h"
#include "emit/node.h"

namespace sparsecfg::emit {

// Returns the name with U+FFFD for bytes that are not UTF-8.
static std::string valid_utf8(std::string_view name) {
  std::string out;
  for (std::size_t at = 0; at < name.size();) {
    const std::size_t start = at;
    const bool valid = base::next_code_point(name, at) != base::kNotUtf8;
    out += valid ? name.substr(start, at - start) : std::string_view("\xEF\xBF\xBD");
  }
  return out;
}

static std::string yaml_literal(const std::string& name) {
  std::string out = to_yaml(text(name)).value_or("''\n");
  out.pop_back();  // the line feed
  return out;
}

// Prefers double quotes, as formatters of Python do.
static std::string python_literal(const std::string& name) {
  std::string out = base::python_repr(name);
  if (out.find('"') == std::string::npos) {
    out.front() = '"';
    out.back() = '"';
  }
  return out;
}

// Returns the name with a backslash before each of some ASCII characters, and with escapes for unsafe ones.
static std::string escaped(const std::string& name, std::string_view with_backslash) {
  std::string out;
  for (std::size_t at = 0; at < name.size();) {
    const std::size_t start = at;
    const char32_t code = base::next_code_point(name, at);
    if (base::is_unsafe(code)) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(code));
    } else {
      if (with_backslash.find(name[start]) != std::string_view::npos) out += '\\';
      out += name.substr(start, at - start);
    }
  }
  return out;
}

static std::string json_literal(const std::string& name) { return '"' + escaped(name, "\"\\") + '"'; }

// Quotes a word for a POSIX shell. Only words with unsafe characters need the quotes of Bash, which have escapes.
static std::string shell_literal(const std::string& name) {
  const auto is_plain = [](char c) {
    return base::is_letter(c) || base::is_digit(c) || std::string_view("_./-").find(c) != std::string_view::npos;
  };
  if (!name.empty() && name.front() != '-' && std::ranges::all_of(name, is_plain)) {
    return name;
  }
  if (base::printable(name) != name) {
    return "$'" + escaped(name, "'\\") + "'";
  }
  std::string out = "'";
  for (const char c : name) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string literal(Syntax syntax, std::string_view name) {
  const std::string text = valid_utf8(name);
  switch (syntax) {
    case Syntax::yaml: return yaml_literal(text);
    case Syntax::python: return python_literal(text);
    case Syntax::json: return json_literal(text);
    case Syntax::shell: return shell_literal(text);
  }
  return {};
}

}  // namespace sparsecfg::emit
