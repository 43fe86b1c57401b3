#pragma once

#include <string>

#include "dialect/record/setting.h"
#include "dialect/sparseml/staged/table.h"
#include "dialect/stages/types.h"

// The modifiers as typed values, with the fields that rules and the schedule use.
namespace sparsecfg::dialect::sparseml::staged {

using stages::OneShotPruning;

// The run of any modifier, in epochs. An end of -1 means no end.
struct Window {
  explicit Window(const Record& record) : start(record, "start"), end(record, "end"), update(record, "update") {}

  Setting<double> start;
  Setting<double> end;
  Setting<double> update;  // between two updates
};

struct MagnitudePruning {
  explicit MagnitudePruning(const Record& record)
      : init_sparsity(record, "init_sparsity"),
        final_sparsity(record, "final_sparsity"),
        update_scheduler(record, "update_scheduler"),
        scheduler_args(record, "scheduler_args"),
        mask_structure(record, "mask_structure"),
        leave_enabled(record, "leave_enabled"),
        apply_globally(record, "apply_globally") {}

  Setting<double> init_sparsity;
  Setting<double> final_sparsity;
  Setting<std::string> update_scheduler;
  Setting<Pairs> scheduler_args;
  Setting<std::string> mask_structure;
  Setting<bool> leave_enabled;
  Setting<bool> apply_globally;
};

}  // namespace sparsecfg::dialect::sparseml::staged
