#include "regex/compare.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace sparsecfg::regex {

using Answer = Comparison::Answer;

// How a puzzle's pattern is meant: as the frameworks hand it to Python.
enum class By : std::uint8_t { match, fullmatch, wrapped, name };

struct Selector {
  std::string_view text;
  By by = By::match;
};

static std::string python(const Selector& selector) {
  return selector.by == By::wrapped ? "(^" + std::string(selector.text) + "$)" : std::string(selector.text);
}

static Anchoring anchoring(const Selector& selector) {
  return selector.by == By::fullmatch ? Anchoring::both : Anchoring::start;
}

static Nfa language(const Selector& selector) {
  CAPTURE(selector.text);
  auto found = selector.by == By::name ? Nfa::of_name(selector.text) : Nfa::of(python(selector), anchoring(selector));
  if (const auto* unsupported = std::get_if<Unsupported>(&found)) {
    FAIL(unsupported->reason);
  }
  return std::get<Nfa>(std::move(found));
}

// With a budget for this comparison alone.
static Comparison intersects(const Nfa& a, const Nfa& b) {
  base::Budget budget = comparison_budget();
  return intersects(a, b, budget);
}

static Comparison contains(const Nfa& a, const Nfa& b) {
  base::Budget budget = comparison_budget();
  return contains(a, b, budget);
}

// By the matcher, which knows nothing of automata.
static bool matches(const Selector& selector, std::string_view name) {
  if (selector.by == By::name) {
    return selector.text == name;
  }
  const auto compiled = Pattern::compile(python(selector), anchoring(selector));
  return std::get<Pattern>(compiled).match(name) == Match::yes;
}

struct Puzzle {
  Selector a;
  Selector b;
  Answer meeting;
  std::string_view common;
  Answer covering;
  std::string_view missing;  // what only b takes
};

static void check(const std::vector<Puzzle>& puzzles) {
  for (const auto& [a, b, meeting, common, covering, missing] : puzzles) {
    CAPTURE(a.text, b.text);
    const Comparison met = intersects(language(a), language(b));
    CHECK((met == Comparison{meeting, std::string(common)}));
    CHECK(met.witness == common);
    CHECK((meeting != Answer::yes || (matches(a, common) && matches(b, common))));
    const Comparison covered = contains(language(a), language(b));
    CHECK((covered == Comparison{covering, std::string(missing)}));
    CHECK(covered.witness == missing);
    CHECK((covering != Answer::no || (!matches(a, missing) && matches(b, missing))));
  }
}

// How a line of the puzzles says that a selector is read.
static By read_by(std::string_view word) {
  CAPTURE(word);
  const std::pair<std::string_view, By> words[] = {{"name", By::name},
                                                   {"sparseml", By::match},
                                                   {"nni", By::match},
                                                   {"distiller", By::wrapped},
                                                   {"fullmatch", By::fullmatch}};
  const auto found = std::ranges::find(words, word, &std::pair<std::string_view, By>::first);
  REQUIRE(found != std::end(words));
  return found->second;
}

static std::vector<std::string> columns_of(const std::string& line) {
  std::vector<std::string> columns(1);
  for (const char byte : line) {
    if (byte == '\t') {
      columns.emplace_back();
    } else {
      columns.back() += byte;
    }
  }
  return columns;
}

TEST_CASE("the puzzles of the collection are decided, each with its witness") {
  std::ifstream file(SPARSECFG_TESTDATA "/puzzles/selectors.tsv");
  const auto name = [](const std::string& column) {
    return column == "-" ? std::string_view() : std::string_view(column);
  };
  std::size_t count = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.starts_with('#')) {
      continue;
    }
    CAPTURE(line);
    const std::vector<std::string> at = columns_of(line);
    REQUIRE(at.size() == 8);
    check({{{at[1], read_by(at[0])},
            {at[3], read_by(at[2])},
            at[4] == "yes" ? Answer::yes : Answer::no,
            name(at[5]),
            at[6] == "yes" ? Answer::yes : Answer::no,
            name(at[7])}});
    ++count;
  }
  CHECK(count > 50);
}

static std::vector<Selector> selectors_of(const std::string& column, By by) {
  std::vector<Selector> selectors;
  for (std::size_t at = 0; at < column.size();) {
    const std::size_t end = std::min(column.find(' ', at), column.size());
    selectors.push_back({std::string_view(column).substr(at, end - at), by});
    at = end + 1;
  }
  return selectors;
}

static Nfa union_of(const std::vector<Selector>& selectors) {
  std::vector<Nfa> languages;
  std::ranges::transform(selectors, std::back_inserter(languages), language);
  auto found = Nfa::either(languages);
  REQUIRE(std::holds_alternative<Nfa>(found));
  return std::get<Nfa>(std::move(found));
}

static bool any_matches(const std::vector<Selector>& selectors, std::string_view name) {
  return std::ranges::any_of(selectors, [&](const Selector& selector) { return matches(selector, name); });
}

TEST_CASE("several selectors are compared with one, each puzzle with its witness") {
  std::ifstream file(SPARSECFG_TESTDATA "/puzzles/unions.tsv");
  std::size_t count = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.starts_with('#')) {
      continue;
    }
    CAPTURE(line);
    const std::vector<std::string> at = columns_of(line);
    REQUIRE(at.size() == 6);
    const std::vector<Selector> first = selectors_of(at[2], read_by(at[1]));
    const Selector other{at[3], read_by(at[1])};
    const std::string left = at[5] == "-" ? "" : at[5];
    const Comparison covered = contains(union_of(first), language(other));
    CHECK(covered.answer == (at[4] == "yes" || at[4] == "all" ? Answer::yes : Answer::no));
    if (at[4] == "nothing") {
      CHECK(intersects(union_of(first), language(other)).answer == Answer::no);
    } else {
      CHECK(covered.witness == left);
      CHECK((left.empty() || (matches(other, left) && !any_matches(first, left))));
    }
    if (at[4] == "some") {
      CHECK(intersects(union_of(first), language(other)).answer == Answer::yes);
    }
    ++count;
  }
  CHECK(count >= 24);
}

TEST_CASE("names and patterns") {
  const Selector conv{"layer1.conv.weight", By::name};
  check({
      {conv, conv, Answer::yes, "layer1.conv.weight", Answer::yes, ""},
      {{".*weight"}, conv, Answer::yes, "layer1.conv.weight", Answer::yes, ""},
      {conv, {"layer1.conv.weight"}, Answer::yes, "layer1.conv.weight", Answer::no, "layer1.convaweight"},
      {{R"(layer\d+\.conv)"}, conv, Answer::yes, "layer1.conv.weight", Answer::yes, ""},
      {{R"(layer\d+\.conv)", By::fullmatch}, conv, Answer::no, "", Answer::no, "layer1.conv.weight"},
      {{"conv", By::name}, {"fc", By::name}, Answer::no, "", Answer::no, "fc"},
      {{".*"}, {"", By::name}, Answer::no, "", Answer::yes, ""},
  });
}

TEST_CASE("anchors hold for the alternative in which they stand") {
  check({
      {{"a\nb"}, {"a"}, Answer::no, "", Answer::no, "a"},
  });
}

TEST_CASE("sets and flags") {
  check({
      {{R"([a-f]\d)", By::fullmatch}, {"[e-z]1", By::fullmatch}, Answer::yes, "e1", Answer::no, "g1"},
      {{"[^a]", By::fullmatch}, {"[ab]", By::fullmatch}, Answer::yes, "b", Answer::no, "a"},
      {{R"(\w)", By::fullmatch}, {".", By::fullmatch}, Answer::yes, "a", Answer::no, "."},
      {{"(?i)conv"}, {"CONV"}, Answer::yes, "CONV", Answer::yes, ""},
      {{"conv"}, {"(?i:c)onv"}, Answer::yes, "conv", Answer::no, "Conv"},
      {{"(?x) a b  # both"}, {"ab"}, Answer::yes, "ab", Answer::yes, ""},
      {{"(?s)a.b"}, {"a.b"}, Answer::yes, "a.b", Answer::yes, ""},
      {{"(?m)a$"}, {"a$"}, Answer::yes, "a", Answer::yes, ""},
      {{R"((?a)\d)", By::fullmatch}, {R"(\d)", By::fullmatch}, Answer::yes, "0", Answer::no, "\u0663"},
      {{R"([0-9\u0660-\u0669])", By::fullmatch}, {R"((?a)\d)", By::fullmatch}, Answer::yes, "0", Answer::yes, ""},
      {{"(?i)k", By::fullmatch}, {"\u212a", By::name}, Answer::yes, "\u212a", Answer::yes, ""},
      {{"(?ai)k", By::fullmatch}, {"\u212a", By::name}, Answer::no, "", Answer::no, "\u212a"},
      {{R"(\w)"}, {"\u00e9", By::name}, Answer::yes, "\u00e9", Answer::yes, ""},
      {{R"(\w)"}, {"\u00d7", By::name}, Answer::no, "", Answer::no, "\u00d7"},
      {{"(?P<n>a)(?#comment)b"}, {"ab"}, Answer::yes, "ab", Answer::yes, ""},
  });
}

TEST_CASE("word boundaries") {
  check({
      {{R"(a\b)"}, {R"((?a)a\b)"}, Answer::yes, "a", Answer::no, "a\u00e9"},
  });
}

TEST_CASE("a witness has no character that another could stand for") {
  check({
      {{R"([\x00-\x1fz])"}, {""}, Answer::yes, "z", Answer::no, "a"},
      {{R"([\x01-\x1f]|zzz)"}, {""}, Answer::yes, "zzz", Answer::no, "z"},
      {{R"(\W)"}, {""}, Answer::yes, ".", Answer::no, "a"},
      {{R"(\x01)"}, {""}, Answer::yes, "\x01", Answer::no, "a"},
      {{"layers.[0-9]"}, {R"(layers\.1)"}, Answer::yes, "layers.1", Answer::yes, ""},
  });
}

TEST_CASE("what is not regular or too large has no language") {
  const std::vector<std::pair<std::string, std::string>> table = {
      {"(?!bias).*", "it contains look-around"},
      {".*(?<!bias)", "it contains look-around"},
      {"(?=a)", "it contains look-around"},
      {R"((a|b)\1)", "it references a group"},
      {"(?P<n>a)(?P=n)", "it references a group"},
      {"(a)?(?(1)b|c)", "it contains a condition on a group"},
      {"(?>a+)b", "it contains an atomic group"},
      {"a++b", "it contains a possessive repeat"},
      {"(?i)\u00e9", "it ignores case for non-ASCII characters"},
      {"(a", "missing `)`"},
      {"a{5000}", "its automaton is too large"},
      {"((a{1,100}){1,100}){1,100}", "its automaton is too large"},
  };
  for (const auto& [pattern, reason] : table) {
    CAPTURE(pattern);
    const auto found = Nfa::of(pattern, Anchoring::start);
    REQUIRE(std::holds_alternative<Unsupported>(found));
    CHECK(std::get<Unsupported>(found).reason == reason);
  }
  CHECK(std::holds_alternative<Unsupported>(Nfa::of_name("a\xff")));
  CHECK(std::holds_alternative<Nfa>(Nfa::of("((((){65535}){65535}){65535}){65535}", Anchoring::start)));
}

TEST_CASE("what takes too long or hangs on an unknown character is not answered") {
  // Which of the last thirty letters were an a takes a billion subsets to remember.
  const Nfa thirtieth = language({"(?:a|b)*a(?:a|b){30}", By::fullmatch});
  const Nfa other = language({"(?:a|b)*b(?:a|b){29}", By::fullmatch});
  CHECK(contains(thirtieth, other) == Comparison{});
  // Whether one of these thousands of characters is a digit is not known.
  CHECK(intersects(language({R"(\d)"}), language({R"([\u4e00-\u9fff])"})) == Comparison{});
}

TEST_CASE("the parts of a text") {
  const Nfa parts = std::get<Nfa>(Nfa::of_parts("conv.fc"));
  CHECK((intersects(parts, language({"f"})) == Comparison{Answer::yes, "f"}));
  CHECK((intersects(parts, language({"cf"})) == Comparison{Answer::no, {}}));
  CHECK((contains(parts, language({R"(onv\.?$)"})) == Comparison{Answer::yes, {}}));
  CHECK((contains(language({".{1,6}", By::fullmatch}), parts) == Comparison{Answer::no, "conv.fc"}));
  CHECK(std::holds_alternative<Unsupported>(Nfa::of_parts("a\xff")));
}

TEST_CASE("any of some languages") {
  const auto joined = Nfa::either({language({"conv$"}), language({"fc", By::name}), language({"layer"})});
  const Nfa any = std::get<Nfa>(joined);
  CHECK((contains(any, language({"conv|fc", By::fullmatch})) == Comparison{Answer::yes, {}}));
  CHECK((contains(any, language({"fc"})) == Comparison{Answer::no, "fca"}));
  CHECK((intersects(any, language({"[l-z]"})) == Comparison{Answer::yes, "layer"}));
  const Nfa none = Nfa::nothing();
  CHECK((intersects(none, Nfa::everything()) == Comparison{Answer::no, {}}));
  CHECK((contains(none, std::get<Nfa>(Nfa::either({}))) == Comparison{Answer::yes, {}}));
  CHECK((contains(any, none) == Comparison{Answer::yes, {}}));
  CHECK((contains(Nfa::everything(), any) == Comparison{Answer::yes, {}}));
}

}  // namespace sparsecfg::regex
