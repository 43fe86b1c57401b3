#include "picture/axis.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace sparsecfg::picture {

Axis Axis::linear(double max) { return {0, max > 0 ? max : 1, false}; }

Axis Axis::logarithmic(double min, double max) {
  constexpr double kDecades = 30;  // below them, a rate is 0 for every optimizer
  const double low = std::pow(10, std::floor(std::log10(min)));
  return {std::max(low, max / std::pow(10, kDecades)), max, true};
}

namespace {

// A positive value and the number of epochs for which it is active.
struct Stay {
  double value = 0;
  double epochs = 0;
};

}  // namespace

// Returns the positive values of a rate, the lowest first.
static std::vector<Stay> stays_of(const Series& series, double epochs) {
  std::vector<Stay> out;
  for (std::size_t at = 0; at < series.points.size(); ++at) {
    const Point& point = series.points[at];
    const double until = at + 1 < series.points.size() ? series.points[at + 1].epoch : epochs;
    if (point.value && *point.value > 0) out.push_back({*point.value, until - point.epoch});
  }
  std::ranges::sort(out, {}, &Stay::value);
  return out;
}

// Returns true if a rate spans more than two decades for long enough to be seen.
static bool spans_decades(const std::vector<Stay>& stays) {
  constexpr double kSpan = 100;
  constexpr double kRounding = 1e-9;
  constexpr std::size_t kFew = 12;
  constexpr double kMinOfFew = 0.02;
  constexpr double kMinOfMany = 0.1;
  double all = 0;
  double low = 0;
  for (const Stay& stay : stays) {
    all += stay.epochs;
    if (stay.value * kSpan * (1 + kRounding) < stays.back().value) low += stay.epochs;
  }
  return low > 0 && low >= all * (stays.size() <= kFew ? kMinOfFew : kMinOfMany);
}

Axis Axis::for_rates(const std::vector<const Series*>& rates, double epochs) {
  double min = 0;
  double max = 0;
  bool decades = false;
  for (const Series* rate : rates) {
    const std::vector<Stay> stays = stays_of(*rate, epochs);
    if (stays.empty()) continue;
    min = min > 0 ? std::min(min, stays.front().value) : stays.front().value;
    max = std::max(max, stays.back().value);
    decades = decades || spans_decades(stays);
  }
  return decades ? logarithmic(min, max) : linear(max);
}

double Axis::place(double value) const {
  const double position =
      logarithmic_ ? (value > 0 ? std::log(value / min_) / std::log(max_ / min_) : 0) : value / max_;
  return std::clamp(position, 0.0, 1.0);
}

// Returns only 0 and `max` if the step underflows or overflows.
static std::vector<double> linear_ticks(double max, std::size_t count) {
  const double rough = max / static_cast<double>(count);
  const double power = std::pow(10, std::floor(std::log10(rough)));
  const double digit = rough / power;
  const double step = (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10) * power;
  if (!std::isnormal(step)) {
    return {0, max};
  }
  std::vector<double> out;
  for (std::size_t at = 0; at <= 2 * count && static_cast<double>(at) * step / 1.0001 <= max; ++at) {
    out.push_back(static_cast<double>(at) * step);
  }
  return out;
}

// Returns powers of ten, only every second or third of them if there are many.
static std::vector<double> decades(double min, double max) {
  constexpr int kMaxTicks = 7;
  const bool few = max / min < 100;
  const auto first = static_cast<int>(std::floor(std::log10(min)));
  const auto last = static_cast<int>(std::floor(std::log10(max * 1.0001)));
  const int stride = (last - first) / kMaxTicks + 1;
  std::vector<double> out;
  for (int exponent = last - (last - first) / stride * stride; exponent <= last; exponent += stride) {
    const double power = std::pow(10, exponent);
    for (const double digit : {1.0, 2.0, 5.0}) {
      const double tick = digit * power;
      if ((digit == 1 || few) && tick >= min / 1.0001 && tick <= max * 1.0001) out.push_back(tick);
    }
  }
  return out;
}

std::vector<double> Axis::ticks(std::size_t count) const {
  return logarithmic_ ? decades(min_, max_) : linear_ticks(max_, count);
}

}  // namespace sparsecfg::picture
