#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "source/span.h"

namespace sparsecfg::source {

// The position of a byte for people: both numbers count from 1, columns in code points.
struct Position {
  std::uint32_t line = 1;
  std::uint32_t column = 1;
};

// The text of one recipe and its line table. Neither copied nor moved, so views into text() and
// references to the file stay good for as long as it lives.
class SourceFile {
 public:
  SourceFile(std::string name, std::string text);
  SourceFile(const SourceFile&) = delete;
  SourceFile& operator=(const SourceFile&) = delete;

  // The path as the user wrote it, or the name given for standard input.
  [[nodiscard]] const std::string& name() const { return name_; }

  [[nodiscard]] std::string_view text() const { return text_; }

  [[nodiscard]] std::string_view text(Span span) const;

  // `offset` may be anything from 0 to the size of the text; an offset inside a character belongs
  // to that character. Costs the same on a line of any length.
  [[nodiscard]] Position position(std::uint32_t offset) const;

  [[nodiscard]] std::uint32_t line_count() const { return static_cast<std::uint32_t>(line_starts_.size()); }

  // The bytes of line `line` (from 1) without its line end.
  [[nodiscard]] Span line_span(std::uint32_t line) const;

 private:
  // Returns how many characters begin at or before `offset`; the end of the text counts as one.
  [[nodiscard]] std::uint32_t rank(std::uint32_t offset) const;

  std::string name_;
  std::string text_;
  std::vector<std::uint32_t> line_starts_;
  std::vector<std::uint32_t> characters_before_;  // each block of the text
};

}  // namespace sparsecfg::source
