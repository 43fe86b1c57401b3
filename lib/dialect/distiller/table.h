#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "dialect/spec.h"

// The sections of a schedule, the classes that they hold and the arguments of their constructors.
// Facts: reference/distiller.md A and B.
namespace sparsecfg::dialect::distiller {

// In the order in which Distiller builds them.
enum class Section : std::uint8_t { pruners, regularizers, quantizers, extensions, lr_schedulers };

struct SectionSpec {
  Section section;
  std::string_view name;      // "pruners"
  std::string_view kind;      // what a policy calls one of them: "pruner"
  std::string_view supplied;  // arguments that the loader gives besides, whatever the file says, with blanks between
};

[[nodiscard]] std::span<const SectionSpec> sections();
[[nodiscard]] const SectionSpec& spec_of(Section section);
[[nodiscard]] const SectionSpec* find_section(std::string_view name);

// What a class means, which decides how it is lowered to the IR and which rules it follows.
enum class Meaning : std::uint8_t {
  gradual,         // weights one by one along a ramp (AGP)
  ranked,          // structures by their norms, a fixed share of them
  ranked_gradual,  // the same along a ramp
  level,
  sensitivity,
  magnitude,
  splicing,
  baidu,
  structure_threshold,
  random_level,
  reconstruction,
  l1,
  group_lasso,
  group_variance,
  quantizer,
  post_training,  // for a model that is trained already
  step,
  multi_step,
  multi_gamma,
  exponential,
  cosine,
  warm_restarts,
  polynomial,
  constant_factor,
  linear_factor,
  cyclic,
  one_cycle,
  plateau,
  remover,
  unusable,  // can't be built from a file
};

struct ClassSpec {
  std::string_view name;
  Section section;
  Meaning meaning;
  std::span<const FieldSpec> fields;
  std::string_view doc;
  std::string_view criterion{};  // what ranks the weights; or why it can't be built
  bool takes_model = false;      // true if `model` may be given, and is overwritten

  [[nodiscard]] const FieldSpec* find(std::string_view field) const;
};

[[nodiscard]] std::span<const ClassSpec> pruner_classes();
[[nodiscard]] std::span<const ClassSpec> other_classes();
[[nodiscard]] std::span<const ClassSpec> scheduler_classes();

// Returns a class by its exact name; null if there is none.
[[nodiscard]] const ClassSpec* find_class(std::string_view name);

// The keys of a pruning policy's `args`.
[[nodiscard]] std::span<const FieldSpec> pruning_arguments();

// Functions that an extension can name.
[[nodiscard]] std::span<const std::string_view> thinning_functions();

// Groups of weights that a regularizer knows.
[[nodiscard]] std::span<const std::string_view> weight_groups();

}  // namespace sparsecfg::dialect::distiller
