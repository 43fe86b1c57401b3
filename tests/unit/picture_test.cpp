#include <catch2/catch.hpp>

#include "picture/axis.h"
#include "picture/text.h"
#include "picture/thinner.h"

namespace sparsecfg::picture {

static Series series_of(std::vector<Point> points) { return {"rate", {}, {}, 0, std::move(points)}; }

TEST_CASE("of the changes within a dot the first, the extremes and the last are kept") {
  Thinner thinner(1.0);
  const double values[] = {0.5, 0.1, 0.9, 0.4, 0.6};
  for (int at = 0; at < 5; ++at) thinner.add(at * 0.1, values[at]);
  thinner.add(3.0, 0.2);
  std::vector<double> kept;
  for (const Point& point : thinner.take()) kept.push_back(*point.value);
  CHECK(kept == std::vector<double>{0.5, 0.1, 0.9, 0.6, 0.2});
}

TEST_CASE("a gap stays a gap, and a value that does not change is one point") {
  Thinner thinner(1.0);
  for (const double epoch : {0.0, 1.0, 2.0}) thinner.add(epoch, 0.5);
  thinner.add(2.5, std::nullopt);
  thinner.add(2.6, 0.5);
  const std::vector<Point> points = thinner.take();
  REQUIRE(points.size() == 3);
  CHECK(!points[1].value);
  CHECK(points[2].epoch == 2.6);
}

TEST_CASE("rates are drawn on a logarithmic scale where small ones stay") {
  const Series falling = series_of({{0, 0.1}, {30, 0.01}, {60, 0.001}});
  const Series late = series_of({{0, 0.01}, {50, 1e-5}});
  const Series flat = series_of({{0, 0.1}, {30, 0.05}});
  CHECK(Axis::for_rates({&falling}, 90).is_logarithmic());
  CHECK(Axis::for_rates({&late}, 52).is_logarithmic());
  CHECK(!Axis::for_rates({&flat}, 90).is_logarithmic());
  CHECK(!Axis::for_rates({}, 90).is_logarithmic());
}

TEST_CASE("an axis marks round numbers and places values between its ends") {
  CHECK(Axis::linear(1).ticks(5) == std::vector<double>{0, 0.2, 0.4, 0.6000000000000001, 0.8, 1});
  CHECK(Axis::linear(0).place(0.5) == 0.5);
  const Axis axis = Axis::logarithmic(0.001, 0.1);
  CHECK(axis.place(0.01) == Approx(0.5));
  CHECK(axis.place(0) == 0);
  CHECK(axis.ticks(5).size() == 3);
}

TEST_CASE("texts are shortened to their room") {
  CHECK(shortened("short", 12, 100) == "short");
  const std::string text = shortened("a text that is much too long", 12, 60);
  CHECK(text.ends_with("…"));
  CHECK(width_of(text, 12) <= 60);
}

}  // namespace sparsecfg::picture
