#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "dialect/options.h"

// Releases of llm-compressor, and thereby of compressed-tensors.
namespace sparsecfg::dialect::schemes {

// Releases that read recipes differently, from the newest one. `main` is the main branch after 0.13.0 and before 0.14.
// Of 0.14 only its public notes were available.
enum class Release : std::uint8_t {
  v0_14,
  main,
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

inline constexpr std::string_view kReleaseNames[] = {"0.14",  "main",  "0.13",  "0.12", "0.11",  "0.10",
                                                     "0.9",   "0.8",   "0.7",   "0.6",  "0.5.2", "0.5.1",
                                                     "0.5.0", "0.4.1", "0.4.0", "0.3",  "0.2",   "0.1"};

inline constexpr ReaderOption kReleaseOption{
    "llmc", "llm-compressor release that runs the recipe; `main` is the branch between 0.13 and 0.14", kReleaseNames};

// Returns the release that the options select; the newest one by default.
[[nodiscard]] inline Release release_of(const ReadOptions& options) {
  return static_cast<Release>(options.choice(kReleaseOption));
}

// Returns a name such as "0.13".
[[nodiscard]] constexpr std::string_view to_string(Release release) {
  return kReleaseNames[static_cast<std::size_t>(release)];
}

// Returns the release with a name; the newest one for other names.
[[nodiscard]] constexpr Release release_named(std::string_view name) {
  const auto* found = std::ranges::find(kReleaseNames, name);
  return found == std::end(kReleaseNames) ? Release{} : static_cast<Release>(found - kReleaseNames);
}

// Returns the name of the first release that has what a release or the main branch brought.
[[nodiscard]] constexpr std::string_view first_release_with(Release since) {
  return to_string(since == Release::main ? Release::v0_14 : since);
}

// Returns true if `release` is `since` or a later one.
[[nodiscard]] constexpr bool is_at_least(Release release, Release since) { return release <= since; }

}  // namespace sparsecfg::dialect::schemes
