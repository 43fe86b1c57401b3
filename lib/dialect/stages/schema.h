#pragma once

#include <nlohmann/json_fwd.hpp>

#include "dialect/dialect.h"
#include "dialect/stages/table.h"
#include "doc/field_order.h"

namespace sparsecfg::dialect::stages {

// Returns the JSON Schema definitions of stage recipes, generated from a table: one for each modifier and each record
// type, and `stages.group`, the mapping from modifier names to their fields. If `expressions` is true, any value may
// be a string with `eval(...)`.
[[nodiscard]] nlohmann::ordered_json schema_definitions(const Table& table, bool expressions);

// The usual order of fields: window, selectors, then parameters.
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
