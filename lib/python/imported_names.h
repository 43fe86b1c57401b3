#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "python/tree.h"
#include "source/source_file.h"

// The names that the imports of a script define.
namespace sparsecfg::python {

struct ImportedName {
  std::string origin;  // the dotted name of its value
  std::string name;    // `*` for all names of a module
};

using ImportedNames = std::vector<ImportedName>;

// Returns the names of all imports, those in functions too, in the order of the code. The scripts share their names.
[[nodiscard]] ImportedNames imported_names(std::span<const Script> scripts);

// Returns the same for a script in a file, which is parsed once. The file keeps the result.
[[nodiscard]] const ImportedNames& imported_names(const source::SourceFile& file);

}  // namespace sparsecfg::python
