#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "dialect/options.h"
#include "dialect/record/spec.h"

// Tables of NNI keys, classes and module types. Facts: docs/semantics/nni.md.
namespace sparsecfg::dialect::nni {

// NNI releases that read the same list differently. 1.x has the pruner with epoch-based schedules.
enum class Release : std::uint8_t { v3_0, v2, v1 };

inline constexpr std::string_view kReleaseNames[] = {"3.0", "2.x", "1.x"};
inline constexpr ReaderOption kReleaseOption{"nni", "NNI release that reads the list", kReleaseNames};

// The compressor for a list without one; see parse_constructor_call() for the format.
inline constexpr ReaderOption kPrunerOption{
    "pruner",
    "Pruner for an NNI list without a pruner, such as 'AGPPruner(LevelPruner, interval_steps=100, total_times=10)'"};

[[nodiscard]] inline std::string name_of(Release release) {
  return std::string(kReleaseNames[static_cast<std::size_t>(release)]);
}

// Returns the release selected by the options.
[[nodiscard]] inline Release release_of(const ReadOptions& options) {
  return static_cast<Release>(options.choice(kReleaseOption));
}

enum class Mode : std::uint8_t { pruning, quantization, distillation };

inline constexpr Mode kModes[] = {Mode::pruning, Mode::quantization, Mode::distillation};

[[nodiscard]] std::string_view to_string(Mode mode);

// The keys of an entry that select modules and targets, the same in each mode.
[[nodiscard]] std::span<const FieldSpec> selection_keys();
// The keys with the settings of a target, used in entries and in target_settings.
[[nodiscard]] std::span<const FieldSpec> setting_keys(Mode mode);
// Returns the keys of an entry as a class.
[[nodiscard]] const ClassSpec& entry_spec(Mode mode);
// Returns the keys of a target in target_settings as a class.
[[nodiscard]] const ClassSpec& target_spec(Mode mode);
[[nodiscard]] const FieldSpec* find_key(std::span<const FieldSpec> keys, std::string_view name);

// The keys of 2.x that NNI 3.0 translates; the subset that triggers the translation of a list; and the keys of 1.x,
// which NNI 3.0 rejects.
[[nodiscard]] std::span<const FieldSpec> legacy_keys();
[[nodiscard]] bool is_legacy_marker(std::string_view key);
[[nodiscard]] std::span<const FieldSpec> epoch_keys();

// When a class makes masks, quantizes or distills.
enum class Schedule : std::uint8_t {
  at_once,    // before any training
  after,      // once, after training_steps
  movement,   // at every step between two of them
  repeated,   // total_times times at intervals of interval_steps, through another pruner
  from_step,  // from quant_start_step on
  always,
};

// Flags of classes. Their section is the mode, their meaning the schedule.
enum Trait : unsigned {
  kParametersOnly = 1U << 0U,      // inputs and outputs are not supported
  kAddsScores = 1U << 1U,          // score parameters are added beside the weights from the first step
  kRequiresBlocks = 1U << 2U,      // targets with a ratio require a granularity
  kMasksSingleWeights = 1U << 3U,  // the default granularity; other pruners mask output channels
  kCubic = 1U << 4U,               // the ratio follows a cubic curve
  kActivationsOnly = 1U << 5U,     // outputs are supported only of activations
  kDividesByRange = 1U << 6U,      // divides by the range of `quant_dtype`, which is 0 without bits
  kDividesOutputs = 1U << 7U,      // does so only for inputs and outputs
  kMeasuresAll = 1U << 8U,         // stops at a target without values
};

// Returns false for an unknown class.
[[nodiscard]] constexpr bool has(const ClassSpec* spec, Trait trait) {
  return spec != nullptr && (spec->flags & trait) != 0;
}

[[nodiscard]] std::span<const ClassSpec> classes();
[[nodiscard]] const ClassSpec* find_class(std::string_view name);

// Returns true if modules of a class of torch.nn have no parameters, so that a list made of parameters lacks them.
[[nodiscard]] bool has_no_parameters(std::string_view type);

// Returns the default targets of a module type, or none if the type is not registered.
[[nodiscard]] std::span<const std::string_view> default_targets(Mode mode, std::string_view type);
[[nodiscard]] std::span<const std::string_view> registered_types(Mode mode);
// Returns the registered type that is meant by `nn.Conv2d`, by the Keras name `Dense` or by a misspelled type.
[[nodiscard]] std::optional<std::string_view> registered_type_meant_by(std::string_view type, Mode mode);
// Returns true if modules of the type are known to lack a parameter or buffer of this name.
[[nodiscard]] bool lacks_tensor(std::string_view type, std::string_view name);

// Returns the module types that `default` matches up to 2.x.
[[nodiscard]] std::span<const std::string_view> weighted_types();

}  // namespace sparsecfg::dialect::nni
