#pragma once

#include <optional>
#include <string>
#include <vector>

#include "diag/sink.h"
#include "dialect/llmcompressor/table.h"
#include "doc/document.h"

namespace sparsecfg::dialect::llmcompressor {

// Finds the modifiers of a recipe in the order in which they act; with `stage` those of the stages whose keys begin
// with it. Reports what stops the loader here (SP104, LC103, LC109) and what it passes over (SP101, SP106, LC101,
// LC102, LC104 to LC106).
[[nodiscard]] std::vector<stages::Written> find_modifiers(const doc::Document& document, const std::optional<std::string>& stage,
                                                  diag::Sink& sink);

// Whether a key of the top level is that of a stage with a number behind it, as the second run of a recipe leaves it.
[[nodiscard]] bool is_numbered_stage(std::string_view key);

}  // namespace sparsecfg::dialect::llmcompressor
