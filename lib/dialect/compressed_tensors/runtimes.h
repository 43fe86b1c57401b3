#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "dialect/options.h"

// The programs that read the file, and their releases.
namespace sparsecfg::dialect::compressed_tensors {

enum class Runtime : std::uint8_t { library, vllm, sglang };

// A release of vLLM: 24 is 0.24, with all of its patches.
using Release = int;

inline constexpr Release kOldestRelease = 18;
inline constexpr Release kNewestRelease = 30;

// The releases of vLLM in which something holds. docs/semantics/compressed-tensors.md#d3 has the source of each row.
struct Fact {
  Release since = 0;                                    // 0: before the oldest known release
  Release until = std::numeric_limits<Release>::max();  // the first release in which it no longer holds

  [[nodiscard]] constexpr bool holds_in(Release release) const { return since <= release && release < until; }
};

// Facts whose release is known.
namespace facts {
inline constexpr Fact kAlways{};
inline constexpr Fact kSparsityRejected{.since = 22};    // D3.1
inline constexpr Fact kNoSparseKernels{.since = 19};     // D3.2
inline constexpr Fact kFixedTiles{.until = 24};          // D3.3
inline constexpr Fact kCacheRejected{.since = 24};       // D3.4
inline constexpr Fact kAnyBits{.since = 25};             // D3.5
inline constexpr Fact kFusedBeforeClass{.since = 27};    // D3.6
inline constexpr Fact kGroupOrderRejected{.since = 30};  // D3.7
inline constexpr Fact kOrderNeedsGroups{.until = 22};    // D3.8
inline constexpr Fact kSymmetricExperts{.until = 23};    // D3.22
}  // namespace facts

// A GPU that an option selects.
struct Gpu {
  std::string_view name;   // "h100"
  std::string_view title;  // "H100"
  int capability;          // compute capability: 90 is 9.0
  int memory;              // GiB of the usual model of this name
};

// docs/semantics/compressed-tensors.md#d3-13
inline constexpr Gpu kGpus[] = {
    {"h100", "H100", 90, 80},
    {"h100-nvl", "H100 NVL", 90, 94},
    {"h200", "H200", 90, 141},
    {"h20", "H20", 90, 96},
    {"h800", "H800", 90, 80},
    {"gh200", "GH200", 90, 96},
    {"a100", "A100", 80, 80},
    {"a800", "A800", 80, 80},
    {"a30", "A30", 80, 24},
    {"a10", "A10", 86, 24},
    {"a40", "A40", 86, 48},
    {"a6000", "RTX A6000", 86, 48},
    {"rtx-3090", "RTX 3090", 86, 24},
    {"l4", "L4", 89, 24},
    {"l40s", "L40S", 89, 48},
    {"l40", "L40", 89, 48},
    {"l20", "L20", 89, 48},
    {"rtx-6000-ada", "RTX 6000 Ada", 89, 48},
    {"rtx-4090", "RTX 4090", 89, 24},
    {"b200", "B200", 100, 192},
    {"gb200", "GB200", 100, 192},
    {"b300", "B300", 103, 288},
    {"gb300", "GB300", 103, 288},
    {"rtx-5090", "RTX 5090", 120, 32},
    {"rtx-pro-6000", "RTX PRO 6000", 120, 96},
    {"gb10", "GB10", 121, 128},
    {"t4", "T4", 75, 16},
    {"v100", "V100", 70, 32},
};

// What tests assume that depend on the GPU, if the user names none.
inline constexpr int kAssumedCapability = 90;

// A runtime as an option selects it.
struct RuntimeChoice {
  Runtime runtime = Runtime::library;
  std::optional<Release> named{};  // nullopt: the newest known release is assumed
  std::uint64_t gpus = 1;          // tensor parallelism
  std::uint64_t expert_gpus = 1;   // expert parallelism: GPUs that hold whole experts
  const Gpu* gpu = nullptr;        // null: the user names none

  [[nodiscard]] int capability() const { return gpu == nullptr ? kAssumedCapability : gpu->capability; }

  // Returns the number of GPUs that split each expert. vLLM splits none if it distributes them.
  [[nodiscard]] std::uint64_t gpus_per_expert() const {
    if (expert_gpus == 1) return gpus;
    return runtime == Runtime::sglang && gpus > expert_gpus ? gpus / expert_gpus : 1;
  }

  // Returns the runtime that serves the model: vLLM if only the library is selected.
  [[nodiscard]] Runtime serving() const { return runtime == Runtime::sglang ? runtime : Runtime::vllm; }

  // Returns true if a fact holds in the release.
  [[nodiscard]] bool has(const Fact& fact) const { return fact.holds_in(named.value_or(kNewestRelease)); }

  // Returns true if a fact holds in the release, or in some known release if the user named none.
  [[nodiscard]] bool may_have(const Fact& fact) const {
    return named ? has(fact) : fact.since <= kNewestRelease && fact.until > kOldestRelease;
  }

  // Returns true if a fact certainly holds. Without a named release, older ones may be in use for a while.
  [[nodiscard]] bool surely_has(const Fact& fact) const { return has(fact) && (named || fact.since < kNewestRelease); }
};

inline constexpr std::string_view kVllm = "vllm";

// The values of the option: the newest release of vLLM is the default of `vllm`.
inline constexpr std::string_view kRuntimeNames[] = {
    "compressed-tensors", "vllm",      "sglang",       "vllm@0.30", "vllm@0.29",   "vllm@0.28", "vllm@0.27",
    "vllm@0.26",          "vllm@0.25", "vllm@0.24",    "vllm@0.23", "vllm@0.22",   "vllm@0.21", "vllm@0.20",
    "vllm@0.19",          "vllm@0.18", "transformers", "llama.cpp", "ik_llama.cpp"};

inline constexpr std::uint64_t kMaxGpus = 1024;

inline constexpr auto kGpuNames = [] {
  std::array<std::string_view, std::size(kGpus)> out;
  for (std::size_t at = 0; at < out.size(); ++at) out[at] = kGpus[at].name;
  return out;
}();

inline constexpr ReaderOption kReaderOptions[] = {
    {.name = "runtime",
     .doc = "Program that loads the compressed model of a recipe or config.json, and its release",
     .values = kRuntimeNames,
     .only_checks = true},
    {.name = "tensor-parallel",
     .doc = "Number of GPUs that the runtime splits each layer across (default: 1)",
     .max = kMaxGpus,
     .only_checks = true,
     .needs = "runtime"},
    {.name = "expert-parallel",
     .doc = "Number of GPUs that the runtime distributes whole experts across (default: 1, which splits each expert)",
     .max = kMaxGpus,
     .only_checks = true,
     .needs = "runtime"},
    {.name = "gpu",
     .doc = "GPU of the runtime. Reports schemes that have no kernel there (default: kernels are not checked)",
     .values = kGpuNames,
     .only_checks = true,
     .needs = "runtime"},
};

// Returns the runtime that the options select.
[[nodiscard]] RuntimeChoice runtime_of(const ReadOptions& options);

// Returns "vLLM", "SGLang" or "compressed-tensors".
[[nodiscard]] std::string_view title_of(Runtime runtime);

// Returns the title with the releases of a fact if the user named none, such as "vLLM before 0.24", and with the
// release that the user named: "vLLM 0.24".
[[nodiscard]] std::string title_of(const RuntimeChoice& choice, const Fact& fact = facts::kAlways);

// Returns the known releases as "0.18 to 0.30".
[[nodiscard]] std::string known_releases();

}  // namespace sparsecfg::dialect::compressed_tensors
