#include "regex/pattern.h"

#include <catch2/catch.hpp>
#include <random>

namespace sparsecfg::regex {

static std::string text_of(const char* pattern, const char* wild = "a") {
  const auto sample = sample_of(pattern, wild);
  return sample ? sample->text + (sample->open ? "..." : "") : "none";
}

TEST_CASE("a sample of a pattern is written without a search") {
  CHECK(text_of("conv[0-9]+\\.weight") == "conv0.weight...");
  CHECK(text_of("(?:fc|conv)\\d*\\.(weight|bias)$") == "fc.weight");
  CHECK(text_of("^.*layers\\.\\d{2}$", "a.") == "a.layers.00");
  CHECK(text_of("[^.]+\\.weight") == "0.weight...");
  CHECK(text_of("[A-C]x?") == "A...");
}

TEST_CASE("look-around, positions within and what names are not made of have no sample") {
  for (const char* pattern : {"(?!fc).*", "a\\bb", "a^b", "a$b", "[ ]", "a{2000}", "(a", ""}) {
    CAPTURE(pattern);
    CHECK((sample_of(pattern, "a") == std::nullopt || sample_of(pattern, "a")->text.empty()));
  }
}

TEST_CASE("samples of random patterns are matched by Python's re as it is translated") {
  constexpr const char* kPieces[] = {"conv", "1",     "_",    "\\.",    ".", "*", "+", "?",   ".*",    "(",   ")",
                                     "\\d",  "[0-9]", "[^.]", "[a-f_]", "$", "^", "|", "{2}", "{0,3}", "\\w", "\\S"};
  std::mt19937 random(20261122);
  std::size_t found = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    for (std::size_t count = random() % 8 + 1; count > 0; --count) text += kPieces[random() % std::size(kPieces)];
    const auto sample = sample_of(text, round % 2 == 0 ? "a" : "a.");
    if (!sample) continue;
    const auto pattern = Pattern::compile(text, Anchoring::start);
    CAPTURE(text, sample->text);
    REQUIRE(std::holds_alternative<Pattern>(pattern));
    CHECK(std::get<Pattern>(pattern).match(sample->text) == Match::yes);
    if (sample->open) CHECK(std::get<Pattern>(pattern).match(sample->text + "x.y") == Match::yes);
    ++found;
  }
  CHECK(found > 5'000);
}

}  // namespace sparsecfg::regex
