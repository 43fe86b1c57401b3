#include "ir/curve.h"

#include <catch2/catch.hpp>
#include <cmath>

using namespace sparsecfg::ir;
using enum Expression::Operation;

namespace {

PowerRamp ramp_from(double from, double exponent, bool decays) { return {{from, {}}, exponent, decays}; }

double at(const PowerRamp& ramp, double epoch) { return value_at(ramp, 0.9, 1.0, 3.0, epoch).value_or(-1); }

}  // namespace

// The values that SparseML applied from epoch 1 to 3, 10 steps an epoch.
TEST_CASE("a ramp is evaluated at every step and stops short of its end") {
  CHECK(at(ramp_from(0.1, 1, false), 1.0) == Approx(0.1).margin(1e-15));
  CHECK(at(ramp_from(0.1, 1, false), 2.9) == Approx(0.86).margin(1e-15));
  CHECK(at(ramp_from(0.1, 3, true), 1.1) == Approx(0.2141000000000001).margin(1e-15));
  CHECK(at(ramp_from(0.1, 3, true), 2.9) == Approx(0.8999).margin(1e-15));
  CHECK(at(ramp_from(0.1, 2, false), 2.0) == Approx(0.3).margin(1e-15));
}

TEST_CASE("a decaying ramp with an even exponent begins twice as far as it leads") {
  CHECK(at(ramp_from(0.1, 2, true), 1.0) == Approx(1.7).margin(1e-15));
  CHECK(at(ramp_from(0.1, 2, true), 2.0) == Approx(1.1).margin(1e-15));
}

TEST_CASE("a ramp has no value where Python has no real one") {
  CHECK_FALSE(value_at(ramp_from(0.1, 2.5, true), 0.9, 1.0, 3.0, 1.5));
  CHECK_FALSE(value_at(ramp_from(0.1, -1, false), 0.9, 1.0, 3.0, 1.0));
  CHECK(value_at(ramp_from(0.1, 2.5, true), 0.9, 1.0, 3.0, 3.0));
}

TEST_CASE("stairs hold the last one that is reached") {
  const PiecewiseConstant stairs{{0.1, {}}, {{1.5, {0.5, {}}}, {2.0, {0.8, {}}}}};
  CHECK(value_at(stairs, 1.0) == 0.1);
  CHECK(value_at(stairs, 1.5) == 0.5);
  CHECK(value_at(stairs, 2.7) == 0.8);
}

TEST_CASE("a formula is a program for a stack") {
  const Expression half_of_the_epoch{{{epoch}, {number, 2}, {divide}}};
  CHECK(value_at(half_of_the_epoch, 1.5) == 0.75);
  const Expression remainder{{{epoch}, {negate}, {number, 2}, {modulo}}};
  CHECK(value_at(remainder, 0.5) == 1.5);
  const Expression floor{{{epoch}, {negate}, {number, 2}, {floor_divide}}};
  CHECK(value_at(floor, 0.5) == -1.0);
}

TEST_CASE("only what is chosen in a formula can fail") {
  const Expression guarded{{{number, 0.5}, {epoch}, {number, 1}, {less}, {number, 1}, {number, 0}, {divide}, {choose}}};
  CHECK(value_at(guarded, 0.5) == 0.5);
  CHECK_FALSE(value_at(guarded, 1.0));
  const Expression either_way{{{epoch}, {number, 1}, {number, 0}, {divide}, {either}}};
  CHECK(value_at(either_way, 0.5) == 0.5);
  CHECK_FALSE(value_at(either_way, 0.0));
}

TEST_CASE("a formula that is no whole has no value") {
  CHECK_FALSE(value_at(Expression{}, 1.0));
  CHECK_FALSE(value_at(Expression{{{add}}}, 1.0));
  CHECK_FALSE(value_at(Expression{{{epoch}, {epoch}}}, 1.0));
}
