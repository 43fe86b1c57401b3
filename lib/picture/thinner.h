#pragma once

#include <array>
#include <optional>
#include <vector>

#include "picture/scene.h"

namespace sparsecfg::picture {

// Reduces the changes of a series, which are added in order, to at most four points per dot.
class Thinner {
 public:
  explicit Thinner(double dot) : dot_(dot) {}  // `dot` is the width of a pixel in epochs

  void add(double epoch, const std::optional<double>& value);

  // Returns the points. No value may be added afterwards.
  [[nodiscard]] std::vector<Point> take();

 private:
  void flush();

  double dot_;
  double current_ = -1;  // index of the current dot
  bool begun_ = false;
  std::optional<double> before_;  // last added value
  std::vector<Point> gathered_;   // first, minimum, maximum and last point of the current dot; may be empty
  std::vector<Point> points_;
};

}  // namespace sparsecfg::picture
