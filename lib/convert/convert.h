#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compile/compile.h"
#include "convert/proof.h"
#include "dialect/dialect.h"

// Converts a recipe to another dialect and compares the result with the original.
namespace sparsecfg::convert {

struct Request {
  const dialect::Dialect* to = nullptr;  // must have a writer
  CompileOptions compile;                // how the recipe was read
  std::optional<double> initial_rate;    // --initial-lr
  bool keep_variables = false;
  bool assume_gaussian = false;  // --assume-gaussian
};

// The result of the conversion for one action.
struct Fidelity {
  // equivalent: equal up to rounding. not_compared: written, but without a comparison. not_converted: belongs in the
  // training script.
  enum class Kind { exact, equivalent, not_compared, approximated, not_converted, dropped };
  std::size_t action = 0;
  Kind kind = Kind::exact;
  Difference difference;
  std::string reason;                     // may be empty
  std::vector<std::string_view> codes{};  // of the diagnostics reported for it
  bool measured = false;                  // true if numbers of both runs were compared
};

// Returns the name used in JSON: "not_converted".
[[nodiscard]] std::string_view to_string(Fidelity::Kind kind);

// Returns the name used in text reports: "not converted".
[[nodiscard]] std::string_view label_of(Fidelity::Kind kind);

struct Conversion {
  std::string text;                             // empty if there is nothing to write
  std::vector<Fidelity> fidelity;               // in document order
  std::vector<std::string> notes;               // differences outside the schedule
  std::vector<diag::Diagnostic> diagnostics;    // PT codes, located in the source recipe
  std::optional<timeline::Run> run;             // run whose timelines were compared; nullopt: not compared
  std::optional<std::uint64_t> compared_steps;  // of that run; nullopt: all steps
  bool drops = false;                           // true if an action is dropped or refused
  bool written = false;                         // true if the text is written; set by the caller
  bool faulty = false;                          // true if a difference was not announced (PT010)
  std::optional<double> initial_rate{};         // that the training script of the target must set; nullopt: as before
};

// Returns true if the target keeps the recipe's dialect, so that only the text may change.
[[nodiscard]] bool is_onto_itself(const ir::Recipe& recipe, const dialect::Dialect& to);

// Returns true if both sides train step by step. One-shot recipes do not have steps to compare.
[[nodiscard]] bool has_steps(const ir::Recipe& recipe, const dialect::Dialect& to);

// Returns the run to convert for, or nullopt if its length is unknown. An unknown number of steps per epoch defaults to
// timeline::kAssumedStepsPerEpoch.
[[nodiscard]] std::optional<timeline::Run> run_of(const ir::Recipe& recipe, const Request& request);

// Writes the recipe, reads the result back and compares both. `compilation` must be free of errors.
[[nodiscard]] Conversion convert(const Compilation& compilation, const Request& request);

// Returns a line for each action, then the notes and the number of actions with each result.
[[nodiscard]] std::string report_text(const Conversion& conversion, const Compilation& compilation);

// Returns the same report as a JSON object (format 1), with the diagnostics of the recipe.
[[nodiscard]] std::string report_json(const Conversion& conversion, const Compilation& compilation,
                                      std::string_view to);

}  // namespace sparsecfg::convert
