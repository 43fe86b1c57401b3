#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "dialect/options.h"

// The reader options `runtime` and `tensor-parallel`, which several dialects share.
namespace sparsecfg::dialect {

struct Dialect;

// Returns the value of `--runtime`; empty if it is not set.
[[nodiscard]] std::string_view runtime_name(const ReadOptions& options);

// Returns the sentence that confirms for which runtime a recipe of the dialect was checked, such as "checked for vLLM
// 0.30 on 4 GPUs (A100)", or that it was not; empty if no runtime is selected.
[[nodiscard]] std::string runtime_sentence(const ReadOptions& options, const Dialect& dialect);

// Returns the value of `--tensor-parallel`; 1 if it is not set.
[[nodiscard]] std::uint64_t gpus_of(const ReadOptions& options);
// Returns the number of GPUs across which the runtime splits one expert.
[[nodiscard]] std::uint64_t gpus_per_expert(const ReadOptions& options);

}  // namespace sparsecfg::dialect
