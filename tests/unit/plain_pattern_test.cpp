#include "model/pattern_text.h"

#include <catch2/catch.hpp>
#include <iterator>
#include <random>

#include "regex/pattern.h"

namespace sparsecfg::model {

TEST_CASE("a plain pattern has a name that it matches") {
  CHECK(PlainPattern("conv1.weight").sample(".weight") == "conv1.weight");
  CHECK(PlainPattern(".*conv1\\.weight$").sample(".weight") == "aconv1.weight");
  CHECK(PlainPattern("^layer[0-9]+.conv\\d.*").sample(".weight") == "layer0.conv0.weight");
  CHECK(PlainPattern("layer.+").sample("a") == "layera");
}

TEST_CASE("patterns with quantifiers, alternatives or groups are not plain") {
  for (const char* pattern :
       {"conv*", "fc|conv", "(fc).weight", "fc{2}", "\\.*weight", "[a-z]+", "fc$weight", "a\\$"}) {
    CAPTURE(pattern);
    CHECK(PlainPattern(pattern).sample(".weight").empty());
    CHECK_FALSE(PlainPattern(pattern).asks_for_something());
  }
}

TEST_CASE("wildcards alone ask for nothing") {
  CHECK_FALSE(PlainPattern(".*").asks_for_something());
  CHECK_FALSE(PlainPattern(".*.*$").asks_for_something());
  CHECK(PlainPattern(".*weight").asks_for_something());
  CHECK(PlainPattern(".*\\.").asks_for_something());
}

TEST_CASE("samples of random patterns are matched by Python's re") {
  constexpr const char* kPieces[] = {"conv", "1",  "_",   "\\.",   ".", "*", "+", "?",
                                     ".*",   ".+", "\\d", "[0-9]", "$", "^", "|", "{2}"};
  std::mt19937 random(20261122);
  std::size_t plain = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    for (std::size_t left = random() % 6; left > 0; --left) text += kPieces[random() % std::size(kPieces)];
    const std::string sample = PlainPattern(text).sample("a");
    const auto compiled = regex::Pattern::compile(text, regex::Anchoring::start);
    const auto* pattern = std::get_if<regex::Pattern>(&compiled);
    if (sample.empty() || pattern == nullptr) continue;
    ++plain;
    CAPTURE(text, sample);
    CHECK(pattern->match(sample) == regex::Match::yes);
  }
  CHECK(plain > 1000);
}

}  // namespace sparsecfg::model
