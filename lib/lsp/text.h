#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "source/span.h"

namespace sparsecfg::lsp {

// A position of the protocol. Lines and characters start at 0. Characters are UTF-16 code units.
struct Position {
  std::uint32_t line = 0;
  std::uint32_t character = 0;

  friend bool operator==(const Position&, const Position&) = default;
};

struct Range {
  Position start;
  Position end;

  friend bool operator==(const Range&, const Range&) = default;
};

// The UTF-8 text of an open document, which the editor changes incrementally.
class Text {
 public:
  explicit Text(std::string bytes);

  [[nodiscard]] const std::string& bytes() const { return bytes_; }

  [[nodiscard]] Position position(std::uint32_t offset) const;

  [[nodiscard]] Range range(source::Span span) const { return {position(span.begin), position(span.end)}; }

  // Returns the byte offset of a position. Positions after the end of a line or of the text are clamped. The second
  // half of a surrogate pair is treated as the first.
  [[nodiscard]] std::uint32_t offset(Position position) const;
  // Returns the span of a range. The ends of the range may be in reverse order.
  [[nodiscard]] source::Span span(Range range) const;

  // Returns the span of a line without its line end. Lines start at 0.
  [[nodiscard]] source::Span line(std::uint32_t number) const;
  [[nodiscard]] std::uint32_t line_of(std::uint32_t offset) const;

  void replace(source::Span span, std::string_view text);

 private:
  void find_lines();

  std::string bytes_;
  std::vector<std::uint32_t> starts_;
};

// Difference between two strings: `before` in the old string becomes `after` in the new one. Both spans are empty if
// the strings are equal. The spans do not split characters.
struct Difference {
  source::Span before;
  source::Span after;
};

[[nodiscard]] Difference difference(std::string_view before, std::string_view after);

}  // namespace sparsecfg::lsp
