#include "architecture/build.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace sparsecfg::architecture {

std::optional<Version> version_of(std::string_view text) {
  Version out;
  const char* end = text.data() + text.size();
  const auto [point, bad_major] = std::from_chars(text.data(), end, out.major);
  if (bad_major != std::errc() || point == end || *point != '.') {
    return std::nullopt;
  }
  const auto [rest, bad_minor] = std::from_chars(point + 1, end, out.minor);
  const bool complete = bad_minor == std::errc() && (rest == end || *rest == '.');
  return complete && out.major >= 0 && out.minor >= 0 ? std::optional(out) : std::nullopt;
}

std::string to_string(Version version) { return fmt::format("{}.{}", version.major, version.minor); }

std::string to_string(const Releases& releases) {
  return releases.first == releases.last ? to_string(releases.first)
                                         : fmt::format("{} to {}", to_string(releases.first), to_string(releases.last));
}

// The releases of transformers that a release of llm-compressor can run with. `first` is the lower bound of its
// setup.py, or the newest release of its day if that is later or if there is no bound. The bounds of 0.14 are those of
// the main branch before it.
struct Pin {
  std::string_view release;
  Version llmcompressor;
  Releases transformers;
};

static constexpr Pin kPins[] = {
    {"0.14", {0, 14}, {{5, 15}, {5, 16}}}, {"main", {0, 14}, {{5, 15}, {5, 16}}}, {"0.13", {0, 13}, {{5, 9}, {5, 14}}},
    {"0.12", {0, 12}, {{5, 9}, {5, 10}}},  {"0.11", {0, 11}, {{4, 56}, {4, 57}}}, {"0.10", {0, 10}, {{4, 56}, {4, 57}}},
    {"0.9", {0, 9}, {{4, 54}, {4, 57}}},   {"0.8", {0, 8}, {{4, 53}, {4, 56}}},   {"0.7", {0, 7}, {{4, 53}, {4, 55}}},
    {"0.6", {0, 6}, {{4, 52}, {4, 57}}},   {"0.5.2", {0, 5}, {{4, 52}, {4, 57}}}, {"0.5.1", {0, 5}, {{4, 51}, {4, 57}}},
    {"0.5.0", {0, 5}, {{4, 49}, {4, 49}}}, {"0.4.1", {0, 4}, {{4, 49}, {4, 57}}}, {"0.4.0", {0, 4}, {{4, 48}, {4, 57}}},
    {"0.3", {0, 3}, {{4, 46}, {4, 57}}},   {"0.2", {0, 2}, {{4, 45}, {4, 57}}},   {"0.1", {0, 1}, {{4, 45}, {4, 57}}},
};

static const Pin* pin_of(std::string_view release) {
  const auto* found = std::ranges::find(kPins, release, &Pin::release);
  return found == std::end(kPins) ? nullptr : found;
}

std::optional<Releases> transformers_for(std::string_view llmcompressor) {
  const Pin* pin = pin_of(llmcompressor);
  return pin == nullptr ? std::nullopt : std::optional(pin->transformers);
}

std::optional<Build> build_of_llmcompressor(std::string_view release) {
  const Pin* pin = pin_of(release);
  if (pin == nullptr) {
    return std::nullopt;
  }
  return Build{{}, pin->transformers, Releases{pin->llmcompressor, pin->llmcompressor}};
}

// Returns the smallest range that contains the releases of llm-compressor that allow some of these transformers.
static std::optional<Releases> releases_that_allow(const Releases& transformers) {
  std::optional<Releases> out;
  for (const Pin& pin : kPins) {
    if (!overlap(pin.transformers, transformers)) continue;
    if (!out) out = Releases{pin.llmcompressor, pin.llmcompressor};
    out->first = std::min(out->first, pin.llmcompressor);
    out->last = std::max(out->last, pin.llmcompressor);
  }
  return out;
}

Releases llmcompressor_of(const Build& build) {
  const Releases newest{kNewestLlmCompressor, kNewestLlmCompressor};
  if (build.llmcompressor) {
    return *build.llmcompressor;
  }
  return build.transformers ? releases_that_allow(*build.transformers).value_or(newest) : newest;
}

// Returns the smallest range that contains the ranges of all releases of llm-compressor from `first` to `last`.
static std::optional<Releases> union_of_pins(const Releases& llmcompressor) {
  std::optional<Releases> out;
  for (const Pin& pin : kPins) {
    if (pin.llmcompressor < llmcompressor.first || pin.llmcompressor > llmcompressor.last) continue;
    if (!out) out = pin.transformers;
    out->first = std::min(out->first, pin.transformers.first);
    out->last = std::max(out->last, pin.transformers.last);
  }
  return out;
}

Releases transformers_of(const Build& build) {
  const Releases newest{kNewestTransformers, kNewestTransformers};
  if (build.transformers) {
    return *build.transformers;
  }
  return build.llmcompressor ? union_of_pins(*build.llmcompressor).value_or(newest) : newest;
}

}  // namespace sparsecfg::architecture
