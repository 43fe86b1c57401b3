#include "base/edit_distance.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace sparsecfg::base {

TEST_CASE("a guess for a layer has the numbers of the misspelt name") {
  const std::vector<std::string> names{"layer1.conv1", "layer5.conv2", "layer5.conv1", "head"};
  Guesses guesses(names);
  CHECK(guesses.nearest("layr5.conv1") == "layer5.conv1");
  CHECK(guesses.nearest("haed") == "head");
  CHECK(!guesses.nearest("layer6.conv1"));
  CHECK(!guesses.nearest("classifier"));
}

TEST_CASE("a guess for a type has the same number") {
  const std::vector<std::string> types{"Conv2d", "Linear"};
  Guesses guesses(types);
  CHECK(guesses.nearest("Conv2D") == "Conv2d");
  CHECK(!guesses.nearest("Conv1d"));
  CHECK(!Guesses(std::vector<std::string>()).nearest("Conv2D"));
}

TEST_CASE("no more words are guessed when a hundred million letters were compared") {
  const std::vector<std::string> names{std::string(1'000'000, 'a'), "head"};
  Guesses guesses(names);
  for (int guess = 0; guess < 24; ++guess) CHECK(guesses.nearest("haed") == "head");
  CHECK(!guesses.nearest("haed"));
}

TEST_CASE("a word too long to be misspelt leaves the letters to the others") {
  const std::vector<std::string> names{std::string(999'000, 'a'), "head"};
  Guesses guesses(names);
  CHECK(!guesses.nearest(std::string(kMaxWordLength, 'a')));
  CHECK(!guesses.nearest("haed"));
  Guesses others(names);
  CHECK(!others.nearest(std::string(kMaxWordLength + 1, 'a')));
  CHECK(others.nearest("haed") == "head");
}

}  // namespace sparsecfg::base
