#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Validates sparsification recipes, computes their schedules and converts them. Requires no Python, model or GPU. All
// functions are stateless and thread-safe.
namespace sparsecfg::api {

// Returns the version of the library, "0.3.0".
[[nodiscard]] std::string_view version();

// Thrown for invalid options, such as an unknown dialect or an unreadable file of parameters.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

enum class Severity { error, warning, info };

// A position in the text. Lines and columns start at 1. Columns count code points. `byte` is the offset in bytes.
struct Position {
  std::uint32_t line = 1;
  std::uint32_t column = 1;
  std::uint32_t byte = 0;
};

struct Range {
  Position begin;
  Position end;  // exclusive
};

// A related range of a finding, with an explanation.
struct Label {
  Range range;
  std::string text;
};

// Replaces the text of `range` with `text`.
struct Edit {
  Range range;
  std::string text;
};

struct Finding {
  std::string code;  // "SP105"
  std::string name;  // "unknown-field"
  Severity severity = Severity::error;
  std::string message;
  std::string help;  // action that fixes the problem; may be empty
  Range range;
  std::vector<Label> labels;
  std::vector<Edit> fix;    // empty without a fix
  bool fix_is_safe = true;  // false for an unsafe fix, which is a best guess
};

// Options for reading a recipe. All are optional.
struct Options {
  std::string name = "recipe.yaml";  // file name for findings; its extension selects the format
  std::string dialect;               // "sparseml", "llm-compressor", "distiller", "nni", "ir"; if empty, detected
  std::vector<std::pair<std::string, std::string>> reader_options;  // dialect-specific options, such as {"nni", "2.x"}
  std::vector<std::pair<std::string, std::string>> variables;       // values are JSON or otherwise strings
  std::string parameters;                                           // path of a file with the model parameters
  std::string modules;                                              // path of a file with the model modules
  std::string model;  // path or name of the model, as for --model; lists in `parameters` and `modules` have precedence
  std::optional<std::size_t> steps_per_epoch;   // optimizer steps per epoch
  std::optional<std::size_t> parameter_groups;  // number of groups of the optimizer
  std::optional<double> epochs;                 // length of the training run; overrides the recipe where possible
  std::optional<double> initial_lr;             // initial learning rate set by the training script
};

struct Report {
  std::string dialect;  // empty if neither specified nor detected
  std::vector<Finding> findings;

  // Returns true if the framework rejects the recipe, stops at some step or silently drops parts of it.
  [[nodiscard]] bool has_errors() const;
};

// Checks a recipe and returns its findings. Throws Error for invalid options.
[[nodiscard]] Report validate(std::string_view text, const Options& options = {});

struct Fixed {
  std::string text;
  std::size_t findings = 0;  // number of findings that were fixed
  Report report;             // findings in the fixed text
};

// Applies the fixes of findings, including unsafe ones if `unsafe` is true. Throws Error for invalid options.
[[nodiscard]] Fixed fix(std::string_view text, const Options& options = {}, bool unsafe = false);

// State after one optimizer step. A value is nullopt if it is unknown or not set yet.
struct TimelineRow {
  std::uint64_t step = 0;
  double epoch = 0;
  std::vector<std::optional<double>> learning_rates;  // by parameter group
  std::vector<std::optional<double>> sparsities;      // by column
};

struct Timeline {
  Report report;
  std::vector<std::string> columns;  // "GMPruningModifier#2"
  std::vector<TimelineRow> rows;     // steps with a change, and the end of the run
};

// Computes the timeline of a recipe. Returns no rows if the recipe has errors, or if the steps per epoch or the length
// of the run are unknown.
[[nodiscard]] Timeline timeline(std::string_view text, const Options& options = {});

struct ConvertedAction {
  std::string name;      // "GMPruningModifier"
  std::string fidelity;  // "exact", "equivalent", "not_compared", "approximated", "not_converted" or "dropped"
  std::string reason;    // may be empty
};

struct Conversion {
  Report report;     // findings in the recipe and problems of the conversion
  std::string text;  // converted recipe; empty if the recipe has errors or cannot be converted
  std::vector<ConvertedAction> actions;
  std::vector<std::string> notes;
  bool complete = false;  // true if every action was written
};

// Converts a recipe to the dialect `to` and compares both recipes at every step. Throws Error for invalid options.
[[nodiscard]] Conversion convert(std::string_view text, std::string_view to, const Options& options = {});

// Returns the names that each selector matches as a JSON object. Requires `model`, `parameters` or `modules`. Returns
// an empty string if the recipe has errors.
[[nodiscard]] std::string match(std::string_view text, const Options& options);

// Returns the explanation of a diagnostic by its code or name, or nullopt if it is unknown.
[[nodiscard]] std::optional<std::string> explain(std::string_view code);

}  // namespace sparsecfg::api
