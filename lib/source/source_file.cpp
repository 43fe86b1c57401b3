#include "source/source_file.h"

#include <algorithm>
#include <utility>

namespace sparsecfg::source {

// Lines end with LF, CR LF or a lone CR, as every YAML reader counts them.
static std::vector<std::uint32_t> find_line_starts(std::string_view text) {
  std::vector<std::uint32_t> starts{0};
  for (std::size_t at = text.find_first_of("\r\n"); at != std::string_view::npos;
       at = text.find_first_of("\r\n", at)) {
    at += text.substr(at).starts_with("\r\n") ? 2 : 1;
    starts.push_back(static_cast<std::uint32_t>(at));
  }
  return starts;
}

SourceFile::SourceFile(std::string name, std::string text)
    : name_(std::move(name)), text_(std::move(text)), line_starts_(find_line_starts(text_)) {}

std::string_view SourceFile::text(Span span) const {
  return std::string_view(text_).substr(span.begin, span.end - span.begin);
}

Position SourceFile::position(std::uint32_t offset) const {
  const auto after = std::ranges::upper_bound(line_starts_, offset);
  const std::uint32_t start = *(after - 1);
  const auto line = static_cast<std::uint32_t>(after - line_starts_.begin());
  const std::uint32_t last = std::min(offset, static_cast<std::uint32_t>(text_.size()));
  std::uint32_t column = 1;
  for (std::uint32_t at = start + 1; at <= last; ++at) {
    const bool continues = at < text_.size() && (static_cast<unsigned char>(text_[at]) & 0xC0) == 0x80;
    column += continues ? 0 : 1;
  }
  return {line, column};
}

Span SourceFile::line_span(std::uint32_t line) const {
  const std::uint32_t begin = line_starts_[line - 1];
  const auto size = static_cast<std::uint32_t>(text_.size());
  std::uint32_t end = line < line_starts_.size() ? line_starts_[line] : size;
  while (end > begin && (text_[end - 1] == '\n' || text_[end - 1] == '\r')) {
    --end;
  }
  return {begin, end};
}

}  // namespace sparsecfg::source
