#include "doc/fixes.h"

#include <catch2/catch.hpp>
#include <string>

#include "dialect/sparseml/codes.h"
#include "doc/readers.h"
#include "source/source_file.h"

namespace sparsecfg::doc {

using diag::Fix;
using source::Span;

// A text with the fix made that `offer` describes by the places of words; "-" where it can't be made,
// with a "?" behind it where it is unsafe.
template <class Offer>
static std::string mended(const std::string& text, const Offer& offer) {
  const source::SourceFile file("recipe.yaml", text);
  diag::Sink sink;
  const auto document = read_yaml(file, {0, static_cast<std::uint32_t>(text.size())}, {}, sink);
  REQUIRE(document);
  const auto place = [&](const std::string& word) {
    const auto at = static_cast<std::uint32_t>(text.find(word));
    return Span{at, at + static_cast<std::uint32_t>(word.size())};
  };
  sink.report(diag::unused_variable, {}, "").with_fix(offer(place));
  std::vector<diag::Diagnostic> found = sink.take();
  resolve_fixes(file, &*document, found);
  const Fix& fix = found.back().fix;
  std::string out = text;
  for (auto edit = fix.edits.rbegin(); edit != fix.edits.rend(); ++edit) {
    out.replace(edit->span.begin, edit->span.end - edit->span.begin, edit->text);
  }
  return fix.edits.empty() ? "-" : fix.kind == Fix::Kind::unsafe ? out + "?" : out;
}

static std::string without(const std::string& text, const std::string& word) {
  return mended(text, [&](auto place) { return Fix::safe().remove(place(word)); });
}

TEST_CASE("an entry is removed with its lines") {
  CHECK(without("a: 1\nb: 2 # b\nc: 3\n", "b") == "a: 1\nc: 3\n");
  CHECK(without("a: 1\nb:\n  - 2\n  - 3\n\nc: 3\n", "b") == "a: 1\n\nc: 3\n");
  CHECK(without("a: 1\nb: |\n  text\n\nc: 3\n", "b") == "a: 1\n\nc: 3\n");
  CHECK(without("a: 1\r\nb: 2\r\n", "b") == "a: 1\r\n");
  CHECK(without("a: 1\nb: 2", "b") == "a: 1\n");
  CHECK(without("- a: 1\n  b: 2\n", "a") == "- b: 2\n");
  CHECK(without("- !X\n  a: 1\n", "a") == "- !X\n");
  CHECK(without("- a: 1\n", "a") == "-");
  CHECK(without("- a: 1\n  # about b\n  b: 2\n", "a") == "-");
  CHECK(without("? a\n: 1\nb: 2\n", "a") == "-");
}

TEST_CASE("an entry is removed with its comma") {
  CHECK(without("{a: 1, b: 2, c: 3}\n", "a") == "{b: 2, c: 3}\n");
  CHECK(without("{a: 1, b: 2, c: 3}\n", "b") == "{a: 1, c: 3}\n");
  CHECK(without("{a: 1, b: [2, 3]}\n", "b") == "{a: 1}\n");
  CHECK(without("{a: 1}\n", "a") == "-");
}

TEST_CASE("an item is removed, but not the only one") {
  CHECK(without("[a, b, c]\n", "b") == "[a, c]\n");
  CHECK(without("- a\n- b  # b\n- c\n", "b") == "- a\n- c\n");
  CHECK(without("- a\n", "a") == "-");
  CHECK(without("- - a\n  - b\n", "a") == "-");
}

TEST_CASE("what aliases stand for is changed unsafely, and anchors are kept") {
  const auto renamed = [](auto place) { return Fix::safe().content(place("one"), "two"); };
  CHECK(mended("a: &x {one: 1}\nb: *x\n", renamed) == "a: &x {two: 1}\nb: *x\n?");
  CHECK(mended("a: {one: 1}\nb: &x 2\nc: *x\n", renamed) == "a: {two: 1}\nb: &x 2\nc: *x\n");
  CHECK(without("a: &x 1\nb: *x\nc: 2\n", "a") == "-");
}

TEST_CASE("an entry is added like those around it") {
  const auto add = [](auto place) { return Fix::safe().add_entry(place("a"), "b: 2"); };
  CHECK(mended("- a: 1 # a\n  c: 3\n", add) == "- a: 1 # a\n  b: 2\n  c: 3\n");
  CHECK(mended("a: 1\r\n", add) == "a: 1\r\nb: 2\r\n");
  CHECK(mended("{a: 1}\n", add) == "{a: 1, b: 2}\n");
  CHECK(mended("{\"a\": 1}\n", [](auto place) { return Fix::safe().add_entry(place("\"a\""), "b: 2"); }) ==
        "{\"a\": 1, \"b\": 2}\n");
}

TEST_CASE("edits that overlap are no fix") {
  CHECK(mended("a: 1\nb: 2\n", [](auto place) { return Fix::safe().remove(place("a")).replace(place("1"), "2"); }) ==
        "-");
  CHECK(mended("a: 1\nb: 2\n", [](auto place) { return Fix::safe().swap(place("1"), place("2")); }) == "a: 2\nb: 1\n");
}

TEST_CASE("a scalar keeps its quotes and gets some where it needs them") {
  CHECK(rewrite_scalar("a", "b.weight", false) == "b.weight");
  CHECK(rewrite_scalar("a", "(?:b|c)", false) == "'(?:b|c)'");
  CHECK(rewrite_scalar("a", "b: c", false) == "'b: c'");
  CHECK(rewrite_scalar("a", "yes", false) == "'yes'");
  CHECK(rewrite_scalar("'a'", "it's", false) == "'it''s'");
  CHECK(rewrite_scalar("\"a\"", "b\\.c", false) == "\"b\\\\.c\"");
  CHECK_FALSE(rewrite_scalar("|\n  a\n", "b", false));
  CHECK_FALSE(rewrite_scalar("*a", "b", false));
  CHECK(rewrite_scalar("'a'", "b", true) == "'b'");
  CHECK(rewrite_scalar("'a'", "b\\.c", true) == "'b\\\\.c'");
  CHECK(rewrite_scalar("r'a'", "b\\.c", true) == "r'b\\.c'");
  CHECK_FALSE(rewrite_scalar("r'a'", "it's", true));
  CHECK_FALSE(rewrite_scalar("'a' 'b'", "it's", true));
}

TEST_CASE("a scalar becomes a list of one") {
  CHECK(list_of_scalar("re:.*[0-9]") == "['re:.*[0-9]']");
  CHECK(list_of_scalar("\"a\"") == "[\"a\"]");
  CHECK_FALSE(list_of_scalar("|\n  a\n"));
}

TEST_CASE("numbers are spelled for YAML 1.1") {
  CHECK(spelled_as_float("1e-4") == "1.0e-4");
  CHECK(spelled_as_float("1.5E4") == "1.5E+4");
  CHECK(spelled_as_float("08") == "08.0");
  CHECK_FALSE(spelled_as_float("inf"));
  CHECK_FALSE(spelled_as_float("fast"));
  CHECK(spelled_as_number("10") == "10");
  CHECK(spelled_as_number("010") == "010.0");
}

}  // namespace sparsecfg::doc
