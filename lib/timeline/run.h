#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "ir/clock.h"
#include "model/model_names.h"

namespace sparsecfg::timeline {

// Steps per epoch that `timeline`, `inspect`, `diff` and `convert` assume if neither the recipe nor the user defines
// them. The checks and `create` use more steps, because the values that they report hardly depend on the number.
inline constexpr std::size_t kAssumedStepsPerEpoch = 10;

// The run that a schedule is evaluated for. A step is an optimizer step.
struct Run {
  std::uint64_t steps_per_epoch = 1;              // 1 to ir::kMaxStepsPerEpoch
  double epochs = 0;                              // may be a fraction; up to ir::kMaxEpochs
  std::optional<double> initial_rate;             // initial learning rate of the trainer; nullopt: unknown
  const model::ModelNames* parameters = nullptr;  // of the whole model; null: unknown
  const model::ModelNames* modules = nullptr;     // of the whole model; null: unknown
  std::size_t groups = 1;                         // parameter groups of the optimizer, at least

  [[nodiscard]] std::uint64_t steps() const { return ir::steps_of(epochs, steps_per_epoch); }

  [[nodiscard]] double epoch_of(std::uint64_t step) const { return ir::epoch_of(step, steps_per_epoch); }

  [[nodiscard]] std::uint64_t first_step_at(double epoch) const { return ir::first_step_at(epoch, steps_per_epoch); }
};

using ir::kNever;

}  // namespace sparsecfg::timeline
