#pragma once

#include <vector>

#include "compile/places.h"
#include "source/span.h"

// Command lines in shell scripts and Makefiles.
namespace sparsecfg::places {

// Adds the commands of a script, or of a block in a document, that are recipes of a dialect.
void add_commands(const source::SourceFile& file, source::Span part, std::vector<Place>& places);

// Returns the recipes in the commands of a script.
[[nodiscard]] Found find_in_shell(const source::SourceFile& file);

}  // namespace sparsecfg::places
