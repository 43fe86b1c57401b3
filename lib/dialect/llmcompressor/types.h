#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "dialect/llmcompressor/masks.h"
#include "dialect/llmcompressor/table.h"
#include "dialect/record/setting.h"
#include "dialect/schemes/schemes.h"
#include "dialect/stages/types.h"

// The modifiers as typed values, with the fields that rules and the schedule use. The rows of the table check all
// fields. A field with values of two types has a setting for each type.
namespace sparsecfg::dialect {

using Entries = std::vector<schemes::Entry>;

// A string, or the strings of a list.
template <>
struct Read<Entries> {
  static std::optional<Entries> from(const source::Value& value) { return schemes::entries_of(&value); }
};

namespace llmcompressor {

enum class DuoScaling : std::uint8_t { off, on, both };

}  // namespace llmcompressor

template <>
struct Read<llmcompressor::DuoScaling> {
  static std::optional<llmcompressor::DuoScaling> from(const source::Value& value);
};

}  // namespace sparsecfg::dialect

namespace sparsecfg::dialect::llmcompressor {

using schemes::Group;

struct Quantization {
  explicit Quantization(const Record& record);

  // Returns true if the recipe sets any field that selects what to quantize.
  [[nodiscard]] bool has_configuration() const;
  // Returns true if the modifier sets only the cache, so that its targets get an empty scheme.
  [[nodiscard]] bool only_cache() const;

  Setting<std::string> scheme;     // name of a preset
  Setting<Pairs> scheme_mappings;  // `scheme` as a mapping from presets to targets
  Setting<Pairs> config_groups;
  Setting<Entries> targets;
  Setting<Entries> ignore;
  Setting<Pairs> kv_cache_scheme;
  Setting<std::string> weight_observer;
  Setting<std::string> input_observer;
  Setting<std::string> output_observer;
  Setting<Pairs> observer;  // names by `weights`, `input` and `output`
  Setting<bool> bypass_divisibility_checks;

  // The groups that these fields define, in order. Empty if the modifier has neither a scheme nor groups. Unknown
  // presets are skipped.
  std::vector<Group> groups;
};

struct Gptq : Quantization {
  explicit Gptq(const Record& record);

  Setting<std::string> actorder;
};

struct AutoRound : Quantization {
  using Quantization::Quantization;
};

// The function that quantizes the tensors of a checkpoint without loading the model.
struct ModelFree : Quantization {
  using Quantization::Quantization;
};

// Pruning in one shot of the layers of `targets` and within them.
struct LayerPruning : stages::OneShotPruning {
  explicit LayerPruning(const Record& record);

  // Returns true if `targets` is a string. Its letters are then the targets, which match nothing.
  [[nodiscard]] bool iterates_letters() const { return static_cast<bool>(target_text); }

  Setting<Entries> targets;
  Setting<std::string> target_text;  // `targets` as a string
  Setting<Entries> ignore;

  NOfM mask;  // 0:0 if `mask_structure` can't be read
};

struct SparseGpt : LayerPruning {
  explicit SparseGpt(const Record& record);

  Setting<std::int64_t> block_size;
  Setting<bool> preserve_sparsity_mask;
};

struct Wanda : LayerPruning {
  using LayerPruning::LayerPruning;
};

struct ExpertPruning {
  explicit ExpertPruning(const Record& record);

  Setting<double> sparsity;
  Setting<Entries> ignore;  // regular expressions without `re:`
};

// A mask that keeps zeros in training.
struct TrainingMask {
  explicit TrainingMask(const Record& record);

  Setting<Entries> targets;
};

struct Smoothing {
  explicit Smoothing(const Record& record);

  Setting<Items> mappings;
  Setting<Entries> ignore;
};

struct Awq {
  explicit Awq(const Record& record);

  // Returns true if the scales depend on the weights, too.
  [[nodiscard]] bool is_duo() const { return duo_scaling.value_or(DuoScaling::on) != DuoScaling::off; }

  Setting<Items> mappings;
  Setting<std::string> offload_device;
  Setting<DuoScaling> duo_scaling;
  Setting<std::int64_t> n_grid;
  // Of releases before 0.11.
  Setting<Entries> targets;
  Setting<Entries> ignore;
};

struct Rotation {
  explicit Rotation(const Record& record);

  // Returns true if the modifier rotates by a name in upper case, such as `R1` or `V`.
  [[nodiscard]] bool rotates_by(std::string_view name) const;

  Setting<Entries> rotations;
  Setting<std::string> transform_type;
  Setting<std::int64_t> transform_block_size;
  Setting<Pairs> transform_config;
};

struct Quip : Rotation {
  explicit Quip(const Record& record);

  Setting<Entries> targets;
  Setting<Entries> ignore;
};

struct SpinQuant : Rotation {
  explicit SpinQuant(const Record& record);

  Setting<Pairs> mappings;
  Setting<Items> norm_mappings;
};

// A class of the project that is known only by name.
struct Opaque {
  explicit Opaque(const Record& record);

  Setting<Entries> targets;
  Setting<Entries> ignore;
};

using Settings = std::variant<Quantization, Gptq, AutoRound, ModelFree, SparseGpt, Wanda, ExpertPruning, TrainingMask,
                              Smoothing, Awq, Quip, SpinQuant, Opaque>;

// A modifier with its typed fields. It can be moved but not copied, because the fields refer to the record.
struct Modifier : stages::Modifier {
  explicit Modifier(stages::Modifier record);
  Modifier(Modifier&&) = default;
  Modifier& operator=(Modifier&&) = default;
  Modifier(const Modifier&) = delete;
  Modifier& operator=(const Modifier&) = delete;
  ~Modifier() = default;

  // Returns the fields of a class, or of the classes that derive from it; null for other modifiers.
  template <class T>
  [[nodiscard]] const T* as() const {
    const auto cast = []<class U>(const U& typed) -> const T* {
      if constexpr (std::derived_from<U, T>) return &typed;
      return nullptr;
    };
    return std::visit(cast, settings);
  }

  // Gives presets the arguments that they had in a release.
  void use_release(schemes::Release release);

  // Return the entries of `targets` and `ignore`. Empty if the class does not have the field, or its value is null.
  [[nodiscard]] const Entries& targets() const;
  [[nodiscard]] const Entries& ignore() const;
  // Returns true if the run provides data to the modifier.
  [[nodiscard]] bool needs_calibration() const;

  Setting<bool> requires_calibration_data;
  Settings settings;
  std::vector<Field> ignored{};  // fields that the release does not have and silently ignores
};

}  // namespace sparsecfg::dialect::llmcompressor
