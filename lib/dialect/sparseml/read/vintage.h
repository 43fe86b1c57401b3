#pragma once

#include <optional>
#include <string_view>

#include "diag/sink.h"
#include "dialect/options.h"
#include "dialect/sparseml/read/layout.h"

namespace sparsecfg::dialect::sparseml {

// The reader that a recipe was written for: that of 2020 where PyTorch's is `asked` for and a tag
// stands in the recipe that only the one of 2020 knows, else the one asked for. Reports every such
// tag (DP911) and, once, that tags of later releases stand beside it (DP912).
[[nodiscard]] Framework detect_vintage(const source::SourceFile& file, const doc::Document& document,
                                     const Layout& layout, Framework asked, diag::Sink& sink);

// What a modifier of 2020 has been called since; nothing for any other name.
[[nodiscard]] std::optional<std::string_view> modern_name(std::string_view name);

}  // namespace sparsecfg::dialect::sparseml
