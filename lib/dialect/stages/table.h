#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "dialect/record/record.h"

// Tables of the modifiers in stage recipes, which nest `...Modifier` mappings in `y_modifiers` in `x_stage`. The last
// SparseML releases and llm-compressor read such files, each with its own table.
namespace sparsecfg::dialect::stages {

// Suffixes of stage keys, group keys and class names.
inline constexpr std::string_view kStageEnd = "_stage";
inline constexpr std::string_view kGroupEnd = "_modifiers";
inline constexpr std::string_view kModifierEnd = "Modifier";

struct Modifier;
struct Context;

// A field that was renamed.
struct Renamed {
  std::string_view before;
  std::string_view now;
};

// The modifiers that one framework accepts.
struct Table {
  std::string_view framework;            // "SparseML"
  std::span<const ClassSpec> modifiers;  // sorted by name
  std::span<const Renamed> renamed;
  std::string_view unknown_modifier_help;  // if no modifier has a similar name
  std::string_view unknown_field_help;
  // Reports an unknown field with a specific message. Returns false if the generic message applies. May be null.
  bool (*report_unknown)(const Context&, const Modifier&, const Field&) = nullptr;

  // Returns null for an unknown modifier.
  [[nodiscard]] const ClassSpec* find(std::string_view modifier) const;

  const ClassSpec* (*stock)(std::string_view) = nullptr;  // the same, as a function
  const ClassSpec* opaque = nullptr;                      // row of a class that is known only by name
  std::span<const ClassSpec> former{};                    // classes that were removed, which find() does not return
};

// One field per line where possible.
// clang-format off
inline constexpr std::string_view kTrainingStructures[] = {"unstructured", "channel", "filter", "block_1,4"};
inline constexpr std::string_view kUpdateSchedulers[] = {"linear", "cubic", "polynomial_decay", "polynomial",
                                                         "multi_step"};
inline constexpr FieldSpec kOwlM{
    .name = "owl_m", .type = Type::whole, .default_value = "null", .nullable = true,
    .doc = "Factor of the OWL outlier threshold."};
inline constexpr FieldSpec kOwlLambda{
    .name = "owl_lmbda", .type = Type::real, .default_value = "null", .nullable = true,
    .doc = "Maximum deviation of layer sparsities from the mean with OWL."};
inline constexpr FieldSpec kPreserveMask{
    .name = "preserve_sparsity_mask", .type = Type::boolean, .default_value = "false",
    .doc = "If true, keep existing zeros."};
inline constexpr FieldSpec kInitialSparsity{
    .name = "init_sparsity", .type = Type::real, .required = true, .doc = "Initial sparsity."};
inline constexpr FieldSpec kTrainingMask{
    .name = "mask_structure", .type = Type::text, .default_value = "unstructured",
    .suggested = kTrainingStructures,
    .doc = "Structure to remove: unstructured, channel, filter or block_ROWS,COLUMNS."};
inline constexpr FieldSpec kGlobally{
    .name = "apply_globally", .type = Type::boolean, .default_value = "false",
    .doc = "Must be false: true is not implemented."};
// clang-format on

}  // namespace sparsecfg::dialect::stages
