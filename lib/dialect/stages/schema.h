#pragma once

#include <nlohmann/json_fwd.hpp>

#include "dialect/dialect.h"
#include "dialect/stages/table.h"
#include "doc/field_order.h"

namespace sparsecfg::dialect::stages {

// The manual pages of the modifiers of a table; `reader` says whose they are.
[[nodiscard]] std::vector<Page> pages(const Table& table, std::string_view reader);
// That of a record within a field.
[[nodiscard]] Page page_of(const RecordSpec& record, std::string_view reader, std::string_view doc);

// The definitions for the JSON Schema of recipes of stages, made from a table: one for each modifier and each record
// within its fields, and `stages.group`, the mapping from names of modifiers to their fields. `expressions`: whether
// any value may be a string with `eval(...)`.
[[nodiscard]] nlohmann::ordered_json schema_definitions(const Table& table, bool expressions);

// In which order people write the fields of modifiers: when, on what, how.

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
