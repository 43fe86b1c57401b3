#include <fmt/format.h>

#include <string>
#include <vector>

#include "diag/rule.h"
#include "dialect/sparseml/codes.h"
#include "dialect/sparseml/rules/rules.h"

// Checks the parameter groups of the optimizer that a modifier changes (docs/semantics/sparseml.md#b2-1, #b2-4).
namespace sparsecfg::dialect::sparseml {

// Returns true if the optimizer may have the group. A weight decay looks its group up in a list, so negative indices
// count from the end. A learning rate compares the indices of all groups with the list.
static bool may_exist(const source::Value& index, bool is_decay, const std::optional<std::size_t>& count) {
  const auto number = index.number();
  if (!number || (is_decay && index.get<double>() != nullptr)) {
    return false;
  }
  const double least = is_decay ? -static_cast<double>(count.value_or(SIZE_MAX)) : 0;
  return *number >= least && (!count || *number < static_cast<double>(*count));
}

DIAGNOSTIC(SP519, parameter_group_missing, error, (Text), "the optimizer has no parameter group {}",
           "`param_groups` contains indices of the parameter groups of the optimizer. SparseML stops if a learning "
           "rate finds none of its groups, or a weight decay lacks one. It skips a missing group of a learning rate "
           "if another group exists.",
           "write indices of groups that the training script creates")

void check_parameter_groups(const Modifier& modifier, const Run& run, diag::Sink& sink) {
  const Field* field = modifier.readable("param_groups");
  const auto* list = field == nullptr ? nullptr : field->value.get<source::List>();
  if (list == nullptr || list->empty()) {
    return;
  }
  const bool is_decay = modifier.spec->kind == ClassKind::set_weight_decay;
  std::vector<const source::Value*> missing;
  for (const source::Value& index : *list) {
    if (!may_exist(index, is_decay, run.parameter_groups)) missing.push_back(&index);
  }
  if (missing.empty()) {
    return;
  }
  const bool stops = is_decay || missing.size() == list->size();
  const std::string help = !run.parameter_groups ? "write the indices of groups, which start at 0"
                           : *run.parameter_groups == 1
                               ? "write `[0]`, or delete the field"
                               : fmt::format("write indices from 0 to {}", *run.parameter_groups - 1);
  sink.report(diag::parameter_group_missing, missing.front()->span, source::python_str(*missing.front()))
      .with_severity(stops ? diag::Severity::error : diag::Severity::warning)
      .with_help(help);
}

}  // namespace sparsecfg::dialect::sparseml
