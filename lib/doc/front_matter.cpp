#include <algorithm>

#include "base/text.h"
#include "doc/readers.h"

namespace sparsecfg::doc {

// Returns true for characters that `\s` matches in Python's re.
static bool is_space(char32_t c) {
  return (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20) || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

static std::size_t skip_space(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    std::size_t next = at;
    if (!is_space(base::next_code_point(text, next))) {
      break;
    }
    at = next;
  }
  return at;
}

static bool is_delimiter(std::string_view text) { return text.starts_with("---") || text.starts_with("+++"); }

// Returns the first delimiter that only white space precedes on its line. Python's `\s*` may span lines, which makes no
// difference: the last of these lines also begins with white space.
static std::size_t find_opening(std::string_view text) {
  for (std::size_t line = 0; line != std::string_view::npos && line < text.size();) {
    const std::size_t begin = skip_space(text, line);
    if (is_delimiter(text.substr(begin))) {
      return begin;
    }
    line = text.find_first_of("\r\n", begin);
    line = line == std::string_view::npos ? line : line + 1;
  }
  return text.size();
}

static std::size_t find_closing(std::string_view text, std::size_t at) {
  while (at < text.size() && !is_delimiter(text.substr(at))) {
    ++at;
  }
  return at;
}

bool is_markdown(std::string_view name) {
  const std::string ending = base::to_lower(base::ending_of(name));
  return ending == "md" || ending == "mdx";
}

std::optional<FrontMatter> find_front_matter(std::string_view text) {
  constexpr std::uint32_t kLength = 3;
  const std::size_t opening = find_opening(text);
  const std::size_t closing = opening == text.size() ? opening : find_closing(text, opening + kLength);
  if (closing >= text.size()) {
    return std::nullopt;
  }
  const auto begin = static_cast<std::uint32_t>(opening);
  const auto end = static_cast<std::uint32_t>(closing);
  return FrontMatter{{begin, begin + kLength}, {begin + kLength, end}, {end, end + kLength}};
}

// Returns the line with every run in it that could be read as a delimiter replaced by `=`.
static std::string without_delimiters(std::string_view line) {
  std::string out(line);
  for (const char ruler : {'-', '+'}) {
    const std::string run(3, ruler);
    for (std::size_t at = out.find(run); at != std::string::npos; at = out.find(run)) {
      const std::size_t end = std::min(out.find_first_not_of(ruler, at), out.size());
      out.replace(at, end - at, end - at, '=');
    }
  }
  return out;
}

// Returns true for a ruler such as `--- pruning ---` with modifiers after it.
static bool is_ruler(const source::SourceFile& file, const source::Span& closing, const source::Span& line) {
  const std::string_view rest = base::trim(file.text({closing.end, line.end}));
  return rest.find_first_not_of("-+") != std::string_view::npos &&
         file.text().substr(line.end).find("- !") != std::string_view::npos;
}

bool report_early_closing(const source::SourceFile& file, const FrontMatter& front, diag::Sink& sink) {
  const source::Position at = file.position(front.closing.begin);
  const source::Span line = file.line_span(at.line);
  const std::string_view before = base::trim(file.text({line.begin, front.closing.begin}));
  if (before.empty() && !is_ruler(file, front.closing, line)) {
    return false;
  }
  sink.report(diag::front_matter_truncates_recipe, front.closing, file.text(front.closing), at.line)
      .with_label(front.opening, "the recipe starts here")
      .with_help("use another character for rulers in comments, such as `# ===`")
      .with_fix(before.starts_with('#') ? diag::Fix::safe().replace(line, without_delimiters(file.text(line)))
                                        : diag::Fix());
  return true;
}

static std::string_view next_line(std::string_view text, std::size_t& at) {
  const std::size_t end = std::min(text.find('\n', at), text.size());
  const std::string_view line = text.substr(at, end - at);
  at = end + 1;
  return line;
}

bool has_line_of_recipe(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view line = base::trim(next_line(text, at));
    if (line.starts_with("- !") || line.ends_with("modifiers:") || line.ends_with("_stage:")) return true;
  }
  return false;
}

std::uint32_t end_of_yaml(std::string_view text, std::uint32_t begin) {
  std::size_t end = begin;
  for (std::size_t at = begin; at < text.size(); end = std::min(at, text.size())) {
    const std::string_view line = next_line(text, at);
    const bool starts_item = line.empty() || line.find_first_of(" \t#-\r") == 0;
    const bool starts_key = line.find(':') != std::string_view::npos && line.find(' ') > line.find(':');
    if (is_delimiter(line) || line.starts_with("```") || (!starts_item && !starts_key)) break;
  }
  return static_cast<std::uint32_t>(end);
}

}  // namespace sparsecfg::doc
