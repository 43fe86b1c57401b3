#pragma once

#include "dialect/compose.h"
#include "dialect/llmcompressor/draft.h"
#include "dialect/write.h"

namespace sparsecfg::dialect::llmcompressor {

// A recipe of any dialect as one of llm-compressor's; a recipe of its own as it is.
[[nodiscard]] Written write(const ir::Recipe& recipe, const WriteOptions& options, diag::Sink& sink);

// Recipes of its own one after the other.
[[nodiscard]] Composed compose(ir::Recipe base, ir::Recipe next, const ComposeOptions& options);

// What a modifier of SparseML's stages becomes; nothing where that is said in the status. `quantized` is true if one
// before it gives schemes. `notes` says what is left out without a loss.
[[nodiscard]] std::optional<Draft> draft_of_stages(const ir::Action& action, bool quantized, ActionStatus& status,
                                                   std::vector<std::string>& notes,
                                                   std::vector<std::string>& instructions, diag::Sink& sink);

// What one shot can do of an action of any dialect: none or several modifiers.
[[nodiscard]] std::vector<Draft> drafts_by_effect(const ir::Action& action, ActionStatus& status, diag::Sink& sink);

// Returns true if it is the name of a class that llm-compressor gives no scheme: one of neither Linear, Embedding nor
// attention.
[[nodiscard]] bool is_never_quantized(const std::string& name);

// The schemes of SparseML's older quantization as groups: the general one for layers of the kinds that are quantized,
// then one for each override of such a kind.
[[nodiscard]] source::Value groups_of_schemes(const source::Value& scheme, const source::Value& overrides);

}  // namespace sparsecfg::dialect::llmcompressor
