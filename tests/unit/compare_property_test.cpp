// The comparison of languages against plain trial: random patterns, and the matcher asked about
// every short name.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "regex/compare.h"

using namespace sparsecfg::regex;
using Answer = Comparison::Answer;

namespace {

constexpr std::size_t kLongest = 7;

// All names of up to kLongest characters, the short ones first.
std::vector<std::string> short_names() {
  std::vector<std::string> names = {""};
  for (std::size_t at = 0; names[at].size() < kLongest; ++at) {
    for (const char letter : {'a', 'b', '.', '1'}) {
      names.push_back(names[at] + letter);
    }
  }
  names.erase(names.begin());
  return names;
}

class Author {
 public:
  explicit Author(std::uint32_t seed) : random_(seed) {}

  std::size_t below(std::size_t limit) { return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random_); }

  std::string one_of(const std::vector<std::string>& texts) { return texts[below(texts.size())]; }

  std::string pattern(std::size_t depth) {
    std::string text = sequence(depth);
    while (below(4) == 0) {
      text += '|' + sequence(depth);
    }
    return text;
  }

 private:
  std::string sequence(std::size_t depth) {
    std::string text;
    for (std::size_t items = below(5); items > 0; --items) {
      text += item(depth);
    }
    return text;
  }

  std::string item(std::size_t depth) {
    if (below(10) == 0) {
      return one_of({"^", "$", R"(\A)", R"(\Z)", R"(\b)", R"(\B)", "(?a:\\b)"});
    }
    const std::string repeat = one_of({"", "", "", "", "*", "+", "?", "*?", "??", "{2}", "{1,2}", "{,2}", "{2,}", "{0}"});
    if (depth > 0 && below(3) == 0) {
      return one_of({"(", "(?:", "(?i:", "(?s:"}) + pattern(depth - 1) + ')' + repeat;
    }
    return one_of({"a", "b", "1", R"(\.)", ".", "[ab]", "[^a]", "[.1]", R"(\d)", R"(\w)", R"(\W)", R"([^\W1])", "A"}) + repeat;
  }

  std::mt19937 random_;
};

struct Subject {
  std::string text;
  Anchoring anchoring;
  Pattern pattern;
  Language language;

  [[nodiscard]] Match match(const std::string& name) const { return pattern.match(name); }
};

Subject subject(Author& author) {
  const std::string body = author.pattern(2);
  const std::string text = author.below(3) == 0 ? "(^" + body + "$)" : body;
  const Anchoring anchoring = author.below(2) == 0 ? Anchoring::start : Anchoring::both;
  INFO(text);
  auto pattern = Pattern::compile(text, anchoring);
  auto language = Language::of(text, anchoring);
  REQUIRE(std::holds_alternative<Pattern>(pattern));
  REQUIRE(std::holds_alternative<Language>(language));
  return {text, anchoring, std::get<Pattern>(std::move(pattern)), std::get<Language>(std::move(language))};
}

// The length of the shortest name with these two answers; one more than the longest where no name
// has them.
std::size_t shortest(const std::vector<std::string>& names, const std::vector<Match>& a, Match in_a,
                     const std::vector<Match>& b) {
  for (std::size_t at = 0; at < names.size(); ++at) {
    if (a[at] == in_a && b[at] == Match::yes) {
      return names[at].size();
    }
  }
  return kLongest + 1;
}

std::vector<Match> matches(const Subject& subject, const std::vector<std::string>& names) {
  std::vector<Match> found;
  for (const std::string& name : names) {
    found.push_back(subject.match(name));
  }
  return found;
}

// `found` is the answer that comes with a witness.
void check(const Comparison& comparison, Answer found, std::size_t by_trial, const Subject& a, Match in_a, const Subject& b) {
  CAPTURE(a.text, static_cast<int>(a.anchoring), b.text, static_cast<int>(b.anchoring), comparison.witness, by_trial);
  REQUIRE(comparison.answer != Answer::unknown);
  if (comparison.answer == found) {
    REQUIRE(comparison.witness.size() > 0);
    REQUIRE((comparison.witness.size() <= by_trial || by_trial > kLongest));
    REQUIRE(a.match(comparison.witness) == in_a);
    REQUIRE(b.match(comparison.witness) == Match::yes);
  } else {
    REQUIRE(by_trial > kLongest);
  }
}

std::size_t rounds(std::size_t otherwise) {
  const char* given = std::getenv("SPARSECFG_COMPARE_PAIRS");
  return given == nullptr ? otherwise : std::stoul(given);
}

}  // namespace

TEST_CASE("comparisons agree with trying all short names") {
  const std::vector<std::string> names = short_names();
  REQUIRE(names.size() == 21844);
  Author author(20240229);
  for (std::size_t round = rounds(100); round > 0; --round) {
    const Subject a = subject(author);
    const Subject b = subject(author);
    const std::vector<Match> in_a = matches(a, names);
    const std::vector<Match> in_b = matches(b, names);
    check(meet(a.language, b.language), Answer::yes, shortest(names, in_a, Match::yes, in_b), a, Match::yes, b);
    check(covers(a.language, b.language), Answer::no, shortest(names, in_a, Match::no, in_b), a, Match::no, b);
    check(covers(b.language, a.language), Answer::no, shortest(names, in_b, Match::no, in_a), b, Match::no, a);
  }
}
