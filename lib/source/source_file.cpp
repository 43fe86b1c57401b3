#include "source/source_file.h"

#include <algorithm>
#include <utility>

namespace sparsecfg::source {

// Lines end with LF, CR LF or a single CR, as in YAML.
static std::vector<std::uint32_t> find_line_starts(std::string_view text) {
  std::vector<std::uint32_t> starts;
  starts.reserve(text.size() / 16 + 1);  // typical length of lines in recipes
  starts.push_back(0);
  std::size_t feed = text.find('\n');
  std::size_t lone_return = text.find('\r');
  while (std::min(feed, lone_return) != std::string_view::npos) {
    const std::size_t end = std::min(feed, lone_return);
    if (end + 1 != feed) starts.push_back(static_cast<std::uint32_t>(end + 1));
    (end == feed ? feed : lone_return) = text.find(text[end], end + 1);
  }
  return starts;
}

// Columns are requested at any offset of possibly very long lines. Characters are counted once per block, and then only
// within one block.
static constexpr std::uint32_t kBlock = 128;

static bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

static std::uint32_t count_characters(std::string_view text) {
  return static_cast<std::uint32_t>(std::ranges::count_if(text, begins_character));
}

// A one-byte counter and a known number of bytes allow the compiler to vectorize this.
static std::uint8_t count_in_block(const char* text) {
  std::uint8_t count = 0;
  for (std::uint32_t at = 0; at < kBlock; ++at) {
    count = static_cast<std::uint8_t>(count + (begins_character(text[at]) ? 1 : 0));
  }
  return count;
}

static std::vector<std::uint32_t> count_before_blocks(std::string_view text) {
  std::vector<std::uint32_t> before{0};
  before.reserve(text.size() / kBlock + 1);
  for (std::size_t at = 0; at + kBlock <= text.size(); at += kBlock) {
    before.push_back(before.back() + count_in_block(text.data() + at));
  }
  return before;
}

SourceFile::SourceFile(std::string name, std::string text)
    : name_(std::move(name)),
      text_(std::move(text)),
      line_starts_(find_line_starts(text_)),
      characters_before_(count_before_blocks(text_)) {}

const CellLine* SourceFile::cell_at(std::uint32_t offset) const {
  const auto after = std::ranges::upper_bound(cells_, offset, {}, &CellLine::offset);
  return after == cells_.begin() ? nullptr : &*(after - 1);
}

std::string_view SourceFile::text(Span span) const {
  return std::string_view(text_).substr(span.begin, span.end - span.begin);
}

std::uint32_t SourceFile::rank(std::uint32_t offset) const {
  const std::uint32_t block = offset / kBlock;
  const std::uint32_t block_start = block * kBlock;
  const std::string_view rest = std::string_view(text_).substr(block_start, offset + 1 - block_start);
  return characters_before_[block] + count_characters(rest) + (offset == text_.size() ? 1 : 0);
}

Position SourceFile::position(std::uint32_t offset) const {
  const std::uint32_t last = std::min(offset, static_cast<std::uint32_t>(text_.size()));
  const auto after = std::ranges::upper_bound(line_starts_, last);
  const auto line = static_cast<std::uint32_t>(after - line_starts_.begin());
  return {line, rank(last) - rank(*(after - 1)) + 1};
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
