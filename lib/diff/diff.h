#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compile/compile.h"
#include "diff/courses.h"
#include "timeline/run.h"

// Compares the effective schedules of two recipes, which may have different dialects.
namespace sparsecfg::diff {

// The run of both recipes.
struct Request {
  std::optional<std::size_t> steps_per_epoch;  // nullopt: from a recipe, or 10
  std::optional<double> epochs;                // nullopt: from each recipe
  std::optional<double> initial_rate;
  const model::ModelNames* parameters = nullptr;  // of the model; null: unknown
  const model::ModelNames* modules = nullptr;
  const std::vector<model::Module>* module_list = nullptr;
};

// One difference.
struct Change {
  enum class Kind { length, sparsity, learning_rate, weight_decay, action, call };
  Kind kind = Kind::action;
  std::string what;                 // "sparsity of `conv1.weight` and 3 more weights"
  std::vector<std::size_t> before;  // actions involved, as indices
  std::vector<std::size_t> after;
  std::optional<Divergence> divergence;
  std::vector<std::string> details;  // "`end_epoch`: 20.0 -> 30.0"
  std::vector<std::string> weights;
};

struct Difference {
  std::vector<Change> changes;
  std::vector<std::string> notes;         // limits of the comparison
  std::vector<std::string> not_compared;  // reasons why parts that may differ could not be compared
  std::optional<timeline::Run> run;       // of the first recipe; nullopt: not compared step by step
  std::optional<timeline::Run> other_run;
  std::optional<std::uint64_t> stopped;  // first step that was not compared
  std::size_t weights = 0;               // number of compared weights, or of layers
  bool outcomes = false;                 // true if the recipes change trained models, so that outcomes were compared
  bool all_patterns = true;              // false: some patterns could not be compared
  bool model = false;                    // true if the weights come from a model, false for examples
  bool same_text = false;  // true if the texts are equal, and those of the modules and imports that they read

  // Returns true if both recipes are proved to be the same.
  [[nodiscard]] bool same() const { return changes.empty() && not_compared.empty(); }

  // Returns true if every step and every pattern was compared.
  [[nodiscard]] bool complete() const { return all_patterns && !stopped; }
};

[[nodiscard]] std::string_view to_string(Change::Kind kind);

// Compares two recipes. Both must have been read completely.
[[nodiscard]] Difference compare(const Compilation& before, const Compilation& after, const Request& request);

}  // namespace sparsecfg::diff
