#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "doc/document.h"

namespace sparsecfg::doc {

// Begin and end of nodes and lines, as byte offsets. The cost of a line of the document does not depend on its length,
// nor on the length of the text around the document.
class Places {
 public:
  Places(std::string_view text, const Document& document);

  [[nodiscard]] std::string_view text(std::uint32_t begin, std::uint32_t end) const {
    return text_.substr(begin, end - begin);
  }

  // Includes the tag and the anchor.
  [[nodiscard]] std::uint32_t begin_of(NodeId id) const;
  // Returns the end of the last character of a node. The spans of block collections and block scalars extend further.
  [[nodiscard]] std::uint32_t end_of(NodeId id) const;

  [[nodiscard]] std::uint32_t line_begin(std::uint32_t at) const;
  // Excludes the line break.
  [[nodiscard]] std::uint32_t line_end(std::uint32_t at) const;
  [[nodiscard]] std::uint32_t next_line(std::uint32_t at) const;

 private:
  // Returns the index of the line that contains an offset in the document.
  [[nodiscard]] std::size_t line_at(std::uint32_t at) const;

  // The lines of the document.
  struct Lines {
    source::Span extent;
    std::vector<std::uint32_t> starts;
  };

  [[nodiscard]] const Lines& lines() const;

  [[nodiscard]] bool is_listed(std::uint32_t at) const { return lines().extent.begin <= at && at < lines().extent.end; }

  std::string_view text_;
  const Document& document_;
  mutable std::optional<Lines> lines_;
};

}  // namespace sparsecfg::doc
