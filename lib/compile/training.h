#pragma once

#include <vector>

#include "compile/compile.h"
#include "dialect/distiller/training_command.h"

// Commands of scripts and documents that train with YAML files.
namespace sparsecfg {

// Returns the files that the commands name, each once, with the settings that are the same in all its commands.
[[nodiscard]] std::vector<RecipeReference> files_of(const std::vector<dialect::distiller::TrainingCommand>& commands,
                                                    const source::SourceFile& script, const CompileOptions& options);

}  // namespace sparsecfg
