#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "source/span.h"

namespace sparsecfg::format {

// The bytes of `span` become `text`.
struct Edit {
  source::Span span;
  std::string text;
};

// Returns the text after all edits, which must not overlap. Edits of one place are made in their order.
[[nodiscard]] std::string apply(std::string_view text, std::vector<Edit> edits);

}  // namespace sparsecfg::format
