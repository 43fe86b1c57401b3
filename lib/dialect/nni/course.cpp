#include "dialect/nni/course.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "base/overloaded.h"
#include "ir/clock.h"

namespace sparsecfg::dialect::nni {

constexpr std::size_t kMaxUpdates = 1'000'000;
constexpr double kRounding = 1e-13;

using Steps = std::vector<std::uint64_t>;

// --- what there is ------------------------------------------------------------------------------------

// Each one at the first step whose epoch is not below that of the last one plus `every`, in doubles.
static std::optional<Steps> drifting_steps(const ir::Cadence& cadence, std::uint64_t steps_per_epoch) {
  const std::uint64_t first = ir::first_step_at(cadence.start.value, steps_per_epoch);
  const std::uint64_t last = std::max(ir::first_step_at(cadence.end.value, steps_per_epoch), first);
  const bool never = cadence.start.value > ir::kMaxEpochs || (cadence.start.value < 0 && cadence.start.value != -1);
  if (cadence.end.value < 0 || never) {
    return std::nullopt;
  }
  Steps steps = {first};
  while (cadence.every && steps.back() < last && steps.size() <= kMaxUpdates) {
    const double next_step = ir::epoch_of(steps.back(), steps_per_epoch) + std::max(cadence.every->value, 0.0);
    steps.push_back(std::min(std::max(ir::first_step_at(next_step, steps_per_epoch), steps.back() + 1), last));
  }
  if (steps.back() < last) {
    steps.push_back(last);
  }
  return steps;
}

static Steps batch_steps(const ir::Cadence& cadence, std::uint64_t steps_per_epoch) {
  Steps steps;
  const std::uint64_t end = cadence.start.value < 0 ? 0 : ir::first_step_at(cadence.end.value, steps_per_epoch);
  for (std::uint64_t step = ir::first_step_at(cadence.start.value, steps_per_epoch);
       step < end && steps.size() <= kMaxUpdates; ++step) {
    steps.push_back(step);
  }
  return steps;
}

static Steps epoch_steps(const ir::Cadence& cadence, std::uint64_t steps_per_epoch) {
  Steps steps;
  const auto add = [&](double epoch) {
    if (epoch >= 0 && epoch <= ir::kMaxEpochs && epoch == std::floor(epoch))
      steps.push_back(static_cast<std::uint64_t>(epoch) * steps_per_epoch);
  };
  for (const auto& epoch : cadence.listed) {
    add(epoch.value);
  }
  const double every = cadence.every ? std::max(cadence.every->value, 1.0) : 1;
  for (double epoch = cadence.start.value;
       cadence.listed.empty() && epoch < cadence.end.value && steps.size() <= kMaxUpdates; epoch += every) {
    add(epoch);
  }
  std::ranges::sort(steps);
  return steps;
}

static std::optional<Steps> steps_of(const ir::Cadence& cadence, std::uint64_t steps_per_epoch) {
  switch (cadence.kind) {
    case ir::Cadence::Kind::since_last_update: return drifting_steps(cadence, steps_per_epoch);
    case ir::Cadence::Kind::per_batch: return batch_steps(cadence, steps_per_epoch);
    case ir::Cadence::Kind::whole_epochs: return epoch_steps(cadence, steps_per_epoch);
    case ir::Cadence::Kind::whole_steps:
    case ir::Cadence::Kind::counted: return std::nullopt;
  }
  return std::nullopt;
}

static std::optional<double> value_at(const ir::SparsityCurve& curve, double target, const ir::Cadence& cadence,
                                      double epoch) {
  const double start = cadence.start.value;
  const double end = cadence.end.value;
  const auto along = [&](const ir::EpochCurve& ramp) {
    const double passed = ir::epochs_passed(start, end, cadence.every ? cadence.every->value : 1);
    return passed > 0 ? std::optional(ir::value_at(ramp, target, start, passed, epoch)) : std::nullopt;
  };
  return std::visit(base::Overloaded{
                        [&](const ir::Ramp& ramp) {
                          return ramp.from ? ir::interpolate(ramp.shape, (epoch - start) / (end - start),
                                                             ramp.from->value, target)
                                           : std::nullopt;
                        },
                        [&](const ir::PowerRamp& ramp) { return ir::value_at(ramp, target, start, end, epoch); },
                        [&](const ir::EpochCurve& ramp) { return along(ramp); },
                        [&](const ir::Constant&) { return std::optional(target); },
                        [](const auto&) { return std::optional<double>(); },
                    },
                    curve);
}

// What does not change is set once.
static bool is_flat(const ir::SparsityCurve& curve, double target) {
  const auto* from = ir::initial_sparsity(curve);
  return std::holds_alternative<ir::Constant>(curve) || (from != nullptr && from->value == target);
}

std::optional<std::vector<Update>> updates_of(const ir::Cadence& cadence, const ir::SparsityCurve& curve, double target,
                                              std::uint64_t steps_per_epoch) {
  if (is_flat(curve, target) && cadence.kind == ir::Cadence::Kind::since_last_update) {
    return std::vector<Update>{{ir::first_step_at(cadence.start.value, steps_per_epoch), target}};
  }
  const auto steps = steps_of(cadence, steps_per_epoch);
  if (!steps || steps->empty() || steps->size() > kMaxUpdates) {
    return std::nullopt;
  }
  std::vector<Update> updates;
  for (const std::uint64_t step : *steps) {
    const auto sparsity = value_at(curve, target, cadence, ir::epoch_of(step, steps_per_epoch));
    if (!sparsity || !std::isfinite(*sparsity)) {
      return std::nullopt;
    }
    updates.push_back({step, *sparsity});
  }
  return updates;
}

// --- what NNI has ---------------------------------------------------------------------------------------

// The share of the way after k of its parts.
static double share(const Course& course, std::uint64_t k) {
  const double part = static_cast<double>(k) / static_cast<double>(course.times);
  return course.cubic ? 1 - std::pow(1 - part, 3) : part;
}

static bool fits(const Course& course, std::span<const Update> updates, double target) {
  if (updates.size() != course.times) {
    return false;
  }
  for (std::uint64_t k = 1; k <= course.times; ++k) {
    const Update& update = updates[k - 1];
    const bool same = update.step == course.begin + k * course.every &&
                      std::abs(update.sparsity - share(course, k) * target) < kRounding;
    if (!same) {
      return false;
    }
  }
  return true;
}

// How far it is off at most at the updates.
static double distance(const Course& course, std::span<const Update> updates, double target) {
  double max = 0;
  for (const Update& update : updates) {
    const std::uint64_t passed = update.step < course.begin ? 0 : (update.step - course.begin) / course.every;
    max = std::max(max, std::abs(update.sparsity - share(course, std::min(passed, course.times)) * target));
  }
  return max;
}

static std::uint64_t parts(std::uint64_t steps, std::uint64_t every) {
  return std::max<std::uint64_t>(1, (steps + every / 2) / every);
}

static Course ramp_from(std::uint64_t begin, std::uint64_t every, bool cubic, std::span<const Update> updates,
                        double target) {
  Course course{begin, every, parts(updates.back().step - begin, every), cubic, false};
  course.exact = fits(course, updates, target);
  return course;
}

std::optional<Course> course_of(const std::vector<Update>& updates, double target, bool cubic, std::uint64_t every) {
  const auto nothing = [](const Update& update) { return update.sparsity <= 0; };
  const auto first = std::ranges::find_if_not(updates, nothing);
  if (first == updates.end()) {
    return std::nullopt;
  }
  const std::span<const Update> rest(first, updates.end());
  if (std::ranges::all_of(rest, [&](const Update& update) { return update.sparsity == rest.front().sparsity; })) {
    return Course{rest.front().step, 1, 0, false, rest.front().sparsity == target};
  }
  // A ramp that does not begin with 0 may be the rest of one that began an update before.
  const std::uint64_t begin = first != updates.begin() ? (first - 1)->step : first->step;
  const Course course = ramp_from(begin, every, cubic, rest, target);
  const bool earlier = first == updates.begin() && begin >= every;
  const Course other = earlier ? ramp_from(begin - every, every, cubic, rest, target) : course;
  return distance(other, rest, target) < distance(course, rest, target) ? other : course;
}

Course begin_at(const Course& course, std::uint64_t first) {
  Course out = course;
  out.begin = first;
  if (course.at_once() && course.begin > first) {
    return {first, course.begin - first, 1, false, course.exact};
  }
  if (!course.at_once() && course.begin != first) {
    out.times = parts(course.last() > first ? course.last() - first : 0, course.every);
    out.exact = false;
  }
  return out;
}

}  // namespace sparsecfg::dialect::nni
