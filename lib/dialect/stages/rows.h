#pragma once

#include "dialect/stages/table.h"

// Fields that are the same in SparseML and llm-compressor.
namespace sparsecfg::dialect::stages {

// One field per line where possible.
// clang-format off
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
    .doc = "Structure to remove: unstructured, channel, filter or block_ROWS,COLUMNS."};
inline constexpr FieldSpec kGlobally{
    .name = "apply_globally", .type = Type::boolean, .default_value = "false",
    .doc = "Must be false: true is not implemented."};
// clang-format on

}  // namespace sparsecfg::dialect::stages
