#include <algorithm>
#include <catch2/catch.hpp>

#include "timeline/overview.h"

namespace sparsecfg::timeline {

static Run run_of(std::uint64_t steps_per_epoch, double epochs) {
  Run run;
  run.steps_per_epoch = steps_per_epoch;
  run.epochs = epochs;
  return run;
}

static const Run kTwoEpochs = run_of(1000, 2);  // too few epochs to round quarters

static Overview::Phase ramp(std::uint64_t start, std::uint64_t end) {
  Overview::Phase phase;
  phase.start = start;
  phase.end = end;
  phase.last = end;
  phase.updates = 100;
  phase.first_steps = {start, start + 1};
  return phase;
}

TEST_CASE("a ramp has rows at its start, quarters and end") {
  Overview overview;
  overview.phases = {ramp(100, 500)};
  CHECK(milestones(overview, kTwoEpochs, 0, 1000, 25) == std::vector<std::uint64_t>{0, 100, 200, 300, 400, 500, 1000});
}

TEST_CASE("what happens rarely has a row each time") {
  Overview::Phase steps;
  steps.start = 0;
  steps.last = 70;
  steps.updates = 3;
  steps.first_steps = {0, 33, 70};
  Overview overview;
  overview.phases = {steps};
  CHECK(milestones(overview, kTwoEpochs, 0, 90, 25) == std::vector<std::uint64_t>{0, 33, 70, 90});
}

TEST_CASE("rows outside of the window are left out") {
  Overview overview;
  overview.phases = {ramp(100, 500)};
  CHECK(milestones(overview, kTwoEpochs, 250, 450, 25) == std::vector<std::uint64_t>{250, 300, 400, 450});
}

TEST_CASE("starts and ends come before quarters where there is not room for all") {
  Overview overview;
  for (std::uint64_t at = 0; at < 8; ++at) overview.phases.push_back(ramp(10 + at, 1000 + at));
  const std::vector<std::uint64_t> steps = milestones(overview, kTwoEpochs, 0, 2000, 25);
  CHECK(steps.size() == 25);
  CHECK(std::ranges::is_sorted(steps));
  for (std::uint64_t at = 0; at < 8; ++at) {
    CHECK(std::ranges::count(steps, 10 + at) == 1);
    CHECK(std::ranges::count(steps, 1000 + at) == 1);
  }
  CHECK(milestones(overview, kTwoEpochs, 0, 2000, 5).size() == 5);
}

TEST_CASE("quarters of a phase of at least eight epochs are whole epochs") {
  Overview overview;
  overview.phases = {ramp(0, 90)};
  CHECK(milestones(overview, run_of(10, 9), 0, 90, 25) == std::vector<std::uint64_t>{0, 20, 50, 70, 90});
  overview.phases = {ramp(0, 78)};
  CHECK(milestones(overview, run_of(10, 9), 0, 90, 25) == std::vector<std::uint64_t>{0, 19, 39, 58, 78, 90});
}

TEST_CASE("a rate that changes rarely has a row for each change, and no quarters") {
  Overview overview;
  overview.phases = {ramp(100, 900)};
  overview.phases.front().sets_rate = true;
  overview.rate_changes.assign(Overview::kFewRates, 300);
  CHECK(milestones(overview, kTwoEpochs, 0, 1000, 25) == std::vector<std::uint64_t>{0, 100, 300, 900, 1000});
  overview.rate_changes.push_back(301);
  CHECK(milestones(overview, kTwoEpochs, 0, 1000, 25) == std::vector<std::uint64_t>{0, 100, 300, 500, 700, 900, 1000});
}

TEST_CASE("a kTwoEpochs of one step has one row") {
  CHECK(milestones({}, kTwoEpochs, 0, 0, 25) == std::vector<std::uint64_t>{0});
}

}  // namespace sparsecfg::timeline
