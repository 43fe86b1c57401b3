#include "format/layout.h"

#include <algorithm>

namespace sparsecfg::format {

constexpr std::string_view kRamp[] = {"init_sparsity", "final_sparsity"};
constexpr std::string_view kRates[] = {"init_lr", "final_lr"};

// In the order of: when, on what, how. `start` and `end` are fields of recipes of stages.
constexpr std::string_view kModifier[] = {
    "start_epoch", "start",         "end_epoch",      "end",      "update_frequency", "params",         "layers",
    "submodules",  "init_sparsity", "final_sparsity", "sparsity", "mask_type",        "mask_structure", "lr_class",
    "lr_kwargs",   "lr_func",       "cycle_epochs",   "init_lr",  "final_lr"};
constexpr std::string_view kModifierWindow[] = {"start_epoch", "end_epoch", "update_frequency"};
constexpr std::string_view kStageWindow[] = {"start", "end"};
constexpr std::span<const std::string_view> kModifierRuns[] = {kModifierWindow, kStageWindow, kRamp, kRates};

constexpr std::string_view kPolicy[] = {"pruner",         "regularizer",  "quantizer", "lr_scheduler", "extension",
                                        "starting_epoch", "ending_epoch", "frequency", "epochs"};
constexpr std::string_view kPolicyWindow[] = {"starting_epoch", "ending_epoch", "frequency"};
constexpr std::span<const std::string_view> kPolicyRuns[] = {kPolicyWindow};

constexpr FieldOrder kOrders[] = {{"sparseml", kModifier, kModifierRuns},
                                  {"llm-compressor", kModifier, kModifierRuns},
                                  {"distiller", kPolicy, kPolicyRuns}};

FieldOrder usual_order(std::string_view dialect) {
  const auto* found = std::ranges::find(kOrders, dialect, &FieldOrder::dialect);
  return found == std::end(kOrders) ? FieldOrder{dialect} : *found;
}

}  // namespace sparsecfg::format
