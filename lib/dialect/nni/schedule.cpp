#include "dialect/nni/schedule.h"

#include <algorithm>
#include <cmath>

#include "ir/clock.h"

namespace sparsecfg::dialect::nni {

// Upper limit of steps, small enough to avoid overflow in products.
constexpr double kMaxSteps = 1e12;

constexpr ir::StepSchedule kNever{0, 1, 0, 1, 0, false};

double argument_of(const ConstructorCall& part, std::string_view name) {
  const source::Value* value = find_value(part.arguments, name);
  return value == nullptr ? 0 : value->number().value_or(0);
}

// Returns a step argument if a step counter can be equal to it: a whole number of at least `min`.
static std::optional<std::uint64_t> steps_argument(const ConstructorCall& part, std::string_view name, double min = 1) {
  const source::Value* value = find_value(part.arguments, name);
  const auto number = value == nullptr ? std::nullopt : value->number();
  const bool whole = number && *number >= min && *number == std::floor(*number);
  return whole ? std::optional(static_cast<std::uint64_t>(std::min(*number, kMaxSteps))) : std::nullopt;
}

// The inner pruner makes masks after `training_steps` of each interval, with the target ratio at that step. If that is
// before the increase, it uses the previous target ratio.
static ir::StepSchedule repeated(const Compressor& compressor) {
  const auto interval = steps_argument(*compressor.main, "interval_steps");
  const auto times = steps_argument(*compressor.main, "total_times");
  const bool trains =
      compressor.inner && compressor.inner->spec != nullptr && compressor.inner->spec->kind == Schedule::after;
  const auto training = trains ? steps_argument(*compressor.inner, "training_steps") : interval;
  if (interval && training && argument_of(*compressor.main, "total_times") < 0) {
    return {*training, 1, 1, 1, 1, false};  // one update with a ratio of 0
  }
  if (!interval || !times || !training) {
    return kNever;
  }
  return {*training, *interval, *times, *times, *training < *interval ? 1u : 0u, false};
}

// Updates at the steps above `warmup_step` up to `cooldown_begin_step`, which need not be whole numbers.
static ir::StepSchedule movement(const ConstructorCall& part) {
  const double warmup = argument_of(part, "warmup_step");
  const double cooldown = argument_of(part, "cooldown_begin_step");
  const double times = std::floor(cooldown - warmup);
  if (!(warmup >= 0 && times >= 1 && cooldown <= kMaxSteps)) {
    return kNever;
  }
  const auto count = static_cast<std::uint64_t>(times);
  return {static_cast<std::uint64_t>(std::floor(warmup)) + 1, 1, count, count, 0, false};
}

ir::StepSchedule counted_of(const Compressor& compressor) {
  const ClassSpec* spec = compressor.main ? compressor.main->spec : nullptr;
  if (spec == nullptr) {
    return kNever;
  }
  const ir::StepSchedule at_once{0, 1, 1, 1, 0, false};
  switch (spec->kind.as<Schedule>()) {
    case Schedule::repeated: return repeated(compressor);
    case Schedule::movement: return movement(*compressor.main);
    case Schedule::after: {
      const auto steps = steps_argument(*compressor.main, "training_steps");
      return steps ? ir::StepSchedule{*steps, 1, 1, 1, 0, false} : kNever;
    }
    case Schedule::from_step:
      return {steps_argument(*compressor.main, "quant_start_step", 0).value_or(0), 1, 1, 1, 0, false};
    case Schedule::at_once: return compressor.fused ? kNever : at_once;  // the class waits for a step that is never set
    case Schedule::always: return at_once;
  }
  return kNever;
}

ir::SparsityCurve curve_of(const Compressor& compressor) {
  const bool cubic = compressor.main && has(compressor.main->spec, kCubic);
  return ir::PowerRamp{{0.0, {}}, cubic ? 3.0 : 1.0, cubic};
}

std::optional<double> last_step(const Compressor& compressor) {
  const ClassSpec* spec = compressor.main ? compressor.main->spec : nullptr;
  const auto number = [&](std::string_view name) {
    const auto steps = steps_argument(*compressor.main, name);
    return steps ? std::optional(static_cast<double>(*steps)) : std::nullopt;
  };
  if (spec == nullptr) {
    return std::nullopt;
  }
  switch (spec->kind.as<Schedule>()) {
    case Schedule::repeated: {
      const auto interval = number("interval_steps");
      const auto times = number("total_times");
      return interval && times ? std::optional(*interval * *times) : std::nullopt;
    }
    case Schedule::movement: return argument_of(*compressor.main, "cooldown_begin_step");
    case Schedule::after: return number("training_steps");
    case Schedule::at_once:
    case Schedule::from_step:
    case Schedule::always: return std::nullopt;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> first_mask(const Compressor& compressor) {
  if (is_uneven(compressor)) {
    const auto goals = uneven_goals_of(compressor);
    return goals ? std::optional(goals->schedule.first) : std::nullopt;
  }
  const ir::StepSchedule counted = counted_of(compressor);
  return counted.times > 0 ? std::optional(counted.first) : std::nullopt;
}

// --- 1.x ------------------------------------------------------------------------------------------

static double number_of(const source::Map& fields, std::string_view key, double default_value) {
  const source::Value* value = find_value(fields, key);
  return value == nullptr ? default_value : value->number().value_or(default_value);
}

std::optional<EpochSchedule> epochs_of(const source::Map& fields) {
  const double from = number_of(fields, "initial_sparsity", 0);
  const double to = number_of(fields, "final_sparsity", 0);
  const double start = number_of(fields, "start_epoch", 0);
  const double end = number_of(fields, "end_epoch", 1);
  const double every = number_of(fields, "frequency", 1);
  ir::Cadence cadence;
  if (end <= start || from >= to) {
    cadence.rhythm =
        ir::Counted{{static_cast<std::uint64_t>(std::clamp(start, 0.0, ir::kMaxEpochs)), 1, 1, 1, 0, true}};
    return EpochSchedule{cadence, ir::PowerRamp{{from, {}}, 1, false}, start};
  }
  const double passed = ir::epochs_passed(start, end, every);
  if (!(passed > 0)) {
    return std::nullopt;
  }
  cadence.start.value = start;
  cadence.end.value = end;
  const bool skips_first = from <= 0;  // a ratio of 0 does not change the mask
  cadence.rhythm = ir::WholeEpochs{source::Located<double>{every, {}}, {}, skips_first};
  return EpochSchedule{cadence, ir::EpochCurve{{from, {}}}, start + passed};
}

// Sets `length` to the longer of two lengths.
static void extend(std::optional<ir::TrainingLength>& length, const ir::TrainingLength& other) {
  if (!length || other.epochs > length->epochs) {
    length = other;
  }
}

static std::optional<ir::TrainingLength> length_of_run(const RunLength& run, double steps_per_epoch) {
  std::optional<ir::TrainingLength> length;
  const auto& epochs = run.max_epochs;
  const auto& steps = run.max_steps;
  if (epochs) {
    length = {*epochs->second.number(), epochs->second.span, 0, "compress.max_epochs"};
  }
  if (steps && steps_per_epoch > 0) {
    const ir::TrainingLength other{*steps->second.number() / steps_per_epoch, steps->second.span, 0,
                                   "compress.max_steps"};
    length = length && length->epochs < other.epochs ? length : other;
  }
  return length;
}

// Returns the length of all runs of a script, up to the end of the last one; nullopt if it has no runs of its own.
static std::optional<ir::TrainingLength> length_of_own_runs(const Configuration& configuration,
                                                            double steps_per_epoch) {
  std::optional<ir::TrainingLength> out;
  std::size_t action = 0;
  for (const Compressor& compressor : configuration.compressors) {
    auto own =
        compressor.own_run && steps_per_epoch > 0 ? length_of_run(*compressor.own_run, steps_per_epoch) : std::nullopt;
    if (own)
      extend(out,
             {own->epochs + static_cast<double>(compressor.earlier_steps) / steps_per_epoch, own->span, action, {}});
    action += compressor.entries.size();
  }
  return out;
}

// Returns the length up to the last change in any schedule.
static std::optional<ir::TrainingLength> length_of_schedules(const Configuration& configuration,
                                                             const ir::Recipe& recipe, double steps_per_epoch) {
  std::optional<ir::TrainingLength> length;
  std::size_t action = 0;
  for (const Compressor& compressor : configuration.compressors) {
    const auto last = compressor.valid ? last_step(compressor) : std::nullopt;
    for (const Entry& entry : compressor.entries) {
      const bool of_epochs =
          recipe.actions[action].cadence.counted() == nullptr || recipe.actions[action].cadence.counted()->in_epochs;
      if (of_epochs && entry.valid) {
        const source::Value* end = find_value(*entry.written, "end_epoch");
        const double epochs =
            std::max(epochs_of(*entry.written)->end + 1, end == nullptr ? 0 : end->number().value_or(0));
        extend(length, {epochs, entry.place(end), action, {}});
      } else if (last && steps_per_epoch > 0) {
        const double steps = *last + static_cast<double>(compressor.earlier_steps);
        extend(length, {steps / steps_per_epoch, compressor.main->name.span, action, {}});
      }
      ++action;
    }
  }
  return length;
}

std::optional<ir::TrainingLength> length_of(const Configuration& configuration, const ir::Recipe& recipe,
                                            double steps_per_epoch) {
  auto of_run = length_of_run(configuration, steps_per_epoch);
  if (!of_run) of_run = length_of_own_runs(configuration, steps_per_epoch);
  return of_run ? of_run : length_of_schedules(configuration, recipe, steps_per_epoch);
}

}  // namespace sparsecfg::dialect::nni
