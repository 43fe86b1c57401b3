#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "dialect/distiller/fork.h"
#include "dialect/record/spec.h"

// Sections of a schedule, the classes allowed in them, and the arguments of their constructors.
// Facts: docs/semantics/distiller.md.
namespace sparsecfg::dialect::distiller {

// In construction order.
enum class Section : std::uint8_t { pruners, regularizers, quantizers, extensions, lr_schedulers, loss_lr_schedulers };

struct SectionSpec {
  Section section;
  std::string_view name;      // "pruners"
  std::string_view kind;      // key of a policy that selects one of them: "pruner"
  std::string_view supplied;  // arguments that the loader always overwrites, separated by blanks
};

// Returns the sections that a Distiller reads. Only the one of ai8x-training reads `loss_lr_schedulers`.
[[nodiscard]] std::span<const SectionSpec> sections(Fork fork = Fork::intel);

// Returns the section that lists the classes allowed in a section: both kinds of schedulers have the same classes.
[[nodiscard]] constexpr Section class_section(Section section) {
  return section == Section::loss_lr_schedulers ? Section::lr_schedulers : section;
}

[[nodiscard]] const SectionSpec& spec_of(Section section);
[[nodiscard]] const SectionSpec* find_section(std::string_view name);

// The behavior of a class. It determines how the class is lowered to the IR and which rules apply.
enum class ClassKind : std::uint8_t {
  gradual,         // single weights along a ramp (AGP)
  ranked,          // structures by their norms, to a fixed sparsity
  ranked_gradual,  // structures by their norms, along a ramp
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
  post_training,  // quantizes a trained model
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
  opaque,    // a class of the project that is known only by name
};

// Flags of classes.
enum Trait : unsigned {
  kTakesModel = 1U << 0U,       // `model` is accepted but overwritten by the loader
  kAbstract = 1U << 1U,         // can't be built, because it lacks methods
  kReusesGraph = 1U << 2U,      // fails in epochs without quantization: it reuses the graph of the previous step
  kClipsParameters = 1U << 3U,  // clips weights and biases without computing their range
  kLearnsBounds = 1U << 4U,     // adds a parameter for the bound of each activation
  kTracksRanges = 1U << 5U,     // quantizes linearly within tracked ranges
};

[[nodiscard]] constexpr bool has(const ClassSpec& spec, Trait trait) { return (spec.flags & trait) != 0; }

[[nodiscard]] std::span<const ClassSpec> pruner_classes();
[[nodiscard]] std::span<const ClassSpec> other_classes();
[[nodiscard]] std::span<const ClassSpec> scheduler_classes();

// Returns the class with this exact name, or null.
[[nodiscard]] const ClassSpec* find_class(std::string_view name);

// Returns the keys of a pruning policy's `args`.
[[nodiscard]] std::span<const FieldSpec> pruning_arguments();

// Modes and clipping methods of quantizers.
inline constexpr std::string_view kQuantizerModes[] = {"SYMMETRIC", "SYMMETRIC_RESTRICTED", "ASYMMETRIC_UNSIGNED",
                                                       "ASYMMETRIC_SIGNED"};
inline constexpr std::string_view kClipModes[] = {"NONE", "AVG", "N_STD", "GAUSS", "LAPLACE"};

// Returns the weight groups that a regularizer supports.
[[nodiscard]] std::span<const std::string_view> weight_groups();

}  // namespace sparsecfg::dialect::distiller
