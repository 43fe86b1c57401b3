#include "regex/compare.h"

#include <catch2/catch.hpp>
#include <string_view>
#include <variant>

namespace sparsecfg::regex {

static Nfa language(std::string_view pattern) { return std::get<Nfa>(Nfa::of(pattern, Anchoring::start)); }

static bool disjoint(std::string_view one, std::string_view other) {
  base::Budget budget = comparison_budget();
  const bool found = are_disjoint(language(one), language(other), budget);
  CHECK(are_disjoint(language(other), language(one), budget) == found);
  return found;
}

TEST_CASE("patterns that share no name are told apart without a search") {
  CHECK(disjoint(R"(encoder\.layer\.[0-9]+\.query)", R"(encoder\.layer\.[0-9]+\.key)"));
  CHECK(disjoint(R"(layer\.\d\.)", R"(layer\.[a-z]\.)"));
  CHECK(disjoint("(?i)conv", "fc"));
  CHECK_FALSE(disjoint(".*query", ".*key"));
  CHECK_FALSE(disjoint(R"(layer\.\d+\.)", R"(layer\.7\.)"));
  CHECK_FALSE(disjoint("(?i)conv", "CONV"));
  CHECK_FALSE(disjoint("a|b", "b|c"));
}

TEST_CASE("characters beyond ASCII and positions leave open whether patterns share a name") {
  CHECK_FALSE(disjoint("[é]", "[è]"));
  CHECK_FALSE(disjoint("a$", "ab"));
}

TEST_CASE("a spent budget shows nothing") {
  base::Budget budget = comparison_budget(2);
  CHECK_FALSE(are_disjoint(language("abcd"), language("abce"), budget));
}

}  // namespace sparsecfg::regex
