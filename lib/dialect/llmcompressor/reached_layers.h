#pragma once

#include <vector>

#include "dialect/llmcompressor/schemes.h"
#include "model/names.h"
#include "model/selector.h"

// Computes the layers that a modifier changes, if its targets are not those layers themselves.
namespace sparsecfg::dialect::llmcompressor {

// Returns for each module whether a one-shot pruner prunes it: the Linear and Conv layers that are targets or within
// targets, without those that `ignore` matches. If `targets` is a string, no module is pruned.
[[nodiscard]] std::vector<bool> pruned_layers(const LayerPruning& pruning, const std::vector<model::Module>& modules);
[[nodiscard]] std::vector<bool> pruned_layers(const Entries& targets, const Entries& ignored,
                                              const std::vector<model::Module>& modules);

// Returns for each module whether REAP removes experts of it: the parent of a block of linear experts.
[[nodiscard]] std::vector<bool> blocks_with_experts(const ExpertPruning& pruning,
                                                    const std::vector<model::Module>& modules);
// The same for the entries of `ignore`.
[[nodiscard]] std::vector<bool> blocks_with_experts(const Entries& ignored, const std::vector<model::Module>& modules);

// Returns a selector that matches exactly the reached modules: the entries that match some of them, then patterns for
// the others. `place` is the location of the patterns.
[[nodiscard]] model::Selector selector_of(const std::vector<Entry>& entries, const std::vector<bool>& reached,
                                          const std::vector<model::Module>& modules, source::Span place);

}  // namespace sparsecfg::dialect::llmcompressor
