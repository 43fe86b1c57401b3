#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "diag/sink.h"
#include "ir/clock.h"
#include "ir/framework.h"
#include "ir/recipe.h"
#include "model/model_names.h"
#include "outcome/outcome.h"

// Checks that apply to schedules of all dialects. They see only the IR. Each dialect checks what its framework rejects.
namespace sparsecfg::check {

struct Context {
  const ir::Recipe& recipe;
  const model::ModelNames* parameters = nullptr;  // parameters of the whole model; null if unknown
  const model::ModelNames* modules = nullptr;     // modules of the whole model; null if unknown
  std::optional<double> epochs;                   // length of the run; nullopt if unknown
  std::optional<std::size_t> steps_per_epoch;     // nullopt if unknown
  diag::Sink& sink;
  ir::ShapeRules shapes{};  // shape rules of the framework
  ir::Remedies remedies{};  // constructs of the dialect to suggest
  // The outcome of a valid recipe for a trained model and the names to which it belongs; null if unknown.
  const outcome::Outcome* outcome = nullptr;
  const std::vector<model::Module>* module_list = nullptr;
  bool own_entry_rules = false;  // true if the dialect reports entries without effect itself
  std::string run = "training";  // what has the length `epochs`: "the run (`--epochs 50`)"
};

struct Check {
  std::string_view name;
  void (*run)(const Context&);
};

// The probable intention behind a name that looks like a pattern without the prefix `re:`.
struct PatternMeant {
  std::string text;
  std::string help;
};

// Returns the pattern that a plain name was probably meant to be, or nullopt if it does not look like a pattern.
[[nodiscard]] std::optional<PatternMeant> pattern_meant_by(const model::Term& term, const model::Selector& selector);

// Returns all checks in execution order.
[[nodiscard]] std::span<const Check> checks();

void check_training_length(const Context& context);
void check_ranges(const Context& context);
void check_epochs_of_run(const Context& context);
void check_literal_epochs(const Context& context);
void check_frequencies(const Context& context);
void check_sparsities(const Context& context);
void check_learning_rate(const Context& context);
void check_idle_rate(const Context& context);
void check_initial_rates(const Context& context);
void check_rate_shapes(const Context& context);
void check_falling_ramps(const Context& context);
void check_distillation(const Context& context);
void check_counted(const Context& context);
void check_rate_conflicts(const Context& context);
void check_run(const Context& context);
void check_pruners(const Context& context);
void check_order(const Context& context);
void check_masks(const Context& context);
void check_frozen_parameters(const Context& context);
void check_selectors(const Context& context);
void check_patterns(const Context& context);
void check_number_classes(const Context& context);
void check_names(const Context& context);
void check_quantized_names(const Context& context);
void check_shapes(const Context& context);
void check_coupled(const Context& context);
void check_overall(const Context& context);
void check_outcome_entries(const Context& context);
void check_outcome_reach(const Context& context);

// Advises to write another value: the literal text, a fix, and the location of the value, or of the definition of the
// variable that it uses. `why` follows the advice. Returns false if the value is the result of a longer expression.
bool advise_value(diag::Diagnostic& report, const ir::Action& action, source::Span value, const std::string& text,
                  std::string_view why = {});

// Returns the end of the longest epoch range if the training outlasts it, which SP201 reports. Other findings about the
// end of the training are consequences.
[[nodiscard]] std::optional<double> outlasted_range(const Context& context);

// Returns true if an epoch was probably written in steps: it is many times the length of the epoch range.
[[nodiscard]] bool looks_like_steps(double epoch, double range);

// Returns true for a valid action that acts by epochs since its last update, as SparseML modifiers for PyTorch do.
[[nodiscard]] inline bool acts_by_epochs(const ir::Action& action) {
  return action.valid && action.cadence.is<ir::SinceLastUpdate>();
}

// Returns true if the length of the run is known.
[[nodiscard]] inline bool knows_length(const Context& context) { return context.epochs && *context.epochs > 0; }

// Returns the epochs of the run, or the most that a run can have if its length is unknown.
[[nodiscard]] inline double epochs_or_max(const Context& context) {
  return knows_length(context) ? *context.epochs : ir::kMaxEpochs;
}

// Returns true if the timeline can be computed, because all actions are valid and the length of the run is known.
[[nodiscard]] bool can_simulate(const Context& context);

// Returns the epochs of the first updates of an action within the run, at most `count`. The start is the first update.
// If the length of the run is unknown, all updates are within it. If the steps per epoch are unknown, an epoch has
// 1000.
[[nodiscard]] std::vector<double> first_updates(const Context& context, const ir::Action& action, std::size_t count);

}  // namespace sparsecfg::check
