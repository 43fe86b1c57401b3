#pragma once

#include <cstdint>
#include <string_view>

#include "dialect/options.h"

// The reader options `runtime` and `tensor-parallel`, which several dialects share.
namespace sparsecfg::dialect {

// Returns the value of `--runtime`; empty if it is not set.
[[nodiscard]] std::string_view runtime_name(const ReadOptions& options);

// Returns the value of `--tensor-parallel`; 1 if it is not set.
[[nodiscard]] std::uint64_t gpus_of(const ReadOptions& options);

}  // namespace sparsecfg::dialect
