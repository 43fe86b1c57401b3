#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "diag/sink.h"
#include "ir/model_names.h"
#include "ir/recipe.h"
#include "ir/shape_rules.h"

// Checks of a schedule in any dialect. They see the IR alone; what a framework
// refuses is checked by its dialect.
namespace sparsecfg::check {

struct Context {
  const ir::Recipe& recipe;
  const ir::ModelNames* parameters = nullptr;  // of the whole model; null where unknown
  const ir::ModelNames* modules = nullptr;     // the same
  std::optional<double> epochs;                // length of the run; nullopt if unknown
  std::optional<std::size_t> steps_per_epoch;  // nullopt if unknown
  diag::Sink& sink;
  ir::ShapeRules shapes{};  // of the framework that the schedule is for
};

struct Check {
  std::string_view name;
  void (*run)(const Context&);
};

// What was meant by a name that looks like a pattern and lacks its `re:`.
struct PatternMeant {
  std::string text;
  std::string help;
};

[[nodiscard]] std::optional<PatternMeant> pattern_meant_by(const ir::Term& term, const ir::Selector& selector);

// All checks, in the order in which they run.
[[nodiscard]] std::span<const Check> checks();

void check_training_length(const Context& context);
void check_ranges(const Context& context);
void check_epochs_of_run(const Context& context);
void check_literal_epochs(const Context& context);
void check_frequencies(const Context& context);
void check_sparsities(const Context& context);
void check_learning_rate(const Context& context);
void check_idle_rate(const Context& context);
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
void check_names(const Context& context);
void check_quantized_names(const Context& context);
void check_shapes(const Context& context);
void check_coupled(const Context& context);
void check_overall(const Context& context);

// Returns true if the run can be followed: all actions are valid, and its length is known.
[[nodiscard]] bool can_be_followed(const Context& context);

// The epochs of an action's updates, its start among them, that the run reaches: at most the first `count`. A run of
// unknown length reaches all of them; where the steps of an epoch are unknown, an epoch has very many.
[[nodiscard]] std::vector<double> first_updates(const Context& context, const ir::Action& action, std::size_t count);

}  // namespace sparsecfg::check
