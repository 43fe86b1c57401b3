#include <catch2/catch.hpp>

#include "timeline/evaluator.h"

namespace sparsecfg::timeline {

static int changes_of(std::uint64_t per_change, std::size_t events) {
  WorkLimit limit(per_change);
  int changes = 0;
  while (limit.take(events)) ++changes;
  return changes;
}

TEST_CASE("a run is followed until its changes and their events have taken all work") {
  CHECK(changes_of(kMaxWork / 20, 0) == 20);
  CHECK(changes_of(kMaxWork / 20, 7) == 20);
  CHECK(changes_of(0, 8 * kMaxWork / 10) == 10);
  CHECK(changes_of(kMaxWork / 10, 8 * kMaxWork / 10) == 5);
}

TEST_CASE("nothing is followed after a change that was too much") {
  WorkLimit limit(1);
  CHECK_FALSE(limit.take(8 * kMaxWork));
  CHECK_FALSE(limit.take(0));
}

}  // namespace sparsecfg::timeline
