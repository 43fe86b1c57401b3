#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "outcome/outcome.h"

// Compares two outcomes. "The same" is a proof: unknown values are never equal.
namespace sparsecfg::outcome {

// One difference, for all modules that have it.
struct Change {
  std::string what;                   // "32 down_proj: int4 -> 16 bits", "`Linear`: GPTQ -> AutoRound"
  std::vector<std::string> details;   // "weights int4 -> int3, groups of 128 -> 64"
  std::vector<std::uint32_t> names;   // the modules; empty without a model
  std::vector<std::uint32_t> before;  // the actions that decide, in either recipe
  std::vector<std::uint32_t> after;
};

struct Difference {
  std::vector<Change> changes;
  std::vector<std::string> not_compared;  // reasons why a part could not be compared

  // Returns true if both outcomes are proved to be equal.
  [[nodiscard]] bool same() const { return changes.empty() && not_compared.empty(); }
};

// Compares the outcomes of two recipes for the modules of one model.
[[nodiscard]] Difference difference(const Outcome& before, const Outcome& after,
                                    const std::vector<model::Module>& modules);

// Compares two recipes by their rules, without a model. Rules that differ are evaluated for example names.
[[nodiscard]] Difference symbolic_difference(const ir::Recipe& before, const ir::Recipe& after);

// Returns the differences of two methods: "GPTQ -> AutoRound", "GPTQ block_size 128 -> 64". Two unknown settings are
// not listed. Empty if the methods are equal, or if one of them is not stated.
[[nodiscard]] std::vector<std::string> method_changes(const ir::Method& before, const ir::Method& after);

}  // namespace sparsecfg::outcome
