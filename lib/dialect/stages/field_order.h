#pragma once

#include "doc/field_order.h"

// In which order people write the fields of modifiers: when, on what, how.
namespace sparsecfg::dialect::stages {

inline constexpr std::string_view kFieldNames[] = {
    "start_epoch", "start",         "end_epoch",      "end",      "update_frequency", "params",         "layers",
    "submodules",  "init_sparsity", "final_sparsity", "sparsity", "mask_type",        "mask_structure", "lr_class",
    "lr_kwargs",   "lr_func",       "cycle_epochs",   "init_lr",  "final_lr"};
inline constexpr std::string_view kWindow[] = {"start_epoch", "end_epoch", "update_frequency"};
inline constexpr std::string_view kStageWindow[] = {"start", "end"};
inline constexpr std::string_view kRamp[] = {"init_sparsity", "final_sparsity"};
inline constexpr std::string_view kRates[] = {"init_lr", "final_lr"};
inline constexpr std::span<const std::string_view> kFieldRuns[] = {kWindow, kStageWindow, kRamp, kRates};

inline constexpr doc::FieldOrder kFieldOrder{kFieldNames, kFieldRuns};

}  // namespace sparsecfg::dialect::stages
