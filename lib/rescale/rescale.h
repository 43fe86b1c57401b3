#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compile.h"
#include "dialect/dialect.h"
#include "rescale/factor.h"

// A recipe for another length, by edits of its text.
namespace sparsecfg::rescale {

struct Request {
  CompileOptions compile;        // how the recipe was read
  std::optional<double> epochs;  // --epochs: the length that it is to have
  std::optional<Factor> factor;  // or how many times as long
  bool frequencies = false;      // scales the time between updates instead of making more updates or fewer
  bool keeps_steps = false;  // the factor is for epochs, because they have other numbers of steps: what is counted in
                             // steps stays, and so do updates
};

// A number that changed.
struct Change {
  std::string label;  // "`end_epoch` of `EpochRangeModifier#1`"
  source::Span place;
  double before = 0;
  double after = 0;
};

// Something that depends on time and did not change by the factor.
struct Remark {
  std::string label;
  source::Span place;
  std::string reason;
};

struct Rescaled {
  std::string text;  // empty if there is none
  Factor factor;
  std::vector<Change> changes;         // of fields, in the order of the text
  std::vector<std::string> variables;  // names of those that changed
  std::vector<Remark> remarks;
  std::optional<double> length;       // of what was written, in epochs
  std::optional<Compilation> faults;  // what was written, if it has errors: then it is not to be given out
};

// Returns the recipe's length in epochs as its fields say it; nullopt if none does.
[[nodiscard]] std::optional<double> length_of(const ir::Recipe& recipe, const dialect::Dialect& dialect);

// `compilation` has no errors and `document` is its text; the dialect has fields that give times, and the recipe says
// its length if one is asked for.
[[nodiscard]] Rescaled rescale(const Compilation& compilation, const doc::Document& document,
                               const dialect::Dialect& dialect, const Request& request);

// What was done, for people: a line for each thing that did not change as it should, then a summary.
[[nodiscard]] std::string report_text(const Rescaled& rescaled, const Compilation& compilation);

// The same as a JSON object, format 1.
[[nodiscard]] std::string report_json(const Rescaled& rescaled, const Compilation& compilation);

}  // namespace sparsecfg::rescale
