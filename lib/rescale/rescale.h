#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compile/compile.h"
#include "dialect/dialect.h"
#include "rescale/factor.h"

// Rescales a recipe to another training length by editing its text.
namespace sparsecfg::rescale {

struct Request {
  CompileOptions compile;        // how the recipe was read
  std::optional<double> epochs;  // --epochs: length of the result
  std::optional<Factor> factor;  // factor for the length; set if `epochs` is not
  bool frequencies = false;      // scales the time between updates instead of their number
  bool rounds = true;            // rounds literal times to what people write
  bool keeps_steps = false;      // the number of steps per epoch changes: times in steps and updates are kept
};

// A number that changed.
struct Change {
  std::string label;  // "`end_epoch` of `EpochRangeModifier#1`"
  source::Span place;
  double before = 0;
  double after = 0;
};

// A time-dependent value that was not scaled by exactly the factor.
struct Remark {
  std::string label;
  source::Span place;
  std::string reason;
};

struct Rescaled {
  std::string text;  // empty after an error
  Factor factor;
  std::vector<Change> changes;         // of fields, in document order
  std::vector<std::string> variables;  // names of changed variables
  std::vector<Remark> remarks;
  std::size_t rounded = 0;            // number of times that are rounded to what people write
  std::optional<double> length;       // of the result, in epochs
  std::optional<Compilation> faults;  // the result, if it has errors and must not be written
};

// Returns the recipe's length in epochs from its fields, or nullopt if it is not set.
[[nodiscard]] std::optional<double> length_of(const ir::Recipe& recipe, const dialect::Dialect& dialect);

// Rescales the recipe. `compilation` must have no errors, `document` must be its YAML document, and `dialect.times`
// must not be null. The recipe must have a length if `request.epochs` is set.
[[nodiscard]] Rescaled rescale(const Compilation& compilation, const doc::Document& document,
                               const dialect::Dialect& dialect, const Request& request);

// Returns a line for each remark, then a summary.
[[nodiscard]] std::string report_text(const Rescaled& rescaled, const Compilation& compilation);

// Returns the same as a JSON object (format 1).
[[nodiscard]] std::string report_json(const Rescaled& rescaled, const Compilation& compilation);

}  // namespace sparsecfg::rescale
