#pragma once

#include <string>

#include "ir/recipe.h"
#include "source/source_file.h"

namespace sparsecfg::ir {

// The recipe as a JSON document, format 1, with a line feed at its end: everything that was read
// and what it means, in application order, each part with its line. Floats are always written
// with a point or an exponent, so that they stay floats; what JSON has no number for (nan, inf)
// is written as a text.
[[nodiscard]] std::string dump(const Recipe& recipe, const source::SourceFile& file);

}  // namespace sparsecfg::ir
