#pragma once

#include <cstddef>
#include <vector>

#include "picture/scene.h"

namespace sparsecfg::picture {

// A scale of values: where each of them stands between 0, the lower end, and 1, and which are marked.
class Axis {
 public:
  // From 0 to `max`, or to 1 if that is not above 0.
  [[nodiscard]] static Axis linear(double max);
  // From `min` to `max`, both above 0. What is below `min` stands at the lower end.
  [[nodiscard]] static Axis logarithmic(double min, double max);
  // For values above 0 that are less than a twentieth of the greatest one for a quarter of the time and more, or for a
  // while where there are few values, a logarithmic one of six decades at most.
  [[nodiscard]] static Axis for_rates(const std::vector<const Series*>& rates, double epochs);

  [[nodiscard]] double place(double value) const;
  // Returns about as many round numbers.
  [[nodiscard]] std::vector<double> ticks(std::size_t count) const;

  [[nodiscard]] bool is_logarithmic() const { return logarithmic_; }

 private:
  Axis(double min, double max, bool logarithmic) : min_(min), max_(max), logarithmic_(logarithmic) {}

  double min_;
  double max_;
  bool logarithmic_;
};

}  // namespace sparsecfg::picture
