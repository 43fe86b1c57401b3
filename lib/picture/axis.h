#pragma once

#include <cstddef>
#include <vector>

#include "picture/scene.h"

namespace sparsecfg::picture {

// A scale that maps values to positions from 0 (lower end) to 1, with tick marks.
class Axis {
 public:
  // Returns a linear axis from 0 to `max`, or from 0 to 1 if `max` is not positive.
  [[nodiscard]] static Axis linear(double max);
  // Returns a logarithmic axis from `min` to `max`, which must be positive. Values below `min` map to the lower end.
  [[nodiscard]] static Axis logarithmic(double min, double max);
  // Returns an axis for positive rates. It is logarithmic, with at most six decades, if a rate spans more than two
  // decades: it is below 1/100 of its maximum for at least a tenth of the time, or for 2 % of it if it has few values.
  [[nodiscard]] static Axis for_rates(const std::vector<const Series*>& rates, double epochs);

  [[nodiscard]] double place(double value) const;
  // Returns about `count` round numbers.
  [[nodiscard]] std::vector<double> ticks(std::size_t count) const;

  [[nodiscard]] bool is_logarithmic() const { return logarithmic_; }

  [[nodiscard]] double min() const { return min_; }

  [[nodiscard]] double max() const { return max_; }

 private:
  Axis(double min, double max, bool logarithmic) : min_(min), max_(max), logarithmic_(logarithmic) {}

  double min_;
  double max_;
  bool logarithmic_;
};

}  // namespace sparsecfg::picture
