#pragma once

#include <vector>

#include "diag/sink.h"
#include "dialect/gguf/plan_rules.h"
#include "dialect/gguf/script.h"
#include "model/gguf.h"

// Rules about commands, beyond the types of tensors.
namespace sparsecfg::dialect::gguf {

// Reports arguments that the program rejects or reads as something else.
void check_arguments(const Command& command, const source::SourceFile& file, diag::Sink& sink);

// Reports options that have no effect on this model, or make the program stop at it. `header`: null without a model.
void check_model_options(const PlannedCommand& planned, const model::GgufHeader* header, diag::Sink& sink);

// Reports files that a command reads but that no earlier one writes in the form that it requires.
void check_files(const Script& script, const std::vector<Command>& commands, const source::SourceFile& file,
                 diag::Sink& sink);

// Reports commands that quantize a file again to a type with more bits.
void check_requantized(const Script& script, const std::vector<Command>& commands, const source::SourceFile& file,
                       diag::Sink& sink);

// Returns the importance matrix that a script creates before a command, as the script names it; empty without one.
[[nodiscard]] std::string matrix_before(const Script& script, const Command& command, const source::SourceFile& file);

}  // namespace sparsecfg::dialect::gguf
