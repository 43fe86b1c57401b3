#include "ir/curve.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <vector>

namespace sparsecfg::ir {

struct Point {
  Shape shape;
  double progress;
  double from;
  double to;
  double value;
};

// All of them exact in binary, so that nothing is hidden by rounding.
constexpr Point kPoints[] = {
    {Shape::linear, 0.25, 0.25, 0.75, 0.375},
    {Shape::linear, 0.5, 0.0, 1.0, 0.5},
    {Shape::linear, 0.75, 0.75, 0.25, 0.375},
    {Shape::cubic, 0.25, 0.25, 0.75, 0.5390625},  // 1 - 27/64 of the way
    {Shape::cubic, 0.5, 0.25, 0.75, 0.6875},      // 7/8
    {Shape::cubic, 0.5, 1.0, 0.0, 0.125},
    {Shape::inverse_cubic, 0.875, 0.25, 0.75, 0.5},  // 1 - the cube root of 1/8
    {Shape::inverse_cubic, 0.875, 0.5, 0.0, 0.25},
};

TEST_CASE("a ramp takes the share of the way that its shape says") {
  for (const Point& point : kPoints) {
    CAPTURE(to_string(point.shape), point.progress, point.from, point.to);
    const auto value = interpolate(point.shape, point.progress, point.from, point.to);
    REQUIRE(value);
    CHECK(*value == point.value);
  }
}

TEST_CASE("a ramp computes with doubles in SparseML's order") {
  CHECK(interpolate(Shape::linear, 0.5, 0.05, 0.85) == 0.5 * (0.85 - 0.05) + 0.05);
  CHECK(interpolate(Shape::cubic, 1.0 / 18.0, 0.0, 0.5) == Approx(0.078789437585734).epsilon(1e-14));
  CHECK(interpolate(Shape::inverse_cubic, 0.5, 0.0, 1.0) == Approx(0.206299474015900).epsilon(1e-14));
}

TEST_CASE("a cubic ramp has the last digit of the power function") {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> real(0, 1);
  for (int round = 0; round < 200'000; ++round) {
    const double progress = round % 2 == 0 ? real(random) : 1 - std::pow(real(random), 20);
    const double share = 1 - std::pow(1 - progress, 3);
    if (share > 1e-15 && share < 1 - 1e-15) REQUIRE(interpolate(Shape::cubic, progress, 0.0, 1.0) == share);
  }
}

TEST_CASE("a ramp is held at both of its ends") {
  for (const Shape shape : {Shape::linear, Shape::cubic, Shape::inverse_cubic}) {
    CAPTURE(to_string(shape));
    CHECK(interpolate(shape, 0.0, 0.05, 0.85) == 0.05);
    CHECK(interpolate(shape, -3.0, 0.05, 0.85) == 0.05);
    CHECK(interpolate(shape, 1.0, 0.05, 0.85) == 0.85);
    CHECK(interpolate(shape, 1.0, 0.85, 0.05) == 0.05);
  }
  CHECK(interpolate(Shape::linear, 1.2, 0.05, 0.85) == 0.85);
  CHECK(interpolate(Shape::cubic, 1.2, 0.05, 0.85) == 0.85);
}

TEST_CASE("many points of a ramp are those of one at a time") {
  for (const Shape shape : {Shape::linear, Shape::cubic, Shape::inverse_cubic}) {
    CAPTURE(to_string(shape));
    std::vector<double> progress;
    for (int at = -20; at < 1000; ++at) progress.push_back(at / 980.0);
    std::vector<std::optional<double>> values(progress.size());
    interpolate_all(shape, progress, 0.05, 0.85, values);
    for (std::size_t at = 0; at < values.size(); ++at) {
      if (values[at] != interpolate(shape, progress[at], 0.05, 0.85)) FAIL(progress[at]);
    }
  }
}

TEST_CASE("a share within one epsilon of an end counts as the end") {
  CHECK(interpolate(Shape::linear, 2.2e-16, 0.25, 0.75) == 0.25);
  CHECK(interpolate(Shape::linear, 3e-16, 0.25, 0.75) > 0.25);
  CHECK(interpolate(Shape::linear, 1 - 2.2e-16, 0.0, 0.75) == 0.75);
  CHECK(interpolate(Shape::linear, 1 - 4e-16, 0.0, 0.75) < 0.75);
}

TEST_CASE("an inverse cubic past its end is a complex number in Python") {
  CHECK_FALSE(interpolate(Shape::inverse_cubic, 1.0000000001, 0.05, 0.85));
  CHECK_FALSE(interpolate(Shape::inverse_cubic, 2.0, 0.05, 0.85));
}

TEST_CASE("shapes have the names that recipes give them") {
  CHECK(to_string(Shape::linear) == "linear");
  CHECK(to_string(Shape::cubic) == "cubic");
  CHECK(to_string(Shape::inverse_cubic) == "inverse_cubic");
}

}  // namespace sparsecfg::ir
