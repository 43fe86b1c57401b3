#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "source/span.h"

namespace sparsecfg::lsp {

// A place as the protocol counts it: lines from 0, characters of the line in UTF-16 code units from 0.
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

// The text of an open document, in UTF-8, which the editor changes piece by piece.
class Text {
 public:
  explicit Text(std::string bytes);

  [[nodiscard]] const std::string& bytes() const { return bytes_; }

  [[nodiscard]] Position position(std::uint32_t offset) const;

  [[nodiscard]] Range range(source::Span span) const { return {position(span.begin), position(span.end)}; }

  // Returns the offset of a position; one behind the end of its line counts as that end, a line behind the last one as
  // the end of the text, the second half of a surrogate pair as its first.
  [[nodiscard]] std::uint32_t offset(Position position) const;
  // Returns an ordered span, whichever end of the range comes first.
  [[nodiscard]] source::Span span(Range range) const;

  // The bytes of a line, counted from 0, without its line end.
  [[nodiscard]] source::Span line(std::uint32_t number) const;
  [[nodiscard]] std::uint32_t line_of(std::uint32_t offset) const;

  void replace(source::Span span, std::string_view text);

 private:
  void find_lines();

  std::string bytes_;
  std::vector<std::uint32_t> starts_;
};

// What differs between two texts: `before` in the old one becomes `after` in the new one. Both are empty if the texts
// are the same. They begin and end between characters.
struct Difference {
  source::Span before;
  source::Span after;
};

[[nodiscard]] Difference difference(std::string_view before, std::string_view after);

}  // namespace sparsecfg::lsp
