#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compile.h"
#include "diff/courses.h"
#include "timeline/run.h"

// What changes in effect from one recipe to another, in whatever dialects they are written.
namespace sparsecfg::diff {

// How the two are run.
struct Request {
  std::optional<std::size_t> steps_per_epoch;  // nothing: what a recipe says, or ten
  std::optional<double> epochs;                // nothing: what each recipe says
  std::optional<double> initial_rate;
  const ir::ModelNames* parameters = nullptr;  // of the model; null: unknown
  const ir::ModelNames* modules = nullptr;
  const std::vector<source::Module>* module_list = nullptr;
};

// One thing that changes.
struct Change {
  enum class Kind { length, sparsity, learning_rate, weight_decay, action };
  Kind kind = Kind::action;
  std::string what;                 // "sparsity of `conv1.weight` and 3 more weights"
  std::vector<std::size_t> before;  // the actions that have to do with it
  std::vector<std::size_t> after;
  std::optional<Parting> parting;
  std::vector<std::string> details;  // "`end_epoch`: 20.0 -> 30.0"
  std::vector<std::string> weights;
};

struct Difference {
  std::vector<Change> changes;
  std::vector<std::string> notes;    // about the comparison
  std::optional<timeline::Run> run;  // of the first recipe; nullopt: they were not followed step by step
  std::optional<timeline::Run> other_run;
  std::optional<std::uint64_t> stopped;  // the first step that was not compared
  std::size_t weights = 0;               // that were looked at
  bool all_patterns = true;              // false: what some patterns match could not be compared
  bool model = false;                    // true if these are those of a model, else examples
  bool same_text = false;

  [[nodiscard]] bool same() const { return changes.empty(); }

  // Returns true if everything was compared.
  [[nodiscard]] bool complete() const { return all_patterns && !stopped; }
};

[[nodiscard]] std::string_view to_string(Change::Kind kind);

// Both have recipes all of which could be read.
[[nodiscard]] Difference compare(const Compilation& before, const Compilation& after, const Request& request);

}  // namespace sparsecfg::diff
