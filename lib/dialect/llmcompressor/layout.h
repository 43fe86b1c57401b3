#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diag/sink.h"
#include "dialect/llmcompressor/table.h"
#include "doc/document.h"
#include "source/source_file.h"

// Finds the modifiers in the stages and groups of a recipe.
namespace sparsecfg::dialect::llmcompressor {

// Returns the modifiers of a recipe in execution order. With `stage` it returns only those of stages whose keys begin
// with it. Reports what the loader rejects and ignores.
[[nodiscard]] std::vector<stages::ModifierNode> find_modifiers(const source::SourceFile& file,
                                                               const doc::Document& document,
                                                               const std::optional<std::string>& stage,
                                                               diag::Sink& sink);

// Returns true if a top-level key is a numbered stage, as written when a model is compressed again.
[[nodiscard]] bool is_numbered_stage(std::string_view key);

}  // namespace sparsecfg::dialect::llmcompressor
