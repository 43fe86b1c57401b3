#pragma once

#include <cstdint>
#include <string_view>

#include "dialect/options.h"

// Options that select the llm-compressor release and the stages to run.
namespace sparsecfg::dialect::llmcompressor {

// Releases that read recipes differently, newest first.
enum class Release : std::uint8_t {
  v0_13,
  v0_12,
  v0_11,
  v0_10,
  v0_9,
  v0_8,
  v0_7,
  v0_6,
  v0_5_2,
  v0_5_1,
  v0_5_0,
  v0_4_1,
  v0_4_0,
  v0_3,
  v0_2,
  v0_1
};

inline constexpr std::string_view kReleaseNames[] = {"0.13",  "0.12",  "0.11",  "0.10",  "0.9",   "0.8", "0.7", "0.6",
                                                     "0.5.2", "0.5.1", "0.5.0", "0.4.1", "0.4.0", "0.3", "0.2", "0.1"};

inline constexpr ReaderOption kReaderOptions[] = {
    {"llmc", "llm-compressor release that runs the recipe", kReleaseNames},
    {"stage", "Run only the stages whose keys begin with this", {}, true},
};

// Returns a name such as "0.13".
[[nodiscard]] constexpr std::string_view to_string(Release release) {
  return kReleaseNames[static_cast<std::size_t>(release)];
}

// Returns true if `release` is `since` or a later one.
[[nodiscard]] constexpr bool is_at_least(Release release, Release since) { return release <= since; }

[[nodiscard]] inline Release release_of(const ReadOptions& options) {
  return static_cast<Release>(options.choice(kReaderOptions[0]));
}

// Returns the `stage` option, or nullopt if all stages run.
[[nodiscard]] inline std::optional<std::string> stage_of(const ReadOptions& options) {
  const auto given = options.given(kReaderOptions[1]);
  return given ? std::optional(std::string(*given)) : std::nullopt;
}

}  // namespace sparsecfg::dialect::llmcompressor
