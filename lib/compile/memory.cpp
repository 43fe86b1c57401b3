#include "compile/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

#include "compile/model.h"
#include "dialect/compressed_tensors/runtimes.h"
#include "outcome/summary.h"

namespace sparsecfg {

using dialect::compressed_tensors::Runtime;

// The part of the memory that vLLM uses by default: `--gpu-memory-utilization`.
constexpr double kUsedPart = 0.9;

namespace {

struct MemoryUse {
  double weights = 0;  // bytes, of all GPUs together
  double memory = 0;   // bytes, of each GPU
  int gigabytes = 0;   // the same in GiB
  std::uint64_t gpus = 1;
  std::string_view title;  // of the GPU
  Runtime runtime = Runtime::vllm;

  [[nodiscard]] double part() const { return weights / (static_cast<double>(gpus) * memory); }

  // Returns the part that weights and cache may take.
  [[nodiscard]] double limit() const { return runtime == Runtime::vllm ? kUsedPart : 1; }

  // Returns the smallest power of 2 of GPUs that hold the weights and leave room for the cache.
  [[nodiscard]] std::uint64_t gpus_needed() const {
    std::uint64_t out = 1;
    while (static_cast<double>(out) * memory * limit() <= weights) out *= 2;
    return out;
  }

  [[nodiscard]] std::string gpus_text() const {
    return gpus == 1 ? fmt::format("one {}", title) : fmt::format("{} {}", gpus, title);
  }
};

std::optional<MemoryUse> memory_use(const ir::Recipe& recipe, const outcome::Outcome& outcome,
                                    const CompileOptions& options) {
  constexpr double kGiB = 1024.0 * 1024 * 1024;
  const auto choice = dialect::compressed_tensors::runtime_of(options.read);
  const bool known = options.model != nullptr && options.read.modules != nullptr && choice.gpu != nullptr;
  if (!known || choice.runtime == Runtime::library || options.gpus_rejected) return std::nullopt;
  const std::vector<model::Module>& modules = *options.read.modules;
  const auto bits = outcome::size_after(outcome, outcome::names_of(recipe, modules), layers_of(recipe, options),
                                        bits_outside(recipe, modules, options));
  if (!bits) return std::nullopt;
  return MemoryUse{.weights = *bits / 8,
                   .memory = choice.gpu->memory * kGiB,
                   .gigabytes = choice.gpu->memory,
                   .gpus = std::max<std::uint64_t>({choice.gpus, choice.expert_gpus, 1}),
                   .title = choice.gpu->title,
                   .runtime = choice.runtime};
}

}  // namespace

void check_memory(const ir::Recipe& recipe, const outcome::Outcome& outcome, const CompileOptions& options,
                  diag::Sink& sink) {
  const auto use = memory_use(recipe, outcome, options);
  if (!use || use->part() <= use->limit()) return;
  const bool given = options.read.given({.name = "tensor-parallel", .doc = ""}) ||
                     options.read.given({.name = "expert-parallel", .doc = ""});
  const std::string size = fmt::format("{:.1f} GB", use->weights / 1e9);
  auto& report = use->part() > 1 ? sink.report(diag::weights_exceed_memory, {}, size, use->gpus_text(), use->gigabytes)
                                 : sink.report(diag::no_room_for_cache, {}, size, use->gpus_text());
  report.with_help(fmt::format("use at least {0} of these GPUs (`--tensor-parallel {0}`), or a format with fewer bits",
                               use->gpus_needed()));
  if (!given) report.with_severity(diag::Severity::warning);
}

std::string memory_text(const ir::Recipe& recipe, const outcome::Outcome& outcome, const CompileOptions& options) {
  const auto use = memory_use(recipe, outcome, options);
  return use ? fmt::format("{:.0f} % of the memory of {}", 100 * use->part(), use->gpus_text()) : std::string();
}

}  // namespace sparsecfg
