#include "regex/pattern.h"

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "regex/plain_syntax.h"

namespace sparsecfg::regex {

static Match match(std::string_view pattern, std::string_view subject, Anchoring anchoring = Anchoring::start) {
  CAPTURE(pattern, subject);
  const auto compiled = Pattern::compile(pattern, anchoring);
  if (const auto* error = std::get_if<SyntaxError>(&compiled)) {
    FAIL(error->message);
  }
  return std::get<Pattern>(compiled).match(subject);
}

struct MatchCase {
  std::string_view pattern;
  std::string_view subject;
  bool by_match;
  bool by_fullmatch;
};

static void check(const std::vector<MatchCase>& table) {
  for (const MatchCase& row : table) {
    CAPTURE(row.pattern, row.subject);
    CHECK((match(row.pattern, row.subject) == Match::yes) == row.by_match);
    CHECK((match(row.pattern, row.subject, Anchoring::both) == Match::yes) == row.by_fullmatch);
  }
}

// Calls `visit` with every text of up to so many of these characters.
static void for_each_text(std::string_view characters, std::size_t length, std::string& text, const auto& visit) {
  visit(text);
  if (length == 0) return;
  for (const char c : characters) {
    text.push_back(c);
    for_each_text(characters, length - 1, text, visit);
    text.pop_back();
  }
}

TEST_CASE("a pattern of plain syntax can be compiled") {
  std::string text;
  for_each_text("a0_.\\d*+?^$-", 4, text, [](const std::string& pattern) {
    if (is_plain_syntax(pattern) && !std::holds_alternative<Pattern>(Pattern::compile(pattern, Anchoring::start))) {
      FAIL_CHECK(pattern);
    }
  });
}

TEST_CASE("usual patterns are of plain syntax, what may be refused is not") {
  CHECK(is_plain_syntax("bert.encoder.layer.*.attention.self.query.weight"));
  CHECK(is_plain_syntax(R"(model\.layers\.\d+\.mlp_2.*weight$)"));
  for (const char* pattern : {"*", "a**", "a*+", "(a", "a)", "[a", "a{2}", "\\", "a\\", "\\g", "a$b", "\\$", "\xc3"}) {
    CAPTURE(pattern);
    CHECK_FALSE(is_plain_syntax(pattern));
  }
  CHECK_FALSE(is_plain_syntax(std::string(1001, 'a')));
}

TEST_CASE("match is bound to the start, fullmatch to both ends") {
  check({
      {".*weight", "layer1.conv.weight", true, true},
      {".*weight", "layer1.conv.weight_quant", true, false},
      {"weight", "conv.weight", false, false},
      {R"(layers\.(1|2)\..*)", "layers.2.mlp", true, true},
      {R"(layers\.(1|2)\..*)", "layers.12.mlp", false, false},
      {"a|ab", "ab", true, true},
      {"", "anything", true, false},
  });
}

TEST_CASE("ends of texts and lines mean what Python means") {
  check({
      {"a$", "a\n", true, false},
      {R"(a\Z)", "a\n", false, false},
      {R"(a\Z)", "a", true, true},
      {".*", "a\nb", true, false},
      {"(?s).*", "a\nb", true, true},
      {"(?m)a\n^", "a\n", true, true},
      {"(?m)a$\nb", "a\nb", true, true},
      {R"(\B)", "", false, false},
      {R"(a\B)", "ab", true, false},
  });
}

TEST_CASE("classes are Unicode unless the flag a is set") {
  check({
      {R"(\w+)", "\u00e9\u0661", true, true},
      {R"((?a)\w+)", "\u00e9", false, false},
      {R"((?a:\w)\w)", "a\u00e9", true, true},
      {R"(\s)", "\x1c", true, true},
      {R"([^\S])", "\u2028", true, true},
      {R"((?a)\s)", "\x1c", false, false},
      {R"(\d)", "\u0661", true, true},
      {R"((?a)\b\u00e9)", "\u00e9", false, false},
      {"(?i)K", "\u212a", true, true},
      {"(?ai)K", "\u212a", false, false},
      {"(?ai)[a-k]+", "AbK", true, true},
      {"(?i)[h-j]", "\u0130", true, true},
      {"(?i:a)b", "AB", false, false},
      {"(?i)a(?-i:b)", "Ab", true, true},
  });
}

TEST_CASE("escapes, sets and braces mean what Python means") {
  check({
      {R"(\x41\u0042\U00000043)", "ABC", true, true},
      {R"(\101\0)", std::string_view("A\0", 2), true, true},
      {R"([\b])", "\b", true, true},
      {R"([[:alpha:]])", "a]", true, true},
      {R"([[:alpha:]])", "z", false, false},
      {"[]a]", "]", true, true},
      {"[a-]", "-", true, true},
      {"a{,2}b", "aab", true, true},
      {"a{,}b", "aaab", true, true},
      {"a{x}", "a{x}", true, true},
      {"a{}", "a{}", true, true},
      {"a{1,2}+a", "aa", false, false},
      {"(?x) a b # comment", "ab", true, true},
      {"(?x:a b) c", "ab c", true, true},
      {"a(?#comment)b", "ab", true, true},
  });
}

TEST_CASE("groups, references and conditions") {
  check({
      {"(?P<n>a|b)(?P=n)", "bb", true, true},
      {R"((a|b)\1)", "ab", false, false},
      {"(a)?(?(1)b|c)", "ab", true, true},
      {"(a)?(?(1)b|c)", "c", true, true},
      {"(?P<n>a)?(?(n)b)", "", true, true},
      {"(?>a+)a", "aa", false, false},
      {"(?:a|ab)++c", "abc", false, false},
      {"(?<=a|b)c|ac", "ac", true, true},
      {".(?<=(?:^)*a)b", "ab", true, true},
      {".*(?<!bias)", "fc.weight", true, true},
      {R"((?!\d).*)", "1", false, false},
      {"(?=a)x*a", "a", true, true},
      {"(?=.*weight)(?:a|b)*.*t", "weight", true, true},
      {"(?:(a)){0}b", "b", true, true},
  });
}

TEST_CASE("what Python refuses is refused, and at its place") {
  const std::vector<std::pair<std::string, std::uint32_t>> table = {
      {"a**", 2},
      {"a{2}{3}", 4},
      {"*a", 0},
      {"a|*", 2},
      {"^*", 1},
      {"(*F)", 1},
      {"(a", 0},
      {"ab)", 2},
      {"a[b", 1},
      {"[]", 0},
      {"[z-a]", 1},
      {R"([a-\d])", 1},
      {"a{3,2}", 1},
      {"a\\", 1},
      {R"(a\y)", 1},
      {R"(\h)", 0},
      {R"(\Qa\E)", 0},
      {R"(\x4)", 0},
      {R"(\x{41})", 0},
      {R"(\U00110000)", 0},
      {R"(\400)", 0},
      {R"([\8])", 1},
      {R"(\1)", 0},
      {R"((a\1))", 2},
      {"(?P=n)", 4},
      {"(?P<1>a)", 0},
      {"(?P<n>a)(?P<n>b)", 8},
      {"(?P>n)", 0},
      {"(?R)", 0},
      {"(?1)", 0},
      {"(?<n>a)", 0},
      {"(?|a|b)", 0},
      {"(?(2)a)(b)", 3},
      {"(?(1)a|b|c)(d)", 0},
      {"(?(0)a)", 3},
      {"a(?i)", 1},
      {"(?L)a", 2},
      {"(?au)a", 2},
      {"(?a)(?u)b", 4},
      {"(?i-i:a)", 2},
      {"(?-a:b)", 2},
      {"(?i", 2},
      {"(?#a", 0},
      {"(?<=a*)b", 0},
      {"(?<=a|bc)d", 0},
      {R"((?<=(a)\1)b)", 7},
      {"\xff", 0},
  };
  for (const auto& [pattern, offset] : table) {
    CAPTURE(pattern);
    const auto compiled = Pattern::compile(pattern, Anchoring::start);
    const auto* error = std::get_if<SyntaxError>(&compiled);
    REQUIRE(error != nullptr);
    CHECK(error->offset == offset);
    CHECK_FALSE(error->message.empty());
  }
}

TEST_CASE("messages say what was seen") {
  const std::vector<std::pair<std::string, std::string>> table = {
      {"(a", "missing `)`"},
      {"a)", "unbalanced `)`"},
      {"[a", "unterminated character set"},
      {"[z-a]", "bad character range `z-a`"},
      {"a**", "multiple repeat"},
      {"+", "nothing to repeat"},
      {R"(\q)", R"(bad escape `\q`)"},
      {"(?R)", "unknown extension `(?R`"},
      {"(?<=a+)", "look-behind requires a fixed width"},
      {"a{4294967295}", "the repeat count is too large"},
  };
  for (const auto& [pattern, message] : table) {
    const auto compiled = Pattern::compile(pattern, Anchoring::start);
    REQUIRE(std::holds_alternative<SyntaxError>(compiled));
    CHECK(std::get<SyntaxError>(compiled).message == message);
  }
}

TEST_CASE("repeats above the limit of PCRE2 match as in Python") {
  const auto matches = [](const std::string& pattern, const std::string& name) {
    const auto compiled = Pattern::compile(pattern, Anchoring::start);
    REQUIRE(std::holds_alternative<Pattern>(compiled));
    return std::get<Pattern>(compiled).match(name);
  };
  CHECK(matches("a{0,65536}$", "aaa") == Match::yes);
  CHECK(matches("a{2,4294967294}$", "aaa") == Match::yes);
  CHECK(matches("a{2,4294967294}$", "a") == Match::no);
  CHECK(matches("a{65536}", "aaa") == Match::no);
  CHECK(matches("a{65536,}", "aaa") == Match::no);
}

TEST_CASE("hostile patterns are refused or bounded") {
  const auto refused = [](const std::string& pattern) {
    return std::holds_alternative<SyntaxError>(Pattern::compile(pattern, Anchoring::start));
  };
  CHECK(refused(std::string(20000, 'a')));
  CHECK(refused(std::string(101, '(') + std::string(101, ')')));
  CHECK_FALSE(refused(std::string(100, '(') + std::string(100, ')')));
  CHECK(refused("((a{1000}){1000}){1000}"));
}

TEST_CASE("a match that takes too long is given up, the cheap ones still answered") {
  auto compiled = Pattern::compile("(a|a)*(?:b|c|(?=d))x", Anchoring::start);
  const Pattern pattern = std::get<Pattern>(std::move(compiled));
  const std::string slow = std::string(40, 'a') + "bcx";
  for (int round = 0; round < 200; ++round) {
    REQUIRE(pattern.match(slow) == Match::gave_up);
  }
  CHECK(pattern.match("aabx") == Match::yes);
  CHECK(pattern.match("y") == Match::no);
}

TEST_CASE("the text that a pattern requires is the longest one in every match") {
  CHECK(required_text(".*layer7[.](?:q|k)_proj$") == "layer7.");
  CHECK(required_text("a+bc{2}d") == "bc");
  CHECK(required_text("(?:abc)?de") == "de");
  CHECK(required_text("abc|abd").empty());
  CHECK(required_text("[\\w.]*").empty());
  CHECK(required_text("(?i)conv").empty());
  CHECK(required_text("^x[.]y$") == "x.y");
  CHECK(required_text("(a+)+conv").empty());
  CHECK(required_text("(?=a)conv").empty());
}

TEST_CASE("a pattern answers alike before and after it searches for its text") {
  const auto compiled = Pattern::compile("a(?:b|c)+def[\\ng]", Anchoring::start);
  const auto& pattern = std::get<Pattern>(compiled);
  for (int round = 0; round < 50; ++round) {
    CHECK(pattern.match("abcdefg") == Match::yes);
    CHECK(pattern.match("acdef\n") == Match::yes);
    CHECK(pattern.match("abcdeg") == Match::no);
    CHECK(pattern.match("adefg") == Match::no);
  }
}

TEST_CASE("a subject that is not UTF-8 gets no answer") { CHECK(match(".*", "a\xff") == Match::gave_up); }

}  // namespace sparsecfg::regex
