// The comparison of languages against plain trial: random patterns, and the matcher asked about
// every short name.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <string>
#include <vector>

#include "../unit/random_pattern.h"
#include "regex/compare.h"

using namespace sparsecfg::regex;
using Answer = Comparison::Answer;

namespace {

constexpr std::size_t kMaxLength = 7;

// All names of up to kLongest characters, the short ones first.
std::vector<std::string> short_names() {
  std::vector<std::string> names = {""};
  for (std::size_t at = 0; names[at].size() < kMaxLength; ++at) {
    for (const char letter : {'a', 'b', '.', '1'}) {
      names.push_back(names[at] + letter);
    }
  }
  names.erase(names.begin());
  return names;
}

struct Subject {
  std::string text;
  Anchoring anchoring;
  Pattern pattern;
  Nfa language;

  [[nodiscard]] Match match(const std::string& name) const { return pattern.match(name); }
};

Subject subject(Author& author) {
  const std::string body = author.pattern(2);
  const std::string text = author.below(3) == 0 ? "(^" + body + "$)" : body;
  const Anchoring anchoring = author.below(2) == 0 ? Anchoring::start : Anchoring::both;
  INFO(text);
  auto pattern = Pattern::compile(text, anchoring);
  auto language = Nfa::of(text, anchoring);
  REQUIRE(std::holds_alternative<Pattern>(pattern));
  REQUIRE(std::holds_alternative<Nfa>(language));
  return {text, anchoring, std::get<Pattern>(std::move(pattern)), std::get<Nfa>(std::move(language))};
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
  return kMaxLength + 1;
}

std::vector<Match> matches(const Subject& subject, const std::vector<std::string>& names) {
  std::vector<Match> found;
  for (const std::string& name : names) {
    found.push_back(subject.match(name));
  }
  return found;
}

// Whether there is an answer that the matcher can judge, which then has to be right; `found` is the
// one with a witness.
bool check(const Comparison& comparison, Answer found, std::size_t by_trial, const Subject& a, Match in_a,
           const Subject& b) {
  CAPTURE(a.text, static_cast<int>(a.anchoring), b.text, static_cast<int>(b.anchoring), comparison.witness, by_trial);
  if (comparison.answer == found) {
    REQUIRE(comparison.witness.size() > 0);
    REQUIRE((comparison.witness.size() <= by_trial || by_trial > kMaxLength));
    const Match match_a = a.match(comparison.witness);
    const Match match_b = b.match(comparison.witness);
    if (match_a == Match::gave_up || match_b == Match::gave_up) {
      return false;
    }
    REQUIRE(match_a == in_a);
    REQUIRE(match_b == Match::yes);
  } else if (comparison.answer != Answer::unknown) {
    REQUIRE(by_trial > kMaxLength);
  }
  return comparison.answer != Answer::unknown;
}

// Whether the matcher says so; it refuses some patterns as too large and gives up on others.
bool answers(std::string_view pattern, Anchoring anchoring, std::string_view name, Match match) {
  const auto compiled = Pattern::compile(pattern, anchoring);
  const auto* matcher = std::get_if<Pattern>(&compiled);
  return matcher != nullptr && matcher->match(name) == match;
}

std::size_t rounds(std::size_t otherwise) {
  const char* given = std::getenv("SPARSECFG_COMPARE_PAIRS");
  return given == nullptr ? otherwise : std::stoul(given);
}

// With a budget for this comparison alone.
Comparison compare(Comparison (*how)(const Nfa&, const Nfa&, sparsecfg::base::Budget&), const Subject& a,
                   const Subject& b) {
  sparsecfg::base::Budget budget = comparison_budget();
  return how(a.language, b.language, budget);
}

}  // namespace

TEST_CASE("comparisons agree with trying all short names") {
  const std::vector<std::string> names = short_names();
  REQUIRE(names.size() == 21844);
  Author author(20240229, kShort);
  std::size_t unknown = 0;
  for (std::size_t left = rounds(100); left > 0;) {
    const Subject a = subject(author);
    const Subject b = subject(author);
    const std::vector<Match> in_a = matches(a, names);
    const std::vector<Match> in_b = matches(b, names);
    if (std::ranges::count(in_a, Match::gave_up) + std::ranges::count(in_b, Match::gave_up) > 0) {
      continue;  // the matcher needs too many steps for one of them, so that another pair is tried
    }
    --left;
    const std::size_t common = shortest(names, in_a, Match::yes, in_b);
    const std::size_t only_b = shortest(names, in_a, Match::no, in_b);
    const std::size_t only_a = shortest(names, in_b, Match::no, in_a);
    unknown += check(compare(intersects, a, b), Answer::yes, common, a, Match::yes, b) ? 0 : 1;
    unknown += check(compare(contains, a, b), Answer::no, only_b, a, Match::no, b) ? 0 : 1;
    unknown += check(compare(contains, b, a), Answer::no, only_a, b, Match::no, a) ? 0 : 1;
  }
  // A few random patterns are nasty by chance.
  INFO(unknown << " without an answer");
  CHECK(unknown <= 1 + rounds(100) / 100);
}

TEST_CASE("nasty patterns end within the budget, and what is answered is right") {
  Author author(7, kNasty);
  std::size_t answered = 0;
  for (std::size_t round = rounds(100); round > 0; --round) {
    const std::string texts[] = {author.pattern(3), author.pattern(3)};
    const auto a = Nfa::of(texts[0], Anchoring::start);
    const auto b = Nfa::of(texts[1], Anchoring::both);
    if (std::holds_alternative<Unsupported>(a) || std::holds_alternative<Unsupported>(b)) {
      continue;
    }
    sparsecfg::base::Budget budget = comparison_budget();
    const Comparison covered = contains(std::get<Nfa>(a), std::get<Nfa>(b), budget);
    CAPTURE(texts[0], texts[1], covered.witness);
    if (covered.answer == Answer::no) {
      CHECK_FALSE(answers(texts[0], Anchoring::start, covered.witness, Match::yes));
      CHECK_FALSE(answers(texts[1], Anchoring::both, covered.witness, Match::no));
    }
    CHECK((covered.answer != Answer::unknown || budget.exceeded() != sparsecfg::base::Budget::Limit::none));
    answered += covered.answer == Answer::unknown ? 0 : 1;
  }
  CHECK(answered > 0);
}
