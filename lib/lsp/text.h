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

  friend auto operator<=>(const Position&, const Position&) = default;
};

struct Range {
  Position start;
  Position end;

  friend bool operator==(const Range&, const Range&) = default;
};

// The UTF-8 text of an open document, which the editor changes incrementally.
//
// The cost of a change depends only on the changed part. Positions cost the same on lines of any length.
class Text {
 public:
  explicit Text(std::string bytes);

  // The whole text, which the first call after a change puts together.
  [[nodiscard]] const std::string& bytes() const;

  [[nodiscard]] std::uint32_t size() const { return size_; }

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
  // A part of the text of a few hundred bytes, which splits no character and no CR LF. Only the text "" has an empty
  // one.
  struct Piece {
    std::string bytes;
    Position extent;  // from its begin to its end: lines, and characters after the last line end
  };

  struct Start {
    std::uint32_t offset = 0;
    Position position;
  };

  static std::vector<Piece> split(std::string_view text);
  void index() const;
  [[nodiscard]] std::size_t piece_at(std::uint32_t offset) const;

  std::uint32_t size_ = 0;
  std::vector<Piece> pieces_;
  mutable std::vector<Start> starts_;  // of the pieces
  mutable std::size_t indexed_ = 0;    // pieces whose start is right
  mutable std::string bytes_;          // all pieces together
  mutable bool is_whole_ = false;      // true if `bytes_` is right
};

// Difference between two strings: `before` in the old string becomes `after` in the new one. Both spans are empty if
// the strings are equal. The spans do not split characters.
struct Difference {
  source::Span before;
  source::Span after;
};

[[nodiscard]] Difference difference(std::string_view before, std::string_view after);

}  // namespace sparsecfg::lsp
