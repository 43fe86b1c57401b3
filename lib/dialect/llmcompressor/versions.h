#pragma once

#include <string>
#include <string_view>

#include "dialect/llmcompressor/table.h"
#include "dialect/options.h"
#include "dialect/schemes/release.h"

// Differences between releases of llm-compressor.
namespace sparsecfg::dialect::llmcompressor {

using schemes::first_release_with;
using schemes::is_at_least;
using schemes::kReleaseNames;
using schemes::Release;
using schemes::release_of;
using schemes::to_string;

// Options that select the llm-compressor release and the stages to run.
inline constexpr ReaderOption kReaderOptions[] = {
    schemes::kReleaseOption,
    {"stage", "Run only the stages whose keys begin with this", {}, true},
};

// Returns the table with the help texts of a release.
[[nodiscard]] const stages::Table& table(Release release);

// Returns the `stage` option, or nullopt if all stages run.
[[nodiscard]] inline std::optional<std::string> stage_of(const ReadOptions& options) {
  const auto given = options.given(kReaderOptions[1]);
  return given ? std::optional(std::string(*given)) : std::nullopt;
}

}  // namespace sparsecfg::dialect::llmcompressor
