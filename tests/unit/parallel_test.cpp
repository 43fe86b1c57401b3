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
  for (const std::size_t bad : {0U, 1U, 500U, 999U}) {
    const auto work = [&](std::size_t at) {
      if (at == bad) throw std::runtime_error("number " + std::to_string(at));
    };
    CHECK_THROWS_WITH(for_each_index(1000, work), "number " + std::to_string(bad));
  }
}

TEST_CASE("pieces are put in the order in which they were taken") {
  for (const std::size_t threads : {1U, 2U, 7U}) {
    std::vector<int> pieces(kSlotsPerThread * threads);
    int taken = 0;
    std::vector<int> put;
    const bool whole = put_in_order(threads, {[&](std::size_t slot) { return (pieces[slot] = ++taken) <= 1000; },
                                              [&](std::size_t slot) { pieces[slot] *= 2; },
                                              [&](std::size_t slot) {
                                                put.push_back(pieces[slot]);
                                                return true;
                                              }});
    CHECK(whole);
    REQUIRE(put.size() == 1000);
    for (int at = 0; at < 1000; ++at) CHECK(put[static_cast<std::size_t>(at)] == 2 * (at + 1));
  }
}

TEST_CASE("no piece is put behind one that could not be") {
  for (const std::size_t threads : {1U, 4U}) {
    std::atomic<int> put = 0;
    const auto take = [](std::size_t) { return true; };  // without end
    const auto make = [](std::size_t) {};
    CHECK_FALSE(put_in_order(threads, {take, make, [&](std::size_t) { return ++put < 10; }}));
    CHECK(put == 10);
  }
}

TEST_CASE("an exception in a piece stops the output and comes back to the caller") {
  for (const std::size_t threads : {1U, 4U}) {
    std::atomic<int> made = 0;
    const auto make = [&](std::size_t) {
      if (++made == 20) throw std::runtime_error("broken");
    };
    const auto always = [](std::size_t) { return true; };
    CHECK_THROWS_WITH(put_in_order(threads, {always, make, always}), "broken");
  }
}

}  // namespace sparsecfg::base
