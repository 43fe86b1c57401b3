#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compile/compile.h"
#include "convert/convert.h"
#include "diag/sink.h"
#include "dialect/write.h"
#include "ir/recipe.h"

// Actions that are not converted, because the output fails a check.
namespace sparsecfg::convert {

// A failed check of the output.
struct Fault {
  enum class Kind {
    rejected,  // the target framework rejects the output
    ignored,   // the target framework silently ignores a part of the output
    inexact,   // the target has no exact counterpart
    differs    // the output differs from the recipe, which is a defect of sparsecfg
  };
  Kind kind = Kind::differs;
  std::string why;
  std::optional<std::size_t> action{};  // that causes the difference; nullopt: unknown
};

// Why an action is not converted.
struct Refusal {
  Fault::Kind kind = Fault::Kind::differs;
  std::string why;
  std::string by;  // title of the dialect that rejects or ignores it
};

using Refusals = std::map<std::size_t, Refusal>;  // by action

// Returns why a framework rejects or ignores the output, or nullopt if it accepts the output. `known` are the findings
// on the source: a loss that they report is not a fault of the output.
[[nodiscard]] std::optional<Fault> fault_of(const Compilation& output, const std::vector<diag::Diagnostic>& known);

// Removes the unknown fields that these findings report.
void remove_unknown_fields(ir::Recipe& recipe, const std::vector<diag::Diagnostic>& findings);

// A value that is known only when a program runs.
struct UnknownValue {
  source::Span span;  // empty if unknown
  std::string why;
  std::set<source::Span> parts;  // places of all unknown values
};

// Returns the first unknown value of the recipe, or nullopt if all values are known.
[[nodiscard]] std::optional<UnknownValue> unknown_value(const Compilation& compilation, const CompileOptions& options);

// Returns why an action with unknown values is not converted. Names the fields.
[[nodiscard]] std::string reason_for(const ir::Origin& origin, const UnknownValue& unknown);

// Returns the indices of the actions in document order.
[[nodiscard]] std::vector<std::size_t> in_document_order(const ir::Recipe& recipe);

// Returns the recipe with only the actions that are kept.
[[nodiscard]] ir::Recipe part_of(const ir::Recipe& recipe, const std::vector<bool>& kept);

// Adds a status `dropped` for each action that part_of() left out.
void restore_statuses(std::vector<dialect::ActionStatus>& statuses, const std::vector<bool>& kept);

// Reports the refused actions, and records them in the results.
void report(const Refusals& refusals, const ir::Recipe& recipe, std::vector<Fidelity>& fidelity, diag::Sink& sink);

}  // namespace sparsecfg::convert
