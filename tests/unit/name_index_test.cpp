#include "model/name_index.h"

#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <vector>

using namespace sparsecfg::model;

// Hashes of 32 bits are those of 32-bit platforms, such as WebAssembly. A shift by all bits does not compile here.
TEST_CASE("The upper bits of a hash distinguish hashes of 32 and of 64 bits") {
  std::set<std::uint32_t> narrow;
  std::set<std::uint32_t> wide;
  for (std::uint32_t at = 0; at < 1000; ++at) {
    narrow.insert(upper_bits(at * 0x10001U));
    wide.insert(upper_bits(std::uint64_t{at} << 32));
  }
  CHECK(narrow.size() == 1000);
  CHECK(wide.size() == 1000);
  STATIC_REQUIRE(upper_bits(std::uint32_t{0x89abcdef}) == 0x89abcdef);
  STATIC_REQUIRE(upper_bits(std::uint64_t{0x0123456789abcdef}) == 0x01234567);
}

TEST_CASE("A name is found among many, and few others are visited") {
  std::vector<std::string> names;
  for (int at = 0; at < 2000; ++at) names.push_back("layers." + std::to_string(at) + ".weight");
  NameIndex index(names.size());
  for (std::uint32_t at = 0; at < names.size(); ++at) index.add(names[at], at);
  std::size_t visits = 0;
  for (std::uint32_t at = 0; at < names.size(); ++at) {
    bool found = false;
    index.for_each_like(names[at], [&](std::uint32_t number) {
      found = found || number == at;
      ++visits;
    });
    CHECK(found);
  }
  CHECK(visits < names.size() + 10);
}
