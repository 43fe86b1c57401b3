#pragma once

#include <optional>
#include <string_view>

#include "diag/sink.h"
#include "dialect/options.h"
#include "doc/document.h"

namespace sparsecfg::dialect::sparseml {

// The reader that a recipe was written for: that of 2020 where PyTorch's is `asked` for and a tag
// stands in the recipe that only the one of 2020 knows, else the one asked for. Reports every such
// tag (DP911) and, once, that tags of later releases stand beside it (DP912).
[[nodiscard]] Framework detect_vintage(const doc::Document& document, Framework asked, diag::Sink& sink);

// The name of the modifier that a node's tag stands for: the tag without its `!`, and for the releases of 2020 without
// `!pytorch.`, which their own files have.
[[nodiscard]] std::string_view modifier_name(const doc::Node& node, Framework framework);

// What a modifier of 2020 has been called since; nothing for any other name.
[[nodiscard]] std::optional<std::string_view> modern_name(std::string_view name);

}  // namespace sparsecfg::dialect::sparseml
