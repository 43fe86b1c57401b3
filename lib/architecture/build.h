#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

// The program that builds a model: the class of the load call, and the releases that decide the names of modules.
namespace sparsecfg::architecture {

// A release such as 4.57. Patch releases have the same names of modules.
struct Version {
  int major = 0;
  int minor = 0;

  friend auto operator<=>(const Version&, const Version&) = default;
};

// Reads "4.57", "4.57.1" or "5.16.0.dev0". Returns nullopt for other text.
[[nodiscard]] std::optional<Version> version_of(std::string_view text);

// Returns "4.57".
[[nodiscard]] std::string to_string(Version version);

// All releases from `first` to `last`.
struct Releases {
  Version first;
  Version last;

  friend auto operator<=>(const Releases&, const Releases&) = default;
};

// Returns "4.53 to 4.55", or "5.15" for a single release.
[[nodiscard]] std::string to_string(const Releases& releases);

// The releases that the tables describe.
inline constexpr Version kNewestTransformers{5, 16};
inline constexpr Version kNewestLlmCompressor{0, 14};

struct Build {
  // The class whose `from_pretrained` loads the model: "AutoModelForCausalLM" or "Qwen3_5ForCausalLM". Empty: the class
  // in `architectures`.
  std::string loader;
  std::optional<Releases> transformers;   // nullopt: those that llm-compressor allows, or the newest one
  std::optional<Releases> llmcompressor;  // nullopt: those that allow `transformers`, or the newest one

  bool parallel = false;  // true if DataParallel wraps the model, so that all names begin with `module.`

  friend auto operator<=>(const Build&, const Build&) = default;
};

// Returns the releases of transformers of a build.
[[nodiscard]] Releases transformers_of(const Build& build);

// Returns true if two ranges share a release.
[[nodiscard]] inline bool overlap(const Releases& a, const Releases& b) {
  return a.first <= b.last && b.first <= a.last;
}

// Returns the releases of llm-compressor of a build: those that allow its transformers, if it names only these.
[[nodiscard]] Releases llmcompressor_of(const Build& build);

// Returns the releases of transformers that a release of llm-compressor ("0.8", "0.5.1", "main") allows, from the
// newest one of its day. Returns nullopt for an unknown release.
[[nodiscard]] std::optional<Releases> transformers_for(std::string_view llmcompressor);

// Returns the build of a release of llm-compressor, or nullopt for an unknown release.
[[nodiscard]] std::optional<Build> build_of_llmcompressor(std::string_view release);

// A load call that raises: the Auto class has no class for the model type.
struct MissingClass {
  std::string loader;      // "AutoModelForCausalLM"
  std::string model_type;  // "qwen2_5_vl"
  std::string instead;     // "AutoModelForImageTextToText"; empty: no Auto class is known
  bool always = false;     // true if the call raises in every release of transformers
};

}  // namespace sparsecfg::architecture
