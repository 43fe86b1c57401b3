#pragma once

#include <array>
#include <optional>
#include <vector>

#include "picture/scene.h"

namespace sparsecfg::picture {

// Makes the points of a series out of its changes, which come in their order.
class Thinner {
 public:
  explicit Thinner(double dot) : dot_(dot) {}  // in epochs

  void add(double epoch, const std::optional<double>& value);

  // Returns the points. Nothing may be added any more.
  [[nodiscard]] std::vector<Point> take();

 private:
  void flush();

  double dot_;
  double current_ = -1;  // the dot that is gathered
  bool begun_ = false;
  std::optional<double> before_;  // the value that was added last
  std::vector<Point> gathered_;   // the first, least, greatest and last one of the dot, if there are any
  std::vector<Point> points_;
};

}  // namespace sparsecfg::picture
