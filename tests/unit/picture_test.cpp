#include <catch2/catch.hpp>

#include <cmath>

#include "picture/axis.h"
#include "picture/labels.h"
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

TEST_CASE("rates are drawn on a logarithmic scale only above two decades") {
  const Series two = series_of({{0, 0.1}, {30, 0.01}, {60, 0.001}});
  const Series three = series_of({{0, 0.1}, {30, 0.01}, {60, 0.0005}});
  const Series late = series_of({{0, 0.01}, {50, 1e-5}});
  const Series at_the_end = series_of({{0, 0.01}, {51.9, 1e-5}});
  CHECK(!Axis::for_rates({&two}, 90).is_logarithmic());
  CHECK(Axis::for_rates({&three}, 90).is_logarithmic());
  CHECK(Axis::for_rates({&late}, 52).is_logarithmic());
  CHECK(!Axis::for_rates({&at_the_end}, 52).is_logarithmic());
  CHECK(!Axis::for_rates({}, 90).is_logarithmic());
}

TEST_CASE("a picture of two equal recipes has the axis of one") {
  std::vector<Point> points;
  for (int at = 0; at < 52; ++at) points.push_back({at * 1.0, 0.1 * (1 + std::cos(3.14159 * at / 52)) / 2});
  const Series cosine = series_of(std::move(points));
  CHECK(!Axis::for_rates({&cosine}, 52).is_logarithmic());
  CHECK(!Axis::for_rates({&cosine, &cosine}, 52).is_logarithmic());
}

TEST_CASE("labels keep their order and do not overlap") {
  CHECK(spread({50, 52, 48}, 10, 0, 100) == std::vector<double>{58, 68, 48});
  CHECK(spread({99, 98}, 10, 0, 100) == std::vector<double>{95, 85});
  CHECK(spread({20, 80}, 10, 0, 100) == std::vector<double>{20, 80});
  CHECK(spread({}, 10, 0, 100).empty());
}

TEST_CASE("short names of actions keep their numbers") {
  CHECK(short_names("GMPruningModifier#2, GMPruningModifier#3[0.8]") == "GMPruning#2, GMPruning#3[0.8]");
  CHECK(short_names("ModifierGroup#1") == "ModifierGroup#1");
  CHECK(shortened_name("0.8 AutomatedGradualPruner#12", 12, 120).ends_with("…#12"));
  CHECK(shortened_name("AGP#1", 12, 120) == "AGP#1");
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
