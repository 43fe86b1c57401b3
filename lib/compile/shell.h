#pragma once

#include <vector>

#include "compile/places.h"
#include "source/span.h"

// Command lines in shell scripts and Makefiles.
namespace sparsecfg::places {

// Adds the commands of a block in a document that are recipes of a dialect, and those that serve or train a model.
void add_commands(const source::SourceFile& file, source::Span part, Found& out);

// Returns the recipes in the commands of a script, and the commands that serve or train a model.
[[nodiscard]] Found find_in_shell(const source::SourceFile& file);

}  // namespace sparsecfg::places
