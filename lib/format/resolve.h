#pragma once

#include <string>

#include "doc/document.h"
#include "ir/recipe.h"
#include "source/source_file.h"

namespace sparsecfg::format {

// Returns the text with the values of its fields in the place of `eval(...)`, which stays behind them as a comment.
// Variables that nothing uses any more become comments, too, so that nobody sets them in vain.
[[nodiscard]] std::string resolve_variables(const source::SourceFile& file, const doc::Document& document,
                                            const ir::Recipe& recipe);

}  // namespace sparsecfg::format
