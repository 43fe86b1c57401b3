#include <algorithm>
#include <cmath>

#include "dialect/nni/schedule.h"

// AGPPruner and LinearPruner that wrap a pruner with its own schedule. Both set the target ratios of the same targets:
// the outer pruner every `interval_steps`, MovementPruner every `interval_steps` after its warmup. The last one to set
// a ratio applies; if both set it after the same step, MovementPruner applies. Masks are made after each step above the
// warmup.
namespace sparsecfg::dialect::nni {

constexpr std::uint64_t kMaxListed = 20'000;
constexpr std::uint64_t kMaxFirst = 10'000'000;  // maximum number of simulated steps before the first mask

static bool wraps_movement(const Compressor& compressor) {
  return compressor.inner && compressor.inner->spec != nullptr && compressor.inner->spec->kind == Schedule::movement;
}

// The countdown of masks reaches 0 only if `total_times` is an int.
static bool wraps_endless(const Compressor& compressor) {
  const bool trains =
      compressor.inner && compressor.inner->spec != nullptr && compressor.inner->spec->kind == Schedule::after;
  const source::Value* times = find_value(compressor.main->arguments, "total_times");
  return trains && times != nullptr && times->get<double>() != nullptr && *times->get<double>() > 0;
}

bool is_uneven(const Compressor& compressor) {
  const bool scheduled =
      compressor.main && compressor.main->spec != nullptr && compressor.main->spec->kind == Schedule::repeated;
  const double times = scheduled ? argument_of(*compressor.main, "total_times") : 1;
  return scheduled &&
         (wraps_movement(compressor) || wraps_endless(compressor) || (times > 0 && times != std::floor(times)));
}

// Step counter that resets at each interval while updates are left.
class Countdown {
 public:
  Countdown(double interval, double times) : interval_(interval), times_(times), left_(times) {}

  // Counts a step. Returns true if an update is due after it.
  bool step() {
    if (++count_ != interval_) {
      return false;
    }
    --left_;
    count_ = left_ > 0 ? 0 : count_;
    return true;
  }

  // Returns the fraction of updates that are done.
  [[nodiscard]] double progress() const { return (times_ - left_) / times_; }

  [[nodiscard]] bool over() const { return left_ <= 0 || interval_ < 1 || interval_ != std::floor(interval_); }

 private:
  double interval_;
  double times_;
  double left_;
  double count_ = 0;
};

static double cubic(double progress) { return 1 - std::pow(1 - progress, 3); }

// Returns the fraction of the ratio after each step from the first mask to the last change. Empty if there are too many
// steps.
static std::vector<double> follow(const Compressor& compressor, double warmup, double cooldown, std::uint64_t first) {
  if (first > kMaxFirst) {
    return {};
  }
  const double interval = argument_of(*compressor.main, "interval_steps");
  const double times = argument_of(*compressor.main, "total_times");
  const bool is_cubic = has(compressor.main->spec, kCubic);
  Countdown outer(interval, times);
  Countdown inner(interval, times);
  std::vector<double> shares;
  double share = 0;
  for (std::uint64_t step = 1; step <= first + kMaxListed; ++step) {
    const auto now = static_cast<double>(step);
    if (outer.step()) {
      share = is_cubic ? cubic(outer.progress()) : outer.progress();
    }
    const bool moves = warmup < now && now <= cooldown;
    if (moves && inner.step()) {
      share = std::clamp(cubic(inner.progress()), 0.0, 1.0);
    }
    if (step >= first) shares.push_back(share);
    if (outer.over() && (now >= cooldown || inner.over()) && step >= first) {
      return shares;
    }
  }
  return {};
}

// Masks are made after `training_steps` of each interval, with the target ratio at that step.
static std::optional<UnevenGoals> goals_after_training(const Compressor& compressor) {
  const double interval = argument_of(*compressor.main, "interval_steps");
  const double times = argument_of(*compressor.main, "total_times");
  const double training = argument_of(*compressor.inner, "training_steps");
  const auto whole = [](double steps) { return steps >= 1 && steps == std::floor(steps) && steps < 1e9; };
  if (!whole(interval) || !whole(training) || training > interval ||
      std::ceil(times) >= static_cast<double>(kMaxListed)) {
    return std::nullopt;
  }
  const bool is_cubic = has(compressor.main->spec, kCubic);
  std::vector<double> shares;
  for (double raises = training < interval ? 0 : 1; raises <= std::ceil(times); ++raises) {
    shares.push_back(is_cubic ? cubic(raises / times) : raises / times);
  }
  const std::uint64_t count = shares.size();
  return UnevenGoals{
      {static_cast<std::uint64_t>(training), static_cast<std::uint64_t>(interval), count, count, 0, false},
      std::move(shares)};
}

std::optional<UnevenGoals> uneven_goals_of(const Compressor& compressor) {
  const bool movement = wraps_movement(compressor);
  if (is_uneven(compressor) && wraps_endless(compressor)) {
    return goals_after_training(compressor);
  }
  if (!is_uneven(compressor) || (!movement && compressor.inner && compressor.inner->spec != nullptr &&
                                 compressor.inner->spec->kind != Schedule::at_once)) {
    return std::nullopt;
  }
  const double interval = argument_of(*compressor.main, "interval_steps");
  const double warmup = movement ? argument_of(*compressor.inner, "warmup_step") : interval - 1;
  const double cooldown = movement ? argument_of(*compressor.inner, "cooldown_begin_step") : 0;
  if (!(warmup >= 0 && warmup < 1e9)) {
    return std::nullopt;
  }
  const auto first = static_cast<std::uint64_t>(std::floor(warmup)) + 1;
  std::vector<double> shares = follow(compressor, warmup, cooldown, first);
  if (shares.empty()) {
    return std::nullopt;
  }
  const std::uint64_t count = shares.size();
  return UnevenGoals{{first, 1, count, count, 0, false}, std::move(shares)};
}

}  // namespace sparsecfg::dialect::nni
