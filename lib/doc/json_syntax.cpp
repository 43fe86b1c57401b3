#include <fmt/core.h>

#include "base/text.h"
#include "doc/readers.h"
#include "source/value.h"

namespace sparsecfg::doc {

// Returns the span of a comma before the closing bracket at `at`, or nullopt.
static std::optional<source::Span> trailing_comma(std::string_view text, std::size_t at) {
  const std::size_t last = text.substr(0, at).find_last_not_of(" \t\r\n");
  const bool closes = at < text.size() && (text[at] == ']' || text[at] == '}');
  if (!closes || last == std::string_view::npos || text[last] != ',') {
    return std::nullopt;
  }
  return source::Span{static_cast<std::uint32_t>(last), static_cast<std::uint32_t>(last + 1)};
}

void check_json(const source::SourceFile& file, diag::Sink& sink) {
  const std::string_view text = file.text();
  const bool is_json_file = base::to_lower(base::ending_of(file.name())) == "json";
  const auto at = is_json_file ? source::json_error_at(text) : std::nullopt;
  if (!at) {
    return;
  }
  if (const auto comma = trailing_comma(text, *at)) {
    sink.report(diag::syntax_error, *comma, fmt::format("trailing `,` before `{}` is not valid JSON", text[*at]))
        .with_help("delete the `,` (a `.json` file is read as JSON)")
        .with_fix(diag::Fix::safe().replace(*comma, ""));
    return;
  }
  const auto begin = static_cast<std::uint32_t>(*at);
  sink.report(diag::syntax_error, {begin, begin}, "this is valid YAML but not valid JSON")
      .with_help("write JSON, or rename the file to end in `.yaml`");
}

}  // namespace sparsecfg::doc
