#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "dialect/options.h"

// The reader options `runtime` and `tensor-parallel`, which several dialects share.
namespace sparsecfg::dialect {

struct Dialect;

// Returns the value of `--runtime`; empty if it is not set.
[[nodiscard]] std::string_view runtime_name(const ReadOptions& options);

// Returns the name of a program as its makers write it: "SGLang" for `sglang`.
[[nodiscard]] std::string title_of_program(std::string_view name);

// Returns the sentence that confirms for which runtime a recipe of the dialect was checked, such as "checked for vLLM
// 0.30 on 4 GPUs (A100)", or that it was not; empty if no runtime is selected.
[[nodiscard]] std::string runtime_sentence(const ReadOptions& options, const Dialect& dialect);

// The release of vLLM if the user names none.
inline constexpr int kNewestVllm = std::numeric_limits<int>::max();

// Returns 27 for `--runtime vllm@0.27`.
[[nodiscard]] int release_of_vllm(const ReadOptions& options);

// Returns true if `--runtime` names a release, such as `vllm@0.27`.
[[nodiscard]] bool names_release(const ReadOptions& options);

// The first release of vLLM that ignores the order of the columns of GPTQ (docs/semantics/checkpoint.md#a2-15,
// docs/semantics/gptqmodel.md#d1-7).
inline constexpr int kNoColumnOrder = 30;

// Returns the value of `--tensor-parallel`; 1 if it is not set.
[[nodiscard]] std::uint64_t gpus_of(const ReadOptions& options);
// Returns the number of GPUs across which the runtime splits one expert.
[[nodiscard]] std::uint64_t gpus_per_expert(const ReadOptions& options);

// A GPU that the option `gpu` selects.
struct GpuChoice {
  std::string_view title;  // "A100"
  int capability = 0;      // compute capability: 90 is 9.0
};

// Returns the GPU; nullopt if the option is not set.
[[nodiscard]] std::optional<GpuChoice> gpu_of(const ReadOptions& options);

// Returns a compute capability as its makers write it: "8.9" for 89.
[[nodiscard]] std::string capability_text(int capability);

// Returns the first number of GPUs that `fits` accepts among a half, a quarter and so on of a number; 0 if none does.
// Numbers are halved, because most numbers of attention heads are only divisible by powers of 2.
template <class Fits>
[[nodiscard]] std::uint64_t fewer_gpus(std::uint64_t gpus, Fits fits) {
  do gpus /= 2;
  while (gpus > 0 && !fits(gpus));
  return gpus;
}

// Returns the greatest power of 2 that `fits` accepts, up to a number of GPUs that it rejects; 0 if it accepts none.
template <class Fits>
[[nodiscard]] std::uint64_t power_of_two_gpus(std::uint64_t gpus, Fits fits) {
  return fewer_gpus(2 * std::bit_floor(gpus), fits);
}

// Returns the name for the option of a common GPU with at least this compute capability; empty if there is none.
[[nodiscard]] std::string_view gpu_with(int capability);

}  // namespace sparsecfg::dialect
