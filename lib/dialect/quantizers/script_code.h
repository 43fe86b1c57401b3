#pragma once

#include <span>
#include <string>
#include <string_view>

#include "python/imported_names.h"
#include "source/source_file.h"

// Code in help lines for a script. It may use names that the script does not import.
namespace sparsecfg::dialect::quantizers {

// A name and the module that exports it. Without a name: the module itself.
struct Exported {
  std::string_view module;
  std::string_view name{};
  std::string_view alias{};  // of a module whose name has dots

  // Returns the word of the code that means this.
  [[nodiscard]] std::string_view word() const { return !name.empty() ? name : !alias.empty() ? alias : module; }
};

struct ScriptCode {
  std::string text;     // with the prefixes and aliases of the script, such as `mtq.quantize(...)`
  std::string imports;  // those that the script lacks: ", with `from copy import deepcopy`"; empty if it has all

  // Returns the code in backticks, with the imports.
  [[nodiscard]] std::string shown() const;
};

// Returns code as a script can run it. `imported`: the names that the script imports. `names`: those that the code may
// use. A script without any import is part of a document that leaves imports out.
[[nodiscard]] ScriptCode code_for(const python::ImportedNames& imported, std::string_view code,
                                  std::span<const Exported> names);

// Appends the imports that a script lacks to a help line whose code in backticks uses some of the names.
void name_imports(std::string& help, const source::SourceFile& script, std::span<const Exported> names);

}  // namespace sparsecfg::dialect::quantizers
