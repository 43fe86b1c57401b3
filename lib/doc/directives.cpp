#include "doc/yaml_parts.h"

#include <fmt/core.h>

#include "base/limits.h"
#include "base/text.h"
#include "doc/characters.h"

namespace sparsecfg::doc {

static std::size_t skip_spaces(std::string_view text, std::size_t at) {
  while (at < text.size() && text[at] == ' ') {
    ++at;
  }
  return at;
}

static std::size_t skip_digits(std::string_view text, std::size_t at) {
  while (at < text.size() && base::is_digit(text[at])) {
    ++at;
  }
  return at;
}

static std::string_view name_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() &&
         (base::is_letter(text[end]) || base::is_digit(text[end]) || text[end] == '-' || text[end] == '_')) {
    ++end;
  }
  return text.substr(at, end - at);
}

// Returns the reason why PyYAML rejects the text after `%YAML`, or an empty string if it accepts it.
static std::string_view version_problem(std::string_view rest) {
  const std::size_t major = skip_spaces(rest, 0);
  const std::size_t point = skip_digits(rest, major);
  const std::size_t end = skip_digits(rest, point + 1);
  if (point == major || point >= rest.size() || rest[point] != '.' || end == point + 1) {
    return "`%YAML` is not followed by a version such as `1.1`";
  }
  const std::size_t tail = skip_spaces(rest, end);
  if (tail < rest.size() && (tail == end || rest[tail] != '#')) {
    return "a `%YAML` line contains more than a version";
  }
  const std::size_t leading = rest.find_first_not_of('0', major);
  return point - leading == 1 && rest[leading] == '1' ? "" : "PyYAML accepts only YAML 1.x";
}

// Returns the beginning of the next directive line, or the end of `text` if a document begins first.
static std::size_t find_directive(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    if (text[at] == '%') {
      return at;
    }
    std::size_t line = skip_spaces(text, at);
    line = line < text.size() && text[line] == '#' ? find_line_end(text, line) : line;
    const std::size_t length = break_length(text, line);
    if (length == 0) {
      break;
    }
    at = line + length;
  }
  return text.size();
}

Directives hide_directives(std::string_view text, std::uint32_t begin, InputBuffer& feed, diag::Sink& sink) {
  Directives found = Directives::none;
  if (text.find('%', begin) == std::string_view::npos) {
    return found;
  }
  std::size_t count = 0;
  bool versioned = false;
  for (std::size_t at = find_directive(text, begin); at < text.size(); at = find_directive(text, at)) {
    const std::size_t end = find_line_end(text, at);
    const std::string_view name = name_at(text, at + 1);
    const std::size_t after = at + 1 + name.size();
    const source::Span span{static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(end)};
    if (name.empty() || !is_space_or_end(text, after)) {
      sink.report(diag::syntax_error, span, "`%` at the start of a line must begin a directive such as `%YAML 1.1`");
      return Directives::refused;
    }
    if (name == "YAML") {
      const std::string_view problem =
          versioned ? "duplicate `%YAML` line" : version_problem(text.substr(after, end - after));
      if (!problem.empty()) {
        sink.report(diag::syntax_error, span, problem);
        return Directives::refused;
      }
      versioned = true;
    }
    if (++count > limits::kMaxDirectives) {
      sink.report(diag::limits_exceeded, span,
                  fmt::format("the file has more than {} directives", limits::kMaxDirectives))
          .with_help("delete the directives that no tag uses");
      return Directives::refused;
    }
    if (name != "TAG") {
      feed.replace(span.begin, '#');
      found = Directives::hidden;
    }
    at = end + break_length(text, end);
  }
  return found;
}

}  // namespace sparsecfg::doc
