#pragma once

#include <string>
#include <vector>

#include "dialect/llmcompressor/draft.h"
#include "dialect/write.h"
#include "model/selector.h"

namespace sparsecfg::dialect::llmcompressor {

// Writes a recipe of any dialect as an llm-compressor recipe. Writes an llm-compressor recipe unchanged.
[[nodiscard]] WriteResult write(const ir::Recipe& recipe, const WriteOptions& options, diag::Sink& sink);

// Fills Dialect::plan.
[[nodiscard]] Plan plan(const ir::Recipe& recipe);

// Concatenates llm-compressor recipes.
[[nodiscard]] Composed compose(ir::Recipe base, ir::Recipe next, const ComposeOptions& options);

// Converts a modifier of SparseML stages. Returns nothing if it is dropped, as recorded in the status. `quantized` is
// true if an earlier modifier sets schemes. Adds fields that are omitted without an effect to `notes`.
[[nodiscard]] std::optional<Draft> draft_of_stages(const ir::Action& action, bool quantized, ActionStatus& status,
                                                   std::vector<std::string>& notes,
                                                   std::vector<std::string>& instructions, diag::Sink& sink);

// Converts an action of any dialect to one-shot modifiers, none or several.
[[nodiscard]] std::vector<Draft> drafts_by_effect(const ir::Action& action, ActionStatus& status, diag::Sink& sink);

// Returns true for the name of a class that llm-compressor never quantizes: not Linear, Embedding or attention.
[[nodiscard]] bool is_never_quantized(const std::string& name);

// Converts the schemes of older SparseML quantization to groups: the general scheme for quantizable layer types, then
// one group for each override of such a type.
[[nodiscard]] source::Value groups_of_schemes(const source::Value& scheme, const source::Value& overrides);

// Converts the selector of a training pruner for a one-shot pruner, which selects layers by name or class and prunes
// their weights.
struct OneShotLayers {
  std::vector<std::string> targets;
  std::vector<std::string> ignored;
  std::vector<std::string> losses;  // reasons for parts of the selector that are not expressed
};

[[nodiscard]] OneShotLayers one_shot_layers(const model::Selector& selector);

}  // namespace sparsecfg::dialect::llmcompressor
