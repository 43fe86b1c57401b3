#include "base/parallel.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace sparsecfg::base {

TEST_CASE("each index is worked on once") {
  std::vector<std::atomic<int>> calls(1000);
  for_each_index(calls.size(), [&](std::size_t at) { ++calls[at]; });
  for (const auto& count : calls) CHECK(count == 1);
  for_each_index(0, [](std::size_t) { FAIL("called"); });
}

TEST_CASE("an exception of any thread comes back to the caller") {
  for (const std::size_t bad : {0, 1, 500, 999}) {
    const auto work = [&](std::size_t at) {
      if (at == bad) throw std::runtime_error("number " + std::to_string(at));
    };
    CHECK_THROWS_WITH(for_each_index(1000, work), "number " + std::to_string(bad));
  }
}

}  // namespace sparsecfg::base
