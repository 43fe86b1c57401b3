#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Reads sparsification recipes: validates them, computes their schedule and converts them. Needs no Python, model or
// GPU. Nothing here keeps state, so every function may be called from several threads.
namespace sparsecfg::api {

// The version of the library, "0.2.0".
[[nodiscard]] std::string_view version();

// Thrown for options that can't be used: an unknown dialect, a file of names that can't be read.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

enum class Severity { error, warning, info };

// Lines and columns count from 1, columns in code points; `byte` is the offset from the start of the text.
struct Position {
  std::uint32_t line = 1;
  std::uint32_t column = 1;
  std::uint32_t byte = 0;
};

struct Range {
  Position begin;
  Position end;  // behind the last character
};

// A second place that takes part in a finding, with what happens there.
struct Label {
  Range range;
  std::string text;
};

// The text of `range` becomes `text`.
struct Edit {
  Range range;
  std::string text;
};

struct Finding {
  std::string code;  // "SP105"
  std::string name;  // "unknown-field"
  Severity severity = Severity::error;
  std::string message;
  std::string help;  // what to write instead; may be empty
  Range range;
  std::vector<Label> labels;
  std::vector<Edit> fix;    // empty: there is none
  bool fix_is_safe = true;  // false: the fix guesses what is meant
};

// How a recipe is read. Everything may be left as it is.
struct Options {
  std::string name = "recipe.yaml";  // the name of the text, whose ending says how it holds the recipe
  std::string dialect;               // "sparseml", "distiller", "nni", "ir"; empty: detected
  std::vector<std::pair<std::string, std::string>> reader_options;  // of one dialect alone, such as {"nni", "2.x"}
  std::vector<std::pair<std::string, std::string>> variables;       // the values are JSON or else strings
  std::string parameters;                      // path of a file with the names of the model's parameters
  std::string modules;                         // path of a file with those of its modules
  std::optional<std::size_t> steps_per_epoch;  // optimizer steps in an epoch
  std::optional<double> epochs;                // length of the run, if the recipe does not decide
  std::optional<double> initial_lr;            // learning rate that the training script sets
};

struct Report {
  std::string dialect;  // empty if none was given or detected
  std::vector<Finding> findings;

  // Returns true if the framework refuses the recipe, stops at some step or silently drops a part of it.
  [[nodiscard]] bool has_errors() const;
};

[[nodiscard]] Report validate(std::string_view text, const Options& options = {});

struct Fixed {
  std::string text;
  std::size_t findings = 0;  // number of findings that were fixed
  Report report;             // on the fixed text
};

// Makes the fixes that findings offer, unsafe ones only on request.
[[nodiscard]] Fixed fix(std::string_view text, const Options& options = {}, bool unsafe = false);

// The state after one optimizer step; nullopt is a number that is unknown or not set yet.
struct TimelineRow {
  std::uint64_t step = 0;
  double epoch = 0;
  std::vector<std::optional<double>> learning_rates;  // of each parameter group
  std::vector<std::optional<double>> sparsities;      // of each column
};

struct Timeline {
  Report report;
  std::vector<std::string> columns;  // "GMPruningModifier#2"
  std::vector<TimelineRow> rows;     // the steps at which something changes, and the end of the run
};

// Returns no rows if the recipe has errors, or if the number of steps in an epoch or the length of the run is unknown.
[[nodiscard]] Timeline timeline(std::string_view text, const Options& options = {});

struct ConvertedAction {
  std::string name;      // "GMPruningModifier"
  std::string fidelity;  // "exact", "equal", "kept" (by a program), "approximated", "elsewhere" or "dropped"
  std::string reason;    // may be empty
};

struct Conversion {
  Report report;     // on the recipe, and on what can't be written
  std::string text;  // the converted recipe; empty if the recipe has errors or nothing can be written
  std::vector<ConvertedAction> actions;
  std::vector<std::string> notes;
  bool complete = false;  // true if every action was written
};

// Converts a recipe to another dialect and compares the two at every step.
[[nodiscard]] Conversion convert(std::string_view text, std::string_view to, const Options& options = {});

// Returns what each selector matches in the model of the options as a JSON object, empty if the recipe has errors.
[[nodiscard]] std::string match(std::string_view text, const Options& options);

// Returns the explanation of a code or the name of a diagnostic, nullopt if there is none.
[[nodiscard]] std::optional<std::string> explain(std::string_view code);

}  // namespace sparsecfg::api
