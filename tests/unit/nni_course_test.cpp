#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "base/limits.h"
#include "compile/compile.h"
#include "dialect/nni/course.h"
#include "dialect/nni/weights.h"

// What other dialects' updates become in NNI: so many of them, each so many steps after the last.
namespace sparsecfg::dialect::nni {

static ir::Cadence since_last_update(double start, double end, double every) {
  return {{start, {}}, {end, {}}, ir::SinceLastUpdate{ir::Located<double>{every, {}}}};
}

static ir::Cadence epochs(double start, double end, double every) {
  return {{start, {}}, {end, {}}, ir::WholeEpochs{ir::Located<double>{every, {}}}};
}

static RatioRamp course(const ir::Cadence& cadence, const ir::SparsityCurve& curve, double target, std::uint64_t steps,
                        std::uint64_t every, bool cubic = true) {
  std::size_t left = limits::kMaxUpdatesPerRecipe;
  return fit_ramp(ir::updates_of(cadence, curve, target, steps, left).value(), target, cubic, every).value();
}

static ir::Ramp ramp(double from, ir::Shape shape = ir::Shape::cubic) { return {ir::Located<double>{from, {}}, shape}; }

TEST_CASE("epochs become steps") {
  const RatioRamp half = course(since_last_update(0, 4, 0.5), ramp(0), 0.8, 20, 10);
  CHECK(half.exact);
  CHECK(half.begin == 0);
  CHECK(half.every == 10);
  CHECK(half.times == 8);
  const RatioRamp linear = course(since_last_update(0, 4, 1), ramp(0, ir::Shape::linear), 0.8, 20, 20, false);
  CHECK(linear.exact);
  CHECK_FALSE(linear.cubic);
  CHECK(linear.last() == 80);
  const RatioRamp each_step = course(since_last_update(0, 2, -1), ramp(0), 0.8, 5, 1);
  CHECK(each_step.exact);
  CHECK(each_step.times == 10);
}

TEST_CASE("an end between two updates, or updates that drift, are not the same") {
  CHECK_FALSE(course(since_last_update(0, 4.5, 1), ramp(0), 0.8, 20, 20).exact);
  CHECK_FALSE(course(since_last_update(0, 1, 0.1), ramp(0), 0.8, 10, 1).exact);
}

TEST_CASE("a ramp may begin later, or be the rest of one from 0") {
  const RatioRamp later = course(since_last_update(2, 6, 1), ramp(0), 0.8, 10, 10);
  CHECK(later.exact);
  CHECK(later.begin == 20);
  CHECK(later.times == 4);
  const double second = 0.8 - 0.8 * std::pow(3.0 / 4, 3);
  const RatioRamp rest = course(epochs(3, 7, 1), ir::EpochCurve{{second, {}}}, 0.8, 10, 10);
  CHECK(rest.exact);
  CHECK(rest.begin == 20);
  CHECK(rest.times == 4);
}

TEST_CASE("a start above 0 and one of 0 give different schedules") {
  const RatioRamp first = course(since_last_update(0, 4, 1), ramp(0.3), 0.8, 10, 10);
  CHECK_FALSE(first.exact);
  CHECK(first.begin == 0);
  CHECK(first.last() == 40);
}

TEST_CASE("what does not change is set at once, and later if need be") {
  const RatioRamp level = course(epochs(3, 9, 1), ir::Constant{}, 0.5, 10, 10);
  CHECK(level.at_once());
  CHECK(level.begin == 30);
  const RatioRamp counted = starting_at(level, 0);
  CHECK(counted.exact);
  CHECK(counted.every == 30);
  CHECK(counted.times == 1);
  CHECK(starting_at(level, 30).at_once());
  CHECK_FALSE(fit_ramp({{0, 0.0}, {5, 0.0}}, 0.0, true, 5));
}

TEST_CASE("a ramp that has to begin earlier arrives where it did") {
  const RatioRamp early = starting_at(course(since_last_update(2, 6, 1), ramp(0), 0.8, 10, 10), 0);
  CHECK_FALSE(early.exact);
  CHECK(early.begin == 0);
  CHECK(early.last() == 60);
}

TEST_CASE("what never ends has no updates") {
  std::size_t left = limits::kMaxUpdatesPerRecipe;
  CHECK_FALSE(ir::updates_of(since_last_update(0, ir::Cadence::kEndless, 1), ramp(0), 0.8, 10, left));
  CHECK_FALSE(ir::updates_of(since_last_update(0, 4, 1), ir::Alternation{}, 0.8, 10, left));
}

TEST_CASE("no more updates are followed than are left for a recipe, and a million of one pruner") {
  std::size_t left = limits::kMaxUpdatesPerRecipe;
  CHECK_FALSE(ir::updates_of(since_last_update(0, 1e6, -1), ramp(0), 0.8, 1000, left));
  CHECK_FALSE(ir::updates_of(since_last_update(0, 1e9, 1), ramp(0), 0.8, 1, left));
  CHECK_FALSE(ir::updates_of(epochs(0.5, 1e9, 1), ramp(0), 0.8, 1, left));
  CHECK(left == limits::kMaxUpdatesPerRecipe);  // so many that they need not be counted
  left = 250;
  CHECK(ir::updates_of(since_last_update(0, 10, 1), ramp(0), 0.8, 10, left)->size() == 11);
  CHECK(ir::updates_of(epochs(0, 10, 1), ramp(0), 0.8, 10, left)->size() == 10);
  CHECK(left == 229);
  CHECK(ir::updates_of(since_last_update(0, 20, -1), ramp(0), 0.8, 10, left)->size() == 201);
  CHECK_FALSE(ir::updates_of(since_last_update(0, 10, -1), ramp(0), 0.8, 10, left));
  CHECK(left == 28);
  CHECK_FALSE(ir::updates_of(since_last_update(0, 5, -1), ramp(0), 0.8, 10, left));
  CHECK(left == 0);
}

TEST_CASE("patterns over parameters become patterns over modules where they end with the weight") {
  CHECK(pattern_over_modules("conv\\d+\\.weight$") == "conv\\d+$");
  CHECK(pattern_over_modules("conv\\d+.weight") == "conv\\d+$");
  CHECK(pattern_over_modules("(a|b)[.]weight$") == "(a|b)$");
  CHECK_FALSE(pattern_over_modules("a.weight|b.weight"));
  CHECK_FALSE(pattern_over_modules(".*"));
  CHECK_FALSE(pattern_over_modules("conv\\.bias$"));
}

// The length belongs to no action, and there is none.
TEST_CASE("a run without entries has a length") {
  CompileOptions options;
  options.from = "nni";
  const Compilation result = compile("a.yaml", "compress: {max_epochs: 3}\nconfig_list:\nconfig_list:\n", options);
  CHECK_FALSE(result.diagnostics.empty());
}

}  // namespace sparsecfg::dialect::nni
