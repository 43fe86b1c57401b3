// What the graph of names takes against plain matching, one name after the other.
#include <algorithm>
#include <catch2/catch.hpp>
#include <optional>
#include <string>
#include <vector>

#include "ir/matching.h"
#include "model/model_names.h"
#include "random_pattern.h"
#include "regex/pattern.h"

namespace sparsecfg::model {

using regex::Author;
using regex::Match;
using regex::Pattern;

static std::vector<bool> matched(const ModelNames& names, const Term& term) {
  return matched_names({{term}, Selector::Over::parameters}, names);
}

static std::vector<bool> by_pattern(const ModelNames& names, const std::string& pattern) {
  return matched(names, {Term::Kind::pattern, pattern, {}});
}

// Nothing where the pattern is too large for the matcher, or takes it too long, which proves nothing.
static std::optional<std::vector<bool>> one_by_one(const ModelNames& names, const std::string& text) {
  const auto compiled = Pattern::compile(text, regex::Anchoring::start);
  const auto* pattern = std::get_if<Pattern>(&compiled);
  std::vector<bool> out;
  for (const std::string& name : pattern == nullptr ? std::vector<std::string>() : names.list()) {
    const std::string other = unwrapped_name(name);
    const Match own = pattern->match(name);
    const Match others = other.empty() ? Match::no : pattern->match(other);
    if (own == Match::gave_up || others == Match::gave_up) {
      return std::nullopt;
    }
    out.push_back(own == Match::yes || others == Match::yes);
  }
  return pattern == nullptr ? std::nullopt : std::optional(out);
}

// Names of a few parts, of which some come again and again.
static std::vector<std::string> random_names(Author& author, std::size_t count) {
  const std::vector<std::string> parts = {"a",      "b",      "ab", "1", "11",     "weight",
                                          "layers", "module", "",   "A", "\u00e9", "a\nb"};
  std::vector<std::string> names;
  while (names.size() < count) {
    std::string name = author.one_of(parts);
    for (std::size_t more = author.below(5); more > 0; --more) {
      name += "." + author.one_of(parts);
    }
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  if (author.below(2) == 0) std::ranges::sort(names);
  return names;
}

// How many of the patterns could be compared.
static std::uint32_t compare(const regex::Vocabulary& words, std::uint32_t seeds) {
  std::uint32_t compared = 0;
  for (std::uint32_t seed = 0; seed < seeds; ++seed) {
    Author author(seed, words);
    const ModelNames names(random_names(author, 1 + author.below(40)));
    const std::string pattern = author.pattern(2);
    CAPTURE(seed, pattern, names.list());
    if (const auto wanted = one_by_one(names, pattern)) {
      REQUIRE(by_pattern(names, pattern) == *wanted);
      ++compared;
    }
  }
  return compared;
}

TEST_CASE("a graph of names takes what matching them one by one takes") {
  CHECK(compare(regex::kShort, 1000) > 950);
  CHECK(compare(regex::kNasty, 150) > 100);
}

TEST_CASE("patterns that are not regular are matched one by one") {
  const ModelNames names({"a.weight", "a.bias", "", "b.weight", "b.b.weight"});
  CHECK(by_pattern(names, R"(.*(?<!bias)$)") == std::vector<bool>{true, false, true, true, true});
  CHECK(by_pattern(names, R"((\w)\.\1)") == std::vector<bool>{false, false, false, false, true});
  CHECK(by_pattern(names, "(") == std::vector<bool>(5, false));
  CHECK(by_pattern(names, "") == std::vector<bool>(5, true));
}

TEST_CASE("the patterns of one recipe share their work, and those of another have their own") {
  const ModelNames all(std::vector<std::string>{"conv.weight", std::string(60, 'a')});
  const auto is_certain = [](const ModelNames& names, const std::string& text) {
    return names.matched({Term::Kind::pattern, text, {}}).certain;
  };
  const ModelNames one = all.limited_by(std::make_shared<WorkLimit>());
  CHECK(is_certain(one, "conv.*"));
  for (const char end : {'b', 'c', 'd'}) {
    CHECK_FALSE(is_certain(one, "(?=a)(a+)+" + std::string(1, end)));
  }
  CHECK(is_certain(one, "conv.*"));
  CHECK_FALSE(is_certain(one, "con.*"));
  const ModelNames others = ModelNames(std::vector<std::string>{"fc.weight"}).limited_by(one.limit());
  CHECK_FALSE(is_certain(others, "co.*"));
  CHECK(is_certain(all.limited_by(std::make_shared<WorkLimit>()), "con.*"));
  CHECK(is_certain(all, "con.*"));
}

TEST_CASE("names are found by all their names, and their ends by their shapes") {
  const ModelNames names(model::Parameters{{"fc.module.weight", "fc.bias", "norm.weight", "x.module.y.weight"},
                                           {model::Shape{2, 3}, model::Shape{2}, model::Shape{2}, std::nullopt}});
  const auto exact = [&](const char* name) { return matched(names, {Term::Kind::exact, name, {}}); };
  CHECK(exact("fc.weight") == std::vector<bool>{true, false, false, false});
  CHECK(exact("fc.module.weight") == std::vector<bool>{true, false, false, false});
  CHECK(exact("x.y.weight") == std::vector<bool>{false, false, false, false});
  CHECK(by_pattern(names, "fc.weight") == std::vector<bool>{true, false, false, false});
  CHECK(matched(names, {Term::Kind::all_prunable, "__ALL_PRUNABLE__", {}}) ==
        std::vector<bool>{true, false, false, true});
  CHECK(matched(names, {Term::Kind::part, "fc.bias, norm.weight", {}}) == std::vector<bool>{false, true, true, false});
  CHECK(names.knows("fc.weight"));
  CHECK(*names.shape(0) == model::Shape{2, 3});
  CHECK(names.shape(3) == nullptr);
}

TEST_CASE("a name of many dots and names in each other's beginning") {
  std::string deep;
  for (int dots = 0; dots < 100'000; ++dots) deep += "a.";
  const ModelNames names({deep, "a", "a.", "a.a", deep + "b", "a.b"});
  CHECK(by_pattern(names, R"((a\.)*b$)") == std::vector<bool>{false, false, false, false, true, true});
  CHECK(by_pattern(names, "a$") == std::vector<bool>{false, true, false, false, false, false});
  CHECK(by_pattern(names, R"(a\.)") == std::vector<bool>{true, false, true, true, true, true});
}

TEST_CASE("patterns that can backtrack without bound are distinguished from those that can't") {
  for (const char* pattern :
       {"(a+)+$", "(a|aa)+$", "(?:a*b?)*c", "(.*)*x", ".*a.*b.*c.*d.*e.*f", "(?=a)b", R"((a)\1)"}) {
    CAPTURE(pattern);
    CHECK(regex::may_backtrack(pattern));
  }
  for (const char* pattern :
       {".*weight", R"(.*layers\.\d+\.mlp.*(gate|up)_proj\.weight$)", "(a|b)c", "(ab)+", "a{3}", "[ab]*c"}) {
    CAPTURE(pattern);
    CHECK_FALSE(regex::may_backtrack(pattern));
  }
}

}  // namespace sparsecfg::model
