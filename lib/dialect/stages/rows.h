#pragma once

#include "dialect/stages/table.h"

// Fields that SparseML and llm-compressor have alike.
namespace sparsecfg::dialect::stages {

// A field is a line where it can be.
// clang-format off
inline constexpr FieldSpec kOwlM{
    .name = "owl_m", .accepts = Accepts::whole, .default_value = "null", .nullable = true, .doc = "Factor of owl's threshold."};
inline constexpr FieldSpec kOwlLambda{
    .name = "owl_lmbda", .accepts = Accepts::real, .default_value = "null", .nullable = true, .doc = "Spread of owl's sparsities."};
inline constexpr FieldSpec kPreserveMask{
    .name = "preserve_sparsity_mask", .accepts = Accepts::boolean, .default_value = "false",
    .doc = "Whether zeros that are there already stay."};
inline constexpr FieldSpec kInitialSparsity{
    .name = "init_sparsity", .accepts = Accepts::real, .required = true, .doc = "Sparsity at the start."};
inline constexpr FieldSpec kTrainingMask{
    .name = "mask_structure", .accepts = Accepts::text, .default_value = "unstructured",
    .doc = "What is removed together: unstructured, channel, filter or block_ROWS,COLUMNS."};
inline constexpr FieldSpec kGlobally{
    .name = "apply_globally", .accepts = Accepts::boolean, .default_value = "false", .doc = "Only false: true is not implemented."};
// clang-format on

}  // namespace sparsecfg::dialect::stages
