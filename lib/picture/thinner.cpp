#include "picture/thinner.h"

#include <algorithm>
#include <cmath>

namespace sparsecfg::picture {

bool Series::known() const {
  return std::ranges::any_of(points, [](const Point& point) { return point.value.has_value(); });
}

void Thinner::add(double epoch, const std::optional<double>& value) {
  if (begun_ && value == before_) {
    return;
  }
  const double dot = dot_ > 0 ? std::floor(epoch / dot_) : 0;
  if (dot != current_ || !value || (begun_ && !before_)) flush();
  begun_ = true;
  before_ = value;
  current_ = dot;
  const Point point{epoch, value};
  if (!value) {
    points_.push_back(point);
  } else if (gathered_.empty()) {
    gathered_.assign(4, point);
  } else {
    if (*value < *gathered_[1].value) gathered_[1] = point;
    if (*value > *gathered_[2].value) gathered_[2] = point;
    gathered_[3] = point;
  }
}

void Thinner::flush() {
  std::ranges::stable_sort(gathered_, {}, &Point::epoch);
  for (const Point& point : gathered_) {
    if (points_.empty() || points_.back().epoch != point.epoch || points_.back().value != point.value) {
      points_.push_back(point);
    }
  }
  gathered_.clear();
}

std::vector<Point> Thinner::take() {
  flush();
  return std::move(points_);
}

}  // namespace sparsecfg::picture
