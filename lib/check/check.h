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

// What can be said of a schedule whoever wrote it down. Checks see the IR alone; what a framework
// refuses is its dialect's affair.
namespace sparsecfg::check {

struct Context {
  const ir::Recipe& recipe;
  const ir::ModelNames* parameters = nullptr;  // of the whole model; null where unknown
  const ir::ModelNames* modules = nullptr;     // the same
  std::optional<double> epochs;                // length of the run; nothing where unknown
  std::optional<std::size_t> steps_per_epoch;  // nothing where unknown
  diag::Sink& sink;
};

struct Check {
  std::string_view name;
  void (*run)(const Context&);
};

// All checks, in the order in which they run.
[[nodiscard]] std::span<const Check> checks();

void check_training_length(const Context& context);
void check_literal_epochs(const Context& context);
void check_frequencies(const Context& context);
void check_sparsities(const Context& context);
void check_learning_rate(const Context& context);
void check_distillation(const Context& context);
void check_counted(const Context& context);
void check_run(const Context& context);
void check_pruners(const Context& context);
void check_order(const Context& context);
void check_frozen_parameters(const Context& context);
void check_selectors(const Context& context);
void check_names(const Context& context);
void check_shapes(const Context& context);
void check_coupled(const Context& context);
void check_overall(const Context& context);

}  // namespace sparsecfg::check
