#pragma once

#include <optional>
#include <string_view>

#include "source/span.h"

namespace sparsecfg::doc {

// Where a Markdown recipe holds its YAML.
struct FrontMatter {
  source::Span opening;  // the delimiter that opens it
  source::Span yaml;     // the text between the delimiters
  source::Span closing;  // the delimiter that closes it
};

// SparseML's rule (reference A.2): white space at the start of any line, then `---` or `+++`,
// then the shortest text up to the next `---` or `+++` anywhere, even inside a comment. Nothing
// where no such pair stands in `text`.
[[nodiscard]] std::optional<FrontMatter> find_front_matter(std::string_view text);

}  // namespace sparsecfg::doc
