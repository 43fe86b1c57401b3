#include "dialect/compressed_tensors/runtimes.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace sparsecfg::dialect::compressed_tensors {

constexpr std::string_view kPrefix = "vllm@0.";

RuntimeChoice runtime_of(const ReadOptions& options) {
  RuntimeChoice out;
  const std::string_view text = options.given(kReaderOptions[0]).value_or(kRuntimeNames[0]);
  if (text.starts_with(kPrefix)) {
    Release release = 0;
    std::from_chars(text.data() + kPrefix.size(), text.data() + text.size(), release);
    out = {Runtime::vllm, release};
  } else if (text == kVllm) {
    out.runtime = Runtime::vllm;
  } else if (text == "sglang") {
    out.runtime = Runtime::sglang;
  }
  const auto number = [&](const ReaderOption& option) {
    const auto given = options.given(option);
    return given ? option.number(*given).value_or(1) : 1;
  };
  out.gpus = number(kReaderOptions[1]);
  out.expert_gpus = number(kReaderOptions[2]);
  if (const auto gpu = options.given(kReaderOptions[3])) out.gpu = std::ranges::find(kGpus, *gpu, &Gpu::name);
  return out;
}

std::string_view title_of(Runtime runtime) {
  switch (runtime) {
    case Runtime::library: return "compressed-tensors";
    case Runtime::vllm: return "vLLM";
    case Runtime::sglang: return "SGLang";
  }
  return {};
}

std::string title_of(const RuntimeChoice& choice, const Fact& fact) {
  const std::string_view title = title_of(choice.serving());
  if (choice.named) return fmt::format("{} 0.{}", title, *choice.named);
  if (fact.until <= kNewestRelease) return fmt::format("{} before 0.{}", title, fact.until);
  return fact.since == kNewestRelease ? fmt::format("{} 0.{}", title, fact.since) : std::string(title);
}

std::string known_releases() { return fmt::format("0.{} to 0.{}", kOldestRelease, kNewestRelease); }

}  // namespace sparsecfg::dialect::compressed_tensors
