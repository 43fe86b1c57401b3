#pragma once

#include <cstdint>
#include <string_view>

#include "doc/document.h"

namespace sparsecfg::doc {

// Begin and end of nodes and lines, as byte offsets.
class Places {
 public:
  Places(std::string_view text, const Document& document) : text_(text), document_(document) {}

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
  std::string_view text_;
  const Document& document_;
};

}  // namespace sparsecfg::doc
