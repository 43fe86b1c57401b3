#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "dialect/autoround/config.h"
#include "ir/operation.h"

// How AutoRound, its loader and vLLM compare keys with modules. A rule that `leaves` names blocks: the base applies in
// them. Without such rules, it applies in all blocks of the text model.
namespace sparsecfg::dialect::autoround {

extern const ir::Language kOwn;        // the normal path
extern const ir::Language kModelFree;  // the path without a model
extern const ir::Language kLoader;     // reads the saved configuration
extern const ir::Language kVllm;       // the same, over the layers of vLLM
extern const ir::Language kSglang;     // the same, over those of SGLang

// Names with a meaning in the rules that `leave`.
inline constexpr std::string_view kHeadRule = "lm_head$";    // quant_lm_head
inline constexpr std::string_view kNontextRule = "nontext";  // quant_nontext_module
inline constexpr std::string_view kTiedRule = "tied";        // lm_head stays in 16 bits
inline constexpr std::string_view kPartRule = "part: ";      // before an item of modules_in_block_to_quantize
// After a rule: its scheme for layers outside of blocks in runtimes. The plain one leaves them in 16 bits.
inline constexpr std::string_view kOutsideRule = "outside";
inline constexpr std::string_view kOutsidePlainRule = "outside: plain";
inline constexpr std::string_view kEmptyRule = "empty";  // after a rule without settings
inline constexpr std::string_view kRemarks[] = {kOutsideRule, kOutsidePlainRule, kEmptyRule};

// Returns the operation that arguments mean to AutoRound.
[[nodiscard]] ir::Assign lowered(const Arguments& arguments);
[[nodiscard]] ir::Assign lowered_without_model(const Arguments& arguments);
// Returns the operation that a saved configuration means to the loader, or to vLLM.
[[nodiscard]] ir::Assign lowered(const Saved& saved, const ir::Language& language);

// Returns the saved configuration that AutoRound writes for a model.
[[nodiscard]] Saved saved_form(const Arguments& arguments, const std::vector<model::Module>& modules);

// Returns the rules of patterns whose layers all stay in 16 bits because a layer of the pattern does not fit
// (docs/semantics/autoround.md#b1-8), each with the first such layer.
struct LostRule {
  std::uint32_t rule = 0;
  std::string layer;
  std::size_t layers = 0;         // number of layers that the rule decides
  std::vector<std::string> kept;  // layers whose sides are multiples of 32
};

[[nodiscard]] std::vector<LostRule> lost_rules(const ir::Assign& assign, const std::vector<model::Module>& modules);

// Returns the rules that decide about layers, without those of the base.
[[nodiscard]] std::set<std::uint32_t> rules_for(const ir::Assign& assign, const std::vector<model::Module>& modules,
                                                const std::vector<std::string>& layers);

// Returns the layers that entries quantize and that the path without a model always skips. `own` is the operation of
// the normal path, and `free` that of the path without a model.
struct SkippedLayer {
  std::uint32_t rule = 0;  // of the entry
  std::string layer;
};

[[nodiscard]] std::vector<SkippedLayer> skipped_without_model(const ir::Assign& own, const ir::Assign& free,
                                                              const std::vector<model::Module>& modules);

// Returns true if `lm_head` is tied and would get a scheme otherwise.
[[nodiscard]] bool resets_tied_head(const ir::Assign& assign, const std::vector<model::Module>& modules);

// Returns true if the names of blocks, if there are any, match a block of the model.
[[nodiscard]] bool has_blocks(const ir::Assign& assign, const std::vector<model::Module>& modules);

// Returns a fused layer whose parts have different settings in vLLM; nullopt if there is none.
struct UnequalParts {
  std::string layer;
  std::optional<std::uint32_t> rule;  // that decides one of the parts
};

[[nodiscard]] std::optional<UnequalParts> unequal_parts(const ir::Assign& assign,
                                                        const std::vector<model::Module>& layers);

}  // namespace sparsecfg::dialect::autoround
