#pragma once

#include <string_view>
#include <vector>

#include "compile/places.h"
#include "source/span.h"

// Command lines in shell scripts and Makefiles.
namespace sparsecfg::places {

// Returns true for files that contain command lines: `.sh`, `.bash`, `.zsh`, `.mk` and Makefiles.
[[nodiscard]] bool is_shell_file(std::string_view path);

// Adds the commands of a script, or of a block in a document, that are recipes of a dialect.
void add_commands(const source::SourceFile& file, source::Span part, std::vector<Place>& places);

// Returns the recipes in the commands of a script.
[[nodiscard]] Found find_in_shell(const source::SourceFile& file);

}  // namespace sparsecfg::places
