#pragma once

#include <cstddef>
#include <optional>

#include "diag/sink.h"
#include "dialect/sparseml/modifier.h"
#include "ir/effect.h"

// What SparseML does with a modifier beyond the rows of the table: refuses it when it is built
// (rules_load), or stops when it meets the model or at some step (rules_run).
namespace sparsecfg::dialect::sparseml {

// The run that a recipe is judged for.
struct Run {
  std::optional<double> epochs;               // length; nothing where nobody says
  std::optional<std::size_t> steps_per_epoch;

  // Whether a step with an epoch not below `start` comes; true where the length is unknown.
  [[nodiscard]] bool reaches(double start) const { return start <= 0 || !epochs || start < *epochs; }
};

// The constructor's rules about several fields, and what the class itself does to fields. A field
// that is refused is marked as not sound.
void check_load(Modifier& modifier, diag::Sink& sink);

// The rules of initialize and of the steps. Only for sound modifiers.
void check_run(const Modifier& modifier, const Run& run, diag::Sink& sink);

// Quantization has most rules of all and a file of its own.
void check_quantization(Modifier& modifier, diag::Sink& sink);

// The selectors of a field: what the constructor refuses, patterns that Python can't compile,
// tokens that the class does not know. Reports and answers what is left.
[[nodiscard]] ir::Selector read_selector(const Modifier& modifier, const source::Value& value, std::string_view field,
                                         diag::Sink& sink);

// Whether a selector of this modifier that takes nothing stops SparseML.
[[nodiscard]] bool is_strict(const Modifier& modifier);

// A mask's kind as GMPruning's family looks it up; nothing where SparseML knows none.
[[nodiscard]] std::optional<ir::Structure> read_structure(const source::Value& mask_type);

}  // namespace sparsecfg::dialect::sparseml
