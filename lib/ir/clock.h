#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

// SparseML's clock (docs/semantics/sparseml.md#c1-1). The epoch of each step is computed from integers, so it does not
// drift.
namespace sparsecfg::ir {

// Limits of an evaluated run. Within them step numbers fit into 64 bits.
inline constexpr double kMaxEpochs = 1e9;
inline constexpr std::uint64_t kMaxStepsPerEpoch = 1'000'000'000;

// The step of an event that never happens.
inline constexpr std::uint64_t kNever = UINT64_MAX;

[[nodiscard]] inline double epoch_of(std::uint64_t step, std::uint64_t steps_per_epoch) {
  const auto whole = step / steps_per_epoch;
  return static_cast<double>(whole) +
         static_cast<double>(step % steps_per_epoch) / static_cast<double>(steps_per_epoch);
}

// Computes the epochs of the steps from `first` on, one for each element of `out`. Counts instead of dividing integers.
inline void epochs_from(std::uint64_t first, std::uint64_t steps_per_epoch, std::span<double> out) {
  std::uint64_t epoch = first / steps_per_epoch;
  std::uint64_t step = first % steps_per_epoch;
  for (double& each : out) {
    each = static_cast<double>(epoch) + static_cast<double>(step) / static_cast<double>(steps_per_epoch);
    if (++step == steps_per_epoch) {
      step = 0;
      ++epoch;
    }
  }
}

// Returns the first step whose epoch is at least `epoch`, which is from 0 to kMaxEpochs. No epoch reaches nan, so it is
// treated as kMaxEpochs.
[[nodiscard]] inline std::uint64_t first_step_at(double epoch, std::uint64_t steps_per_epoch) {
  epoch = std::isnan(epoch) ? kMaxEpochs : std::clamp(epoch, 0.0, kMaxEpochs);
  const double whole = std::floor(epoch);
  const double part = std::floor((epoch - whole) * static_cast<double>(steps_per_epoch));
  auto step = static_cast<std::uint64_t>(whole) * steps_per_epoch + static_cast<std::uint64_t>(part);
  while (step > 0 && epoch_of(step - 1, steps_per_epoch) >= epoch) {
    --step;
  }
  while (epoch_of(step, steps_per_epoch) < epoch) {
    ++step;
  }
  return step;
}

// Returns the number of steps of a run of `epochs` epochs; 0 for nan.
[[nodiscard]] inline std::uint64_t steps_of(double epochs, std::uint64_t steps_per_epoch) {
  const double limited = std::isnan(epochs) ? 0 : std::clamp(epochs, 0.0, kMaxEpochs);
  return static_cast<std::uint64_t>(std::nearbyint(limited * static_cast<double>(steps_per_epoch)));
}

}  // namespace sparsecfg::ir
