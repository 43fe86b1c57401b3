#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "source/value.h"

// The times at which an action acts.
namespace sparsecfg::ir {

using source::Located;

// Updates that are counted instead of timed. The first one comes after `first` optimizer steps, each next one `every`
// steps later, `times` in total. Update k, counted from 1, has reached (k - lag) / parts of the ramp. If `in_epochs` is
// true, all steps are whole epochs.
struct StepSchedule {
  std::uint64_t first = 0;
  std::uint64_t every = 1;
  std::uint64_t times = 1;
  std::uint64_t parts = 1;
  std::uint64_t lag = 0;
  bool in_epochs = false;
  friend bool operator==(const StepSchedule&, const StepSchedule&) = default;

  // Returns the fraction of the ramp at update k, computed like an epoch between 0 and `parts`.
  [[nodiscard]] double reached(std::uint64_t update) const {
    return static_cast<double>(update) - static_cast<double>(lag);
  }

  // Returns the step or epoch of the last update. `times` must be above 0.
  [[nodiscard]] std::uint64_t last() const { return first + (times - 1) * every; }
};

// At the first step whose epoch is at least `start`, then at each step whose epoch is at least the epoch of the last
// update plus `every`, which drifts off a regular grid, and last at the first step whose epoch is at least `end`. All
// computations use IEEE doubles without tolerance (docs/semantics/sparseml.md#c2-3).
struct SinceLastUpdate {
  static constexpr std::string_view kName = "since_last_update";
  std::optional<Located<double>> every{};  // -1 or less than a step: every step; nullopt: no updates
  friend bool operator==(const SinceLastUpdate&, const SinceLastUpdate&) = default;
};

// At every step n with start <= n/N < end; never if `start` is below 0 (docs/semantics/sparseml.md#h4-1).
struct PerBatch {
  static constexpr std::string_view kName = "per_batch";
  friend bool operator==(const PerBatch&, const PerBatch&) = default;
};

// At step round(start * N), then every round(every * N) steps, and last at step round(end * N) - 1
// (docs/semantics/sparseml.md#b8-6).
struct WholeSteps {
  static constexpr std::string_view kName = "whole_steps";
  std::optional<Located<double>> every{};
  friend bool operator==(const WholeSteps&, const WholeSteps&) = default;
};

// At the first step of the epochs `start`, `start + every` ... before `end`, or of the epochs in `listed`; a learning
// rate at the step after the last step of such an epoch (docs/semantics/distiller.md#c1-1).
struct WholeEpochs {
  static constexpr std::string_view kName = "whole_epochs";
  std::optional<Located<double>> every{};
  std::vector<Located<double>> listed{};  // replaces `every`; fractional epochs are never reached
  bool skips_first = false;               // does not act at the start of the first active epoch
  std::int64_t within = 0;                // also acts at steps in active epochs that are divisible by this
  friend bool operator==(const WholeEpochs&, const WholeEpochs&) = default;
};

// As defined by `schedule`, also after the last step of the run; independent of epochs.
struct Counted {
  static constexpr std::string_view kName = "counted";
  StepSchedule schedule;
  friend bool operator==(const Counted&, const Counted&) = default;
};

using Rhythm = std::variant<SinceLastUpdate, PerBatch, WholeSteps, WholeEpochs, Counted>;

// The window of an action in epochs, and the times at which it acts in the window. The epoch of step n is
// floor(n/N) + (n mod N)/N with N steps per epoch.
struct Cadence {
  static constexpr double kEndless = std::numeric_limits<double>::infinity();

  Located<double> start{-1, {}};  // -1: at the first step; infinite: never. If counted, the field of the first update
  Located<double> end{kEndless, {}};  // infinite: never
  Rhythm rhythm{};
  friend bool operator==(const Cadence&, const Cadence&) = default;

  template <class Kind>
  [[nodiscard]] bool is() const {
    return std::holds_alternative<Kind>(rhythm);
  }

  [[nodiscard]] bool ends() const { return end.value < kEndless; }

  [[nodiscard]] double end_or(double endless) const { return ends() ? end.value : endless; }

  // Returns the interval between updates, or null for a rhythm without an interval.
  [[nodiscard]] const Located<double>* every() const;

  [[nodiscard]] double every_or(double absent) const { return every() == nullptr ? absent : every()->value; }

  // Returns the listed epochs, or an empty list for other rhythms.
  [[nodiscard]] std::span<const Located<double>> listed() const;

  // Returns the schedule of counted updates; null for other rhythms.
  [[nodiscard]] const StepSchedule* counted() const;

  // Returns the same window without updates, in which an action only starts and ends. Counted updates stay.
  [[nodiscard]] Cadence as_phase() const;
};

}  // namespace sparsecfg::ir
