#include "dialect/runtime_option.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "dialect/compressed_tensors/runtimes.h"
#include "dialect/dialect.h"

namespace sparsecfg::dialect {

static std::string_view value_of(const ReadOptions& options, std::string_view name) {
  const auto found = std::find_if(options.reader_options.rbegin(), options.reader_options.rend(),
                                  [&](const auto& each) { return each.first == name; });
  return found == options.reader_options.rend() ? std::string_view() : std::string_view(found->second);
}

std::string_view runtime_name(const ReadOptions& options) { return value_of(options, "runtime"); }

std::uint64_t gpus_per_expert(const ReadOptions& options) {
  return compressed_tensors::runtime_of(options).gpus_per_expert();
}

int release_of_vllm(const ReadOptions& options) {
  constexpr std::string_view kNamed = "vllm@0.";
  const std::string_view name = runtime_name(options);
  int release = kNewestVllm;
  if (name.starts_with(kNamed)) std::from_chars(name.data() + kNamed.size(), name.data() + name.size(), release);
  return release;
}

bool names_release(const ReadOptions& options) { return runtime_name(options).find('@') != std::string_view::npos; }

std::optional<GpuChoice> gpu_of(const ReadOptions& options) {
  const auto* gpu = compressed_tensors::runtime_of(options).gpu;
  return gpu == nullptr ? std::nullopt : std::optional(GpuChoice{gpu->title, gpu->capability});
}

std::string capability_text(int capability) { return fmt::format("{}.{}", capability / 10, capability % 10); }

std::string_view gpu_with(int capability) {
  constexpr std::string_view kCommon[] = {"t4", "a100", "l4", "h100", "b200"};
  for (const std::string_view name : kCommon) {
    const auto* gpu = std::ranges::find(compressed_tensors::kGpus, name, &compressed_tensors::Gpu::name);
    if (gpu != std::end(compressed_tensors::kGpus) && gpu->capability >= capability) return name;
  }
  return {};
}

std::uint64_t gpus_of(const ReadOptions& options) {
  const std::string_view text = value_of(options, "tensor-parallel");
  std::uint64_t gpus = 1;
  std::from_chars(text.data(), text.data() + text.size(), gpus);
  return gpus;
}

// --- the confirmation ---------------------------------------------------------------------------------

std::string title_of_program(std::string_view name) {
  return name == "vllm" ? "vLLM" : name == "sglang" ? "SGLang" : std::string(name);
}

// Returns the settings that matter to the program: a library only loads, on one device, and no rule knows the kernels
// of SGLang.
static RuntimeUse use_by(const Dialect& dialect, std::string_view program) {
  RuntimeUse use = dialect.runtimes;
  if (program == "compressed-tensors" || program == "transformers") use.splits = use.experts = use.kernels = false;
  if (program == "sglang") use.kernels = false;
  return use;
}

// "vLLM 0.30", or with "the newest known release" if the user names none.
static std::string title_with_release(std::string_view program, std::string_view release) {
  using compressed_tensors::kNewestRelease;
  const std::string title = title_of_program(program);
  if (!release.empty()) return fmt::format("{} {}", title, release);
  return program == "vllm" ? fmt::format("{} 0.{}, the newest known release,", title, kNewestRelease) : title;
}

// More GPUs for experts than for each other layer are those of data parallelism.
static std::string place_of_run(const ReadOptions& options, const RuntimeUse& use) {
  const compressed_tensors::RuntimeChoice choice = compressed_tensors::runtime_of(options);
  const std::uint64_t gpus = use.splits ? gpus_of(options) : 1;
  const std::uint64_t experts = use.experts ? choice.expert_gpus : 1;
  const auto* gpu = use.kernels ? choice.gpu : nullptr;
  std::string out = fmt::format(" on {}{}", base::counted(std::max(gpus, experts), "GPU"),
                                gpu == nullptr ? "" : fmt::format(" ({})", gpu->title));
  if (experts > gpus) out += fmt::format(", each other layer on {}", gpus);
  if (experts > 1) out += fmt::format(", experts on {}", experts);
  return out;
}

// Returns the settings of the run that no rule of the dialect reads.
static std::string unread_settings(const ReadOptions& options, const RuntimeUse& use, bool has_release) {
  std::vector<std::string> out;
  if (has_release && !use.releases) out.emplace_back("its release");
  if (!use.kernels && !value_of(options, "gpu").empty()) out.emplace_back("the kernels of `--gpu`");
  if (!use.experts && !value_of(options, "expert-parallel").empty()) out.emplace_back("`--expert-parallel`");
  if (!use.splits && !value_of(options, "tensor-parallel").empty()) out.emplace_back("`--tensor-parallel`");
  return out.empty() ? "" : fmt::format(", but not for {}", base::join_and(out));
}

std::string runtime_sentence(const ReadOptions& options, const Dialect& dialect) {
  const std::string_view value = runtime_name(options);
  const std::size_t at = std::min(value.find('@'), value.size());
  const std::string_view program = value.substr(0, at);
  if (program.empty()) return {};
  const RuntimeUse use = use_by(dialect, program);
  if (!base::contains(use.programs, program)) {
    return fmt::format("not checked for {}, which has no rules for {}", title_of_program(program), dialect.name);
  }
  const std::string title = use.releases ? title_with_release(program, value.substr(std::min(at + 1, value.size())))
                                         : title_of_program(program);
  return fmt::format("checked for {}{}{}", title, use.splits || use.kernels ? place_of_run(options, use) : "",
                     unread_settings(options, use, at < value.size()));
}

}  // namespace sparsecfg::dialect
