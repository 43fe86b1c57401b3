#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "dialect/options.h"
#include "dialect/spec.h"

// What NNI knows, as data. Facts: reference/nni.md.
namespace sparsecfg::dialect::nni {

// NNI's releases, which read the same list differently. 1.x has the pruner that counts epochs.
enum class Release : std::uint8_t { v3_0, v2, v1 };

inline constexpr std::string_view kReleaseNames[] = {"3.0", "2.x", "1.x"};
inline constexpr ReaderOption kReleaseOption{"nni", "Which release of NNI reads the list", kReleaseNames};

// The compressor of a list that names none; a string, see part_of_call().
inline constexpr ReaderOption kPrunerOption{
    "pruner",
    "The pruner of an NNI list that names none: 'AGPPruner(LevelPruner, interval_steps=100, total_times=10)'"};

[[nodiscard]] inline std::string name_of(Release release) {
  return std::string(kReleaseNames[static_cast<std::size_t>(release)]);
}

// Returns the release that was asked for.
[[nodiscard]] inline Release release_of(const ReadOptions& options) {
  return static_cast<Release>(options.choice(kReleaseOption));
}

enum class Mode : std::uint8_t { pruning, quantization, distillation };

inline constexpr Mode kModes[] = {Mode::pruning, Mode::quantization, Mode::distillation};

[[nodiscard]] std::string_view to_string(Mode mode);

// What the schema of NNI 3.0 asks of a value (reference 2).
enum class Form : std::uint8_t {
  texts,          // a list of texts, and no single one
  settings,       // a mapping from targets to settings
  ratio,          // a float and nothing else
  largest_ratio,  // a number above 0 and at most 1
  least_ratio,    // a number from 0 to below 1
  group,          // an int or a string
  whole,          // an int
  granularity,    // a word or a list
  word,           // one of `choices`
  alignment,      // module_name, target_name and dims
  bit_type,       // a string or null
  fusion,         // a list of tuples of texts
  factor,         // a float; an int passes the schema and fails later
  link,           // a string or a list of strings
};

struct KeySpec {
  std::string_view name;
  Form form;
  std::string_view default_value;  // the default, as YAML; empty where there is none
  std::string_view doc;
  std::span<const std::string_view> choices{};
  bool required = false;
  Unit unit = Unit::none;  // of the time that it gives
};

// The keys of an entry that select modules and targets, the same in each mode.
[[nodiscard]] std::span<const KeySpec> selection_keys();
// The keys that say what is done with a target: in an entry, and in each of its target_settings.
[[nodiscard]] std::span<const KeySpec> setting_keys(Mode mode);
[[nodiscard]] const KeySpec* find_key(std::span<const KeySpec> keys, std::string_view name);

// The keys of 2.x that NNI 3.0 translates, those of them that make it translate a list, and the keys
// of 1.x, which it refuses.
[[nodiscard]] std::span<const KeySpec> legacy_keys();
[[nodiscard]] bool is_legacy_marker(std::string_view key);
[[nodiscard]] std::span<const KeySpec> epoch_keys();

// When a class makes masks, quantizes or distils (reference 5).
enum class Schedule : std::uint8_t {
  at_once,    // before any training
  after,      // once, after training_steps
  movement,   // at every step between two of them
  repeated,   // total_times times, each interval_steps apart, through another pruner
  from_step,  // from quant_start_step on
  always,
};

struct ClassSpec {
  std::string_view name;
  Mode mode;
  Schedule schedule;
  std::span<const FieldSpec> arguments;
  std::string_view doc;
  std::string_view criterion{};  // what ranks weights
  bool parameters_only = false;  // no inputs and outputs
  bool no_granularity = false;   // refused
  bool scores = false;           // true if parameters of its own stand beside the weights from the first step
};

[[nodiscard]] std::span<const ClassSpec> classes();
[[nodiscard]] const ClassSpec* find_class(std::string_view name);

// The targets that NNI has settings for by default; none where a type is not registered.
[[nodiscard]] std::span<const std::string_view> default_targets(Mode mode, std::string_view type);
[[nodiscard]] std::span<const std::string_view> registered_types(Mode mode);
// Returns true if modules of the type are known to lack a parameter or buffer of this name.
[[nodiscard]] bool lacks_tensor(std::string_view type, std::string_view name);

// What `default` stood for among the types up to 2.x.
[[nodiscard]] std::span<const std::string_view> weighted_types();

}  // namespace sparsecfg::dialect::nni
