#include "dialect/nni/course.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace sparsecfg::dialect::nni {

constexpr double kRounding = 1e-13;

// --- ramps of NNI ---------------------------------------------------------------------------------------

// Returns the fraction of the target sparsity after k increments.
static double share(const RatioRamp& course, std::uint64_t k) {
  const double part = static_cast<double>(k) / static_cast<double>(course.times);
  return course.cubic ? 1 - std::pow(1 - part, 3) : part;
}

static bool fits(const RatioRamp& course, std::span<const ir::Update> updates, double target) {
  if (updates.size() != course.times) {
    return false;
  }
  std::uint64_t k = 0;
  for (const ir::Update& update : updates) {
    ++k;
    const bool same = update.step == course.begin + k * course.every &&
                      std::abs(update.sparsity - share(course, k) * target) < kRounding;
    if (!same) {
      return false;
    }
  }
  return true;
}

// Returns the largest difference from the updates.
static double distance(const RatioRamp& course, std::span<const ir::Update> updates, double target) {
  double max = 0;
  for (const ir::Update& update : updates) {
    const std::uint64_t passed = update.step < course.begin ? 0 : (update.step - course.begin) / course.every;
    max = std::max(max, std::abs(update.sparsity - share(course, std::min(passed, course.times)) * target));
  }
  return max;
}

static std::uint64_t parts(std::uint64_t steps, std::uint64_t every) {
  return std::max<std::uint64_t>(1, (steps + every / 2) / every);
}

static RatioRamp ramp_from(std::uint64_t begin, std::uint64_t every, bool cubic, std::span<const ir::Update> updates,
                           double target) {
  RatioRamp course{begin, every, parts(updates.back().step - begin, every), cubic, false};
  course.exact = fits(course, updates, target);
  return course;
}

std::optional<RatioRamp> fit_ramp(const std::vector<ir::Update>& updates, double target, bool cubic,
                                  std::uint64_t every) {
  const auto nothing = [](const ir::Update& update) { return update.sparsity <= 0; };
  const auto first = std::ranges::find_if_not(updates, nothing);
  if (first == updates.end()) {
    return std::nullopt;
  }
  const std::span<const ir::Update> rest(first, updates.end());
  if (std::ranges::all_of(rest, [&](const ir::Update& update) { return update.sparsity == rest.front().sparsity; })) {
    return RatioRamp{rest.front().step, 1, 0, false, rest.front().sparsity == target};
  }
  // A ramp whose first update is not 0 may have begun one update earlier.
  const std::uint64_t begin = first != updates.begin() ? (first - 1)->step : first->step;
  const RatioRamp course = ramp_from(begin, every, cubic, rest, target);
  const bool earlier = first == updates.begin() && begin >= every;
  const RatioRamp other = earlier ? ramp_from(begin - every, every, cubic, rest, target) : course;
  return distance(other, rest, target) < distance(course, rest, target) ? other : course;
}

RatioRamp starting_at(const RatioRamp& course, std::uint64_t first) {
  RatioRamp out = course;
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
