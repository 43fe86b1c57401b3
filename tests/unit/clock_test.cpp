#include "ir/clock.h"

#include <catch2/catch.hpp>
#include <limits>
#include <vector>

namespace sparsecfg::ir {

TEST_CASE("the epoch of a step is made of integers, so it does not drift") {
  CHECK(epoch_of(0, 10) == 0.0);
  CHECK(epoch_of(3, 10) == 0.3);
  CHECK(epoch_of(3, 10) != 0.1 * 3);
  CHECK(epoch_of(10, 10) == 1.0);
  CHECK(epoch_of(13, 10) == 1.3);
  CHECK(epoch_of(7, 3) == 2 + 1.0 / 3.0);
  CHECK(epoch_of(5, 1) == 5.0);
  CHECK(epoch_of(1'000'000'000'000'000'000, 1'000'000'000) == 1e9);
}

TEST_CASE("epochs of steps that follow each other are those of each step") {
  for (const std::uint64_t steps_per_epoch : {1U, 3U, 7U, 10U}) {
    std::vector<double> epochs(25);
    epochs_from(9, steps_per_epoch, epochs);
    for (std::size_t at = 0; at < epochs.size(); ++at) CHECK(epochs[at] == epoch_of(9 + at, steps_per_epoch));
  }
}

struct First {
  double epoch;
  std::uint64_t steps_per_epoch;
  std::uint64_t step;
};

constexpr First kFirsts[] = {
    {0.0, 10, 0},       {-1.0, 10, 0},
    {0.3, 10, 3},       {0.1 * 3, 10, 4},  // 0.30000000000000004 is past step 3
    {0.1 + 0.2, 10, 4}, {0.7, 10, 7},
    {0.1 * 7, 10, 8},  // 0.7000000000000001
    {0.05, 10, 1},      {0.9999999, 10, 10},
    {1.0, 10, 10},      {2.3, 10, 23},
    {2.5, 3, 8},  // steps lie at 2 1/3 and 2 2/3
    {1.0 / 3.0, 3, 1},  {2.9999999999999996, 7, 21},
    {8.25, 10, 83},     {4.0, 1, 4},
    {4.1, 1, 5},
};

TEST_CASE("the first step at an epoch is not one before it") {
  for (const First& first : kFirsts) {
    CAPTURE(first.epoch, first.steps_per_epoch);
    CHECK(first_step_at(first.epoch, first.steps_per_epoch) == first.step);
  }
}

TEST_CASE("every step is the first one at its own epoch") {
  for (const std::uint64_t steps_per_epoch : {1U, 2U, 3U, 7U, 10U, 49U, 391U, 1001U}) {
    for (std::uint64_t step = 0; step < 3 * steps_per_epoch; ++step) {
      CAPTURE(step, steps_per_epoch);
      REQUIRE(first_step_at(epoch_of(step, steps_per_epoch), steps_per_epoch) == step);
    }
  }
}

// Out there a double has no digits left for single steps: the last sixty of them have one epoch.
TEST_CASE("the longest run of the finest steps can be counted") {
  const std::uint64_t all = kMaxStepsPerEpoch * static_cast<std::uint64_t>(kMaxEpochs);
  const std::uint64_t first = first_step_at(kMaxEpochs, kMaxStepsPerEpoch);
  CHECK(first == all - 59);
  CHECK(epoch_of(first, kMaxStepsPerEpoch) == kMaxEpochs);
  CHECK(epoch_of(first - 1, kMaxStepsPerEpoch) < kMaxEpochs);
  CHECK(first_step_at(1e300, kMaxStepsPerEpoch) == first);
  CHECK(steps_of(1e300, kMaxStepsPerEpoch) == all);
}

TEST_CASE("a run has the steps of its epochs, halves rounded to even") {
  CHECK(steps_of(3.0, 10) == 30);
  CHECK(steps_of(1.25, 10) == 12);
  CHECK(steps_of(1.75, 10) == 18);
  CHECK(steps_of(0.01, 10) == 0);
  CHECK(steps_of(0.0, 10) == 0);
  CHECK(steps_of(-1.0, 10) == 0);
}

TEST_CASE("no epoch is nan") {
  CHECK(first_step_at(std::numeric_limits<double>::quiet_NaN(), 10) == 10'000'000'000);
  CHECK(steps_of(std::numeric_limits<double>::quiet_NaN(), 10) == 0);
}

}  // namespace sparsecfg::ir
