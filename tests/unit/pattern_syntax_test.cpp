#include <catch2/catch.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "regex/pattern.h"

namespace sparsecfg::regex {

using namespace std::string_view_literals;

// The texts that a pattern matches as a whole, those of which it matches only the start, and those that it does not
// match. Python's `re` gave the answers.
struct Answers {
  std::string_view pattern;
  std::vector<std::string_view> whole;
  std::vector<std::string_view> start;
  std::vector<std::string_view> neither;
};

static bool matches(std::string_view pattern, std::string_view text, Anchoring anchoring) {
  CAPTURE(pattern, text);
  const auto compiled = Pattern::compile(pattern, anchoring);
  if (const auto* error = std::get_if<SyntaxError>(&compiled)) FAIL(error->message);
  return std::get<Pattern>(compiled).match(text) == Match::yes;
}

static void check_texts(std::string_view pattern, const std::vector<std::string_view>& texts, bool start, bool whole) {
  for (const std::string_view text : texts) {
    CAPTURE(pattern, text);
    CHECK(matches(pattern, text, Anchoring::start) == start);
    CHECK(matches(pattern, text, Anchoring::both) == whole);
  }
}

TEST_CASE("each part of the syntax means what Python means") {
  const std::vector<Answers> table = {
      {".(?<=a)b"sv, {"ab"sv}, {}, {"bb"sv, "b"sv}},
      {"..(?<=ab)"sv, {"ab"sv}, {}, {"bb"sv}},
      {"..(?<=(?<=a)b)"sv, {"ab"sv}, {}, {"bb"sv}},
      {"..(?<!ab)"sv, {"ba"sv}, {}, {"ab"sv}},
      {".(?<=(?=b)b|a)c"sv, {"ac"sv, "bc"sv}, {}, {"cc"sv}},
      {"a(?=b)."sv, {"ab"sv}, {}, {"ac"sv}},
      {"a(?!b)."sv, {"ac"sv}, {}, {"ab"sv, "a"sv}},
      {"(?=a)+?b"sv, {}, {}, {"b"sv, "ab"sv, "a"sv}},
      {"(?:(?=a))+?b"sv, {}, {}, {"b"sv, "ab"sv}},
      {"(?:(?=a))*?b"sv, {"b"sv}, {}, {"ab"sv}},
      {"(?:(?=a))?b"sv, {"b"sv}, {}, {}},
      {"(?:(?=a)){2}a"sv, {"a"sv}, {}, {"b"sv}},
      {"(?:(?=a))*+a"sv, {"a"sv}, {}, {"b"sv}},
      {"(?:(?=(a)))??\\1a"sv, {"aa"sv}, {}, {"a"sv}},
      {"(?:(?=(a)))?\\1"sv, {"a"sv}, {"aa"sv}, {"b"sv}},
      {"(?:(?=(a)))?+\\1"sv, {"a"sv}, {}, {"b"sv}},
      {".(?<=a{1})b"sv, {"ab"sv}, {}, {}},
      {".(?<=(?:a|b))c"sv, {"ac"sv, "bc"sv}, {}, {"cc"sv}},
      {"(a).(?<=\\1)"sv, {"aa"sv}, {}, {"ab"sv}},
      {"(a)..(?<=b\\1)"sv, {"aba"sv}, {}, {"abb"sv, "aaa"sv}},
      {"(ab)...(?<=\\1c)"sv, {"ababc"sv}, {}, {"abcab"sv}},
      {"..(?<=a(?=b).)"sv, {"ab"sv}, {}, {"ac"sv}},
      {".(?<=\\w)-"sv, {"a-"sv}, {}, {"--"sv}},
      {".(?<=[ab])-"sv, {"a-"sv}, {}, {"c-"sv}},
      {"...(?<=a\\d{2})"sv, {"a12"sv}, {}, {"b12"sv}},
      {".(?<=(?i:a))b"sv, {"Ab"sv, "ab"sv}, {}, {"AB"sv}},
      {".(?<=^a)b"sv, {"ab"sv}, {}, {}},
      {"..(?<=^b)"sv, {}, {}, {"ab"sv}},
      {"..(?<=(?:a){0}b)c"sv, {"abc"sv, "bbc"sv}, {}, {}},
      {"a{2}"sv, {"aa"sv}, {"aaa"sv}, {"a"sv}},
      {"a{2,}"sv, {"aa"sv, "aaaa"sv}, {}, {"a"sv}},
      {"a{1,2}"sv, {"a"sv, "aa"sv}, {"aaa"sv}, {""sv}},
      {"a{,2}"sv, {""sv, "aa"sv}, {"aaa"sv}, {}},
      {"a{0}b"sv, {"b"sv}, {}, {"ab"sv}},
      {"(?:a){0}b"sv, {"b"sv}, {}, {"ab"sv}},
      {"(a){0}(b)\\2"sv, {"bb"sv}, {}, {"b"sv, "abb"sv}},
      {"(a){0}b(?(1)c|d)"sv, {"bd"sv}, {}, {"bc"sv}},
      {"a{2}?"sv, {"aa"sv}, {"aaa"sv}, {}},
      {"a{1,3}?b"sv, {"ab"sv, "aaab"sv}, {}, {"aaaab"sv}},
      {"a*?b"sv, {"b"sv, "aab"sv}, {}, {}},
      {"a+?"sv, {"a"sv, "aa"sv}, {}, {}},
      {"a??b"sv, {"b"sv, "ab"sv}, {}, {}},
      {"a?+a"sv, {"aa"sv}, {}, {"a"sv}},
      {"a*+a"sv, {}, {}, {"aaa"sv}},
      {"a++b"sv, {"aab"sv}, {}, {}},
      {"(ab)?+ab"sv, {"abab"sv}, {}, {"ab"sv}},
      {"(?:ab|a)*+b"sv, {"abb"sv}, {}, {"ab"sv, "aab"sv}},
      {"(a|ab){2}+c"sv, {"aac"sv}, {}, {"aabc"sv, "abac"sv, "ababc"sv}},
      {"[ab]{1,2}+b"sv, {"abb"sv}, {}, {"ab"sv}},
      {"a{,}"sv, {""sv, "aa"sv}, {}, {}},
      {"a{1"sv, {"a{1"sv}, {}, {}},
      {"a{1,x}"sv, {"a{1,x}"sv}, {}, {}},
      {"{"sv, {"{"sv}, {}, {}},
      {"a{2}{"sv, {"aa{"sv}, {}, {}},
      {"x{0,0}y"sv, {"y"sv}, {}, {"xy"sv}},
      {"(?:){3}a"sv, {"a"sv}, {}, {}},
      {"(?:)*a"sv, {"a"sv}, {}, {}},
      {"()+a"sv, {"a"sv}, {}, {}},
      {"()*?a"sv, {"a"sv}, {}, {}},
      {"()?a"sv, {"a"sv}, {}, {}},
      {"()??\\1a"sv, {"a"sv}, {}, {}},
      {"[abc]"sv, {"a"sv, "c"sv}, {}, {"d"sv}},
      {"[^abc]"sv, {"d"sv}, {}, {"a"sv}},
      {"[a-c]"sv, {"a"sv, "b"sv, "c"sv}, {}, {"d"sv, "`"sv}},
      {"[a-]"sv, {"a"sv, "-"sv}, {}, {"b"sv}},
      {"[-a]"sv, {"-"sv, "a"sv}, {}, {"b"sv}},
      {"[]]"sv, {"]"sv}, {}, {"a"sv}},
      {"[^]]"sv, {"a"sv}, {}, {"]"sv}},
      {"[a^]"sv, {"^"sv, "a"sv}, {}, {"b"sv}},
      {"[\\d]"sv, {"1"sv}, {}, {"a"sv}},
      {"[\\D]"sv, {"a"sv}, {}, {"1"sv}},
      {"[\\w.]"sv, {"a"sv, "."sv}, {}, {"-"sv}},
      {"[^\\w.]"sv, {"-"sv}, {}, {"a"sv, "."sv}},
      {"[\\s\\d]"sv, {" "sv, "1"sv}, {}, {"a"sv}},
      {"[^\\s\\S]"sv, {}, {}, {"a"sv, " "sv}},
      {"[\\W\\d]"sv, {"-"sv, "1"sv}, {}, {"a"sv}},
      {"[\\w-]"sv, {"a"sv, "-"sv}, {}, {"."sv}},
      {"[a\\-z]"sv, {"a"sv, "-"sv, "z"sv}, {}, {"b"sv}},
      {"[\\]\\\\]"sv, {"]"sv, "\\"sv}, {}, {"a"sv}},
      {"[\\x41-\\x43]"sv, {"A"sv, "C"sv}, {}, {"D"sv, "@"sv}},
      {"[\\101]"sv, {"A"sv}, {}, {"1"sv}},
      {"[\\0]"sv, {"\000"sv}, {}, {"0"sv}},
      {"[\\n\\t]"sv, {"\012"sv, "\011"sv}, {}, {"n"sv}},
      {"[\\a\\f\\v\\r]"sv, {"\007"sv, "\014"sv, "\013"sv, "\015"sv}, {}, {"a"sv}},
      {"[.]"sv, {"."sv}, {}, {"a"sv}},
      {"[$]"sv, {"$"sv}, {}, {"a"sv}},
      {"[|(]"sv, {"|"sv, "("sv}, {}, {"a"sv}},
      {"[a#b]"sv, {"#"sv}, {}, {}},
      {"(?x)[a b]"sv, {" "sv, "a"sv}, {}, {}},
      {"(?i)[^a]"sv, {"b"sv}, {}, {"A"sv}},
      {"(?i)[a-b]"sv, {"A"sv, "B"sv}, {}, {"C"sv}},
      {"(?i)[A-B]"sv, {"a"sv, "b"sv}, {}, {"c"sv}},
      {"(?ai)[^a-k]"sv, {"z"sv}, {}, {"A"sv}},
      {"(?i)[Z-a]"sv, {"z"sv, "A"sv, "["sv}, {}, {"b"sv, "B"sv}},
      {"(?a)[\\w]"sv, {"a"sv}, {}, {"é"sv}},
      {"(?a)[\\W]"sv, {"é"sv}, {}, {"a"sv}},
      {"(?a)[^\\w]"sv, {"é"sv}, {}, {"a"sv}},
      {"(?i)é"sv, {"É"sv, "é"sv}, {}, {"e"sv}},
      {"(?ai)é"sv, {"é"sv}, {}, {"É"sv}},
      {"(?i)ß"sv, {"ẞ"sv, "ß"sv}, {}, {"s"sv}},
      {"(?i)[k]"sv, {"K"sv, "K"sv}, {}, {}},
      {"(?i)ſ"sv, {"s"sv, "S"sv}, {}, {}},
      {"(?i)µ"sv, {"μ"sv, "Μ"sv}, {}, {}},
      {"[é-í]"sv, {"ê"sv}, {}, {"î"sv}},
      {"(?i)[é-í]"sv, {"Ê"sv}, {}, {"Î"sv, "e"sv}},
      {"[😀]"sv, {"😀"sv}, {}, {"a"sv}},
      {"[^😀]"sv, {"a"sv}, {}, {"😀"sv}},
      {"😀?"sv, {""sv, "😀"sv}, {}, {}},
      {"\\x41"sv, {"A"sv}, {}, {"x"sv}},
      {"\\u00e9"sv, {"é"sv}, {}, {}},
      {"\\U0001F600"sv, {"😀"sv}, {}, {}},
      {"\\07"sv, {"\007"sv}, {}, {"7"sv}},
      {"\\012"sv, {"\012"sv}, {}, {}},
      {"\\0123"sv, {"\0123"sv}, {}, {"S"sv}},
      {"\\101"sv, {"A"sv}, {}, {}},
      {"\\1010"sv, {"A0"sv}, {}, {}},
      {"\\377"sv, {"ÿ"sv}, {}, {}},
      {"\\."sv, {"."sv}, {}, {"a"sv}},
      {"\\-"sv, {"-"sv}, {}, {}},
      {"\\ "sv, {" "sv}, {}, {}},
      {"\\/"sv, {"/"sv}, {}, {}},
      {"\\é"sv, {"é"sv}, {}, {}},
      {"\\a\\f\\n\\r\\t\\v"sv, {"\007\014\012\015\011\013"sv}, {}, {}},
      {"\\d\\D"sv, {"1a"sv}, {}, {"a1"sv, "11"sv}},
      {"\\w\\W"sv, {"a-"sv}, {}, {"-a"sv}},
      {"\\s\\S"sv, {" a"sv}, {}, {"a "sv}},
      {"\\Aa"sv, {"a"sv}, {}, {"ba"sv}},
      {"a\\Z"sv, {"a"sv}, {}, {"a\012"sv}},
      {"a\\b"sv, {"a"sv}, {"a."sv}, {"ab"sv}},
      {"a\\B"sv, {}, {"ab"sv}, {"a"sv}},
      {"(?a)\\w\\b"sv, {"a"sv}, {"aé"sv}, {}},
      {"(?a)\\w\\B"sv, {}, {"ab"sv}, {"aé"sv}},
      {"\\b"sv, {}, {"a"sv}, {""sv}},
      {"\\B."sv, {"-"sv}, {}, {"a"sv}},
      {"(a)\\1"sv, {"aa"sv}, {}, {"a"sv}},
      {"(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)\\10"sv, {"abcdefghijj"sv}, {}, {"abcdefghija0"sv}},
      {"(a)\\1{2}"sv, {"aaa"sv}, {}, {"aa"sv}},
      {"(?i)(a)\\1"sv, {"aA"sv}, {}, {"ab"sv}},
      {"(?ai)(k)\\1"sv, {"kK"sv, "kK"sv}, {}, {}},
      {"(a)(?i:\\1)"sv, {"aA"sv, "aa"sv}, {}, {}},
      {"(?:(?i:(a)))\\1"sv, {"AA"sv}, {}, {"Aa"sv}},
      {"a|b"sv, {"a"sv, "b"sv}, {}, {"c"sv}},
      {"a|"sv, {"a"sv, ""sv}, {"b"sv}, {}},
      {"|a"sv, {"a"sv, ""sv}, {}, {}},
      {"(a|)b"sv, {"ab"sv, "b"sv}, {}, {}},
      {"(?:a|b|cd)e"sv, {"ae"sv, "be"sv, "cde"sv}, {}, {"ce"sv}},
      {"(?P<x>a)(?P=x)"sv, {"aa"sv}, {}, {"ab"sv}},
      {"(?P<_y1>a)(?(_y1)b)"sv, {"ab"sv}, {}, {"a"sv}},
      {"(a)|b(?(1)c|d)"sv, {"a"sv, "bd"sv}, {}, {"bc"sv}},
      {"(a)?b(?(1)c)"sv, {"abc"sv, "b"sv}, {"bc"sv}, {}},
      {"(a)?(?(1)|b)c"sv, {"ac"sv, "bc"sv}, {}, {"c"sv}},
      {"(a)?(?(01)b|c)"sv, {"ab"sv, "c"sv}, {}, {}},
      {"(?(1)a|b)(c)?"sv, {"b"sv, "bc"sv}, {}, {"a"sv}},
      {"(?>a|ab)c"sv, {"ac"sv}, {}, {"abc"sv}},
      {"(?>a*)a"sv, {}, {}, {"aa"sv}},
      {"(?:a(?#note)b)"sv, {"ab"sv}, {}, {}},
      {"a(?#)b"sv, {"ab"sv}, {}, {}},
      {"((a))\\2"sv, {"aa"sv}, {}, {}},
      {"(((((a)))))"sv, {"a"sv}, {}, {}},
      {"(?i)ab"sv, {"AB"sv, "aB"sv}, {}, {"ac"sv}},
      {"(?s)."sv, {"\012"sv}, {}, {}},
      {"."sv, {"a"sv}, {}, {"\012"sv}},
      {"(?m)^a$"sv, {"a"sv}, {"a\012b"sv}, {}},
      {"a$"sv, {"a"sv}, {"a\012"sv}, {"a\012\012"sv, "ab"sv}},
      {"(?m)a$\\nb"sv, {"a\012b"sv}, {}, {}},
      {"a\\n^b"sv, {}, {}, {"a\012b"sv}},
      {"(?m)a\\n^b"sv, {"a\012b"sv}, {}, {}},
      {"(?s:.)b"sv, {"\012b"sv}, {}, {}},
      {"(?s)(?-s:.)b"sv, {"ab"sv}, {}, {"\012b"sv}},
      {"(?m)(?-m:a$)\\nb"sv, {}, {}, {"a\012b"sv}},
      {"(?m:a$)\\nb"sv, {"a\012b"sv}, {}, {}},
      {"(?x) a # c\012 b"sv, {"ab"sv}, {}, {"a b"sv}},
      {"(?x)a\\ b"sv, {"a b"sv}, {}, {"ab"sv}},
      {"(?x)a{2} b"sv, {"aab"sv}, {}, {}},
      {"(?x) (?-x: a)b"sv, {" ab"sv}, {}, {"ab"sv}},
      {"(?x)a[ ]b"sv, {"a b"sv}, {}, {}},
      {"(?x)(?:a )  +"sv, {"aa"sv}, {}, {}},
      {"(?x)a  *"sv, {"aa"sv}, {}, {}},
      {"(?ix) A b"sv, {"aB"sv}, {}, {}},
      {"(?i)(?s)A."sv, {"a\012"sv}, {}, {}},
      {"(?im-s:a.)"sv, {"Ab"sv}, {}, {"a\012"sv}},
      {"(?i-s:a)"sv, {"A"sv}, {}, {}},
      {"(?u)\\w"sv, {"é"sv}, {}, {}},
      {"(?u:\\w)"sv, {"é"sv}, {}, {}},
      {"(?a)(?u:\\w)"sv, {"é"sv}, {}, {}},
      {"(?a)\\d"sv, {"1"sv}, {}, {"١"sv}},
      {"(?a)\\D"sv, {"١"sv}, {}, {"1"sv}},
      {"(?a)\\S"sv, {"\034"sv, "a"sv}, {}, {}},
      {"(?i:(?-i:a)b)"sv, {"aB"sv}, {}, {"AB"sv}},
      {"(?x:a b)(?i:c)"sv, {"abC"sv}, {}, {"a bc"sv}},
      {"(?s-i:.)"sv, {"\012"sv}, {}, {}},
  };
  for (const Answers& row : table) {
    check_texts(row.pattern, row.whole, true, true);
    check_texts(row.pattern, row.start, true, false);
    check_texts(row.pattern, row.neither, false, false);
  }
}

TEST_CASE("machine code that lacks stack gives way to the interpreter") {
  const auto compiled = Pattern::compile("(?:(a)|b)*c", Anchoring::both);
  REQUIRE(std::holds_alternative<Pattern>(compiled));
  const auto& pattern = std::get<Pattern>(compiled);
  const std::string text = std::string(2'000, 'a') + "c";
  for (int round = 0; round < 40; ++round) CHECK(pattern.match(text) == Match::yes);
}

}  // namespace sparsecfg::regex
