#include "doc/readers.h"

#include <catch2/catch.hpp>

#include "yaml_text.h"

namespace sparsecfg::test {

using doc::Kind;
using doc::Limits;
using doc::Style;
using source::Span;

static std::vector<Span> node_spans(const Read& read) {
  std::vector<Span> spans;
  for (const doc::Node& node : read.document->nodes) {
    spans.push_back(node.span);
  }
  return spans;
}

// Every node of the text between marks, in the order in which the nodes begin.
static void check_spans(std::string_view text) {
  INFO(text);
  const Marked expected = marked(text);
  const Read got = read(expected.text);
  REQUIRE(got.document);
  CHECK(node_spans(got) == expected.spans);
}

TEST_CASE("a node's span is its own text") {
  check_spans("«a»");
  check_spans("««a»: «1»»\n");
  check_spans("««a»: «1»»   # comment\n");
  check_spans("««a»:\n  ««b»: «c d»»»\n  # comment\n\n");
  check_spans("««a»: «'x y'»\n«b»: «\"z\"»»\n");
  check_spans("«- «a»\n- «- «b»\n  - «c»»»\n\n# end\n");
  check_spans("««a»:\n«- «1»\n- «2»»\n«b»: «3»»\n");
  check_spans("«[«a», «{«b»: «c»}», ««d»: «e»»]»\n");
  check_spans("««a»: «one\n  two»»  \n");
}

TEST_CASE("a missing value has an empty span after what precedes it") {
  check_spans("««a»:«»\n«b»: «1»»\n");
  check_spans("««a»:«»»   # why\n");
  check_spans("«-«»\n- «x»»\n");
  check_spans("«{«a»«», «b»:«»}»");
  check_spans("«? «a»«»\n? «b»«»»\n");
}

TEST_CASE("tags and anchors have spans of their own") {
  const Marked text = marked("a: «!t» «&x»  # why\n   «b»\n");
  const Read got = read(text.text);
  REQUIRE(got.document);
  const doc::Node& node = got[2];
  CHECK(node.tag_span == text.spans[0]);
  CHECK(node.anchor_span == text.spans[1]);
  CHECK(node.span == text.spans[2]);
  CHECK(node.tag == "!t");
  CHECK(node.text == "b");
}

TEST_CASE("properties stand in either order and before any kind of node") {
  struct NodeCase {
    std::string_view text;
    Kind kind;
  };

  for (const NodeCase& c :
       {NodeCase{"«&x» «!t»\n«- a»\n", Kind::sequence}, NodeCase{"«&x» «!t»\n«a: b»\n", Kind::mapping},
        NodeCase{"«&x»   «!t» «[a]»", Kind::sequence}, NodeCase{"«&x» «!t» «{a: b}»", Kind::mapping},
        NodeCase{"«&x» «!t» «|\n a»\n", Kind::scalar}, NodeCase{"«&x» «!t»«» # none\n", Kind::scalar}}) {
    INFO(c.text);
    const Marked expected = marked(c.text);
    const Read got = read(expected.text);
    REQUIRE(got.document);
    CHECK(got[0].kind == c.kind);
    CHECK(got[0].anchor_span == expected.spans[0]);
    CHECK(got[0].tag_span == expected.spans[1]);
    CHECK(got[0].span == expected.spans[2]);
  }
}

TEST_CASE("an indentless list under a key with properties begins at its first dash") {
  check_spans("««a»: &x\n«- «1»\n- «2»»»\n");
}

TEST_CASE("spans count bytes whatever the characters and line ends") {
  check_spans("««k\xC3\xB6»: «\"\xF0\x9F\x98\x80\"»\r\n«b»: «[«\xE4\xB8\xAD», «x»]»»\r\n");
  check_spans("\xEF\xBB\xBF««a»: «1»\n«b»: «2»»\n");
  check_spans("««a»: «x»\xC2\x85«b»: «y»»\r");
}

TEST_CASE("a text is a view of the file where it stands there as it is") {
  const Read got = read("[plain, 'single', \"double\", \"esc\\n\", one\n two, 'it''s']");
  REQUIRE(got.document);
  const std::string_view file = got.file->text();
  const auto inside = [&](std::string_view text) {
    return text.data() >= file.data() && text.data() <= file.data() + file.size();
  };
  CHECK(got[1].text == "plain");
  CHECK(got[2].text == "single");
  CHECK(got[3].text == "double");
  CHECK((inside(got[1].text) && inside(got[2].text) && inside(got[3].text)));
  CHECK(got[4].text == "esc\n");
  CHECK(got[5].text == "one two");
  CHECK(got[6].text == "it's");
  CHECK(got.document->owned.size() == 3);
}

TEST_CASE("styles and tags are kept") {
  const Read got = read("- a\n- 'a'\n- \"a\"\n- |\n  a\n- >\n  a\n- [a]\n- !!int '1'\n- !t x\n- ! y\n");
  REQUIRE(got.document);
  const std::vector<Style> styles{Style::block,   Style::plain,  Style::single_quoted, Style::double_quoted,
                                  Style::literal, Style::folded, Style::flow};
  for (std::size_t at = 0; at < styles.size(); ++at) {
    CHECK(got[at].style == styles[at]);
  }
  CHECK(got[8].tag == "tag:yaml.org,2002:int");
  CHECK(got[9].tag == "!t");
  CHECK(got[10].tag == "!");
}

TEST_CASE("repeated keys are kept in order") {
  const Read got = read("a: 1\na: 2\n<<: {b: 3}\n");
  REQUIRE(got.document);
  CHECK(got[0].items.size() == 6);
}

TEST_CASE("aliases name their nodes") {
  const Read got = read("a: &x [1]\nb: *x\n");
  REQUIRE(got.document);
  const doc::Node& alias = got.document->nodes.back();
  CHECK(alias.kind == Kind::alias);
  CHECK(alias.text == "x");
  CHECK((*got.document)[alias.target].kind == Kind::sequence);
}

TEST_CASE("comments are found and not mistaken") {
  const Marked expected = marked(
      "«# top»\na: b#c  «# one»\nd: '# no' «# two»\ne: |  «# three»\n  # no\nf: !t «# four»\n  [x, «# five»\n  y]\n«# "
      "end»");
  const Read got = read(expected.text);
  REQUIRE(got.document);
  std::vector<Span> spans;
  for (const doc::Comment& comment : got.document->comments) {
    spans.push_back(comment.span);
  }
  CHECK(spans == expected.spans);
}

TEST_CASE("an empty document is an empty scalar") {
  for (const std::string_view text : {"", "\n\n", "# only a comment\n", "---\n", "\xEF\xBB\xBF"}) {
    INFO(text);
    const Read got = read(text);
    REQUIRE(got.document);
    CHECK((*got.document)[got.document->root].kind == Kind::scalar);
    CHECK((*got.document)[got.document->root].text.empty());
  }
}

TEST_CASE("a part of a file keeps the places of the file") {
  const std::string text = "# Title\n---\nversion: 1\n---\nmore: [\n";
  const source::SourceFile file("recipe.md", text);
  diag::Sink sink;
  const auto document = doc::read_yaml(file, {11, 23}, {}, sink);
  REQUIRE(document);
  CHECK(file.text(document->nodes[1].span) == "version");
  CHECK(file.text(document->nodes[2].span) == "1");
  CHECK(sink.take().empty());
}

// A text, the code of its only error, and the place of the error between marks.
struct Refused {
  std::string_view code;
  std::string_view text;
};

static void check_refused(const Refused& c) {
  INFO(c.text);
  const Marked expected = marked(c.text);
  const Read got = read(expected.text);
  CHECK_FALSE(got.document);
  REQUIRE(got.reports.size() == 1);
  CHECK(got.reports[0].info->code == c.code);
  CHECK(got.reports[0].span == expected.spans.at(0));
}

TEST_CASE("syntax errors are shown where they are made") {
  for (const Refused& c : {
           Refused{"SP001", "a: «[»1, 2\n"},
           Refused{"SP001", "a: {b: [1«}»"},
           Refused{"SP001", "a: «'»x\n"},
           Refused{"SP001", "a: b«:» c\n"},
           Refused{"SP001", "a: 1\n«b»\nc: 2\n"},
           Refused{"SP001", "a:\n    b: 1\n  «d»: 2\n"},
           Refused{"SP001", "a: «-» b\n"},
           Refused{"SP001", "a: «*.weight»\n"},
           Refused{"SP001", "a: «@»x\n"},
           Refused{"SP001", "a: \"«\\»d+\"\n"},
           Refused{"SP001", "{a: 1} «b»\n"},
           Refused{"SP010", "a: 1\n«---»\nb: 2\n"},
           Refused{"SP015", "a: «*x»\n"},
           Refused{"SP015", "a: &x [«*x»]\n"},
           Refused{"SP015", "- &x 1\n- «&x» 2\n"},
           Refused{"SP013", "a: «\x1b»[31m\n"},
           Refused{"SP002", "a: «\xC3»(\n"},
       }) {
    check_refused(c);
  }
}

TEST_CASE("what only libyaml takes is refused") {
  for (const Refused& c : {
           Refused{"SP016", "a:\n«\t»b: 1\n"},
           Refused{"SP016", "{\n «\t»a: 1}"},
           Refused{"SP001", "a:«\t»1\n"},
           Refused{"SP001", "a: b«\t»c\n"},
           Refused{"SP001", "a: 'b'«\t»\n"},
           Refused{"SP001", "[a«?»b]"},
           Refused{"SP001", "a: |«#» no\n  x\n"},
           Refused{"SP001", "[«!a»,b]"},
           Refused{"SP001", "- «!1:x!y» b"},
           Refused{"SP001", "«%YAML 1.1#c»\n---\na"},
       }) {
    check_refused(c);
  }
}

TEST_CASE("what only PyYAML takes is read") {
  for (const std::string_view text : {"«{«a»:«[«1», «2»]»}»", "«{«a»:«{«b»: «c»}», «d»:«»}»", "««a»: «|\n  \tb»»\n",
                                      "%YAML 1.3\n--- «a»\n", "%RESERVED a\tb\n%TAG !e! tag:x,2000:\n--- «a»\n"}) {
    check_spans(text);
  }
  const Read got = read("a: |\n  \tb\n   c\n");
  REQUIRE(got.document);
  CHECK(got[2].text == "\tb\n c\n");
}

TEST_CASE("limits end the reading") {
  const auto code_of = [](std::string_view text, Limits limits) {
    const Read got = read(text, limits);
    REQUIRE_FALSE(got.document);
    REQUIRE(got.reports.size() == 1);
    return got.reports[0].info->code;
  };
  CHECK(code_of("abcd", {.bytes = 3}) == "SP014");
  CHECK(code_of("[[[a]]]", {.depth = 2}) == "SP014");
  CHECK(code_of("[a, b, c]", {.nodes = 3}) == "SP014");
  CHECK(code_of("abcd", {.scalar_bytes = 3}) == "SP014");
  CHECK(code_of("- &a [x, x]\n- &b [*a, *a]\n- [*b, *b]\n", {.nodes = 20}) == "SP014");
  CHECK(code_of("- &a [[x]]\n- &b [[*a]]\n", {.depth = 4}) == "SP014");
  CHECK(read("[[a]]", {.depth = 2}).document);
  CHECK(read("- &a [[x]]\n- &b [[*a]]\n", {.depth = 5}).document);
  CHECK(code_of(std::string(100000, '['), {}) == "SP014");
}

TEST_CASE("what is read past is warned of once") {
  const Read bom = read(
      "\xEF\xBB\xBF"
      "a: 1\n");
  REQUIRE(bom.reports.size() == 1);
  CHECK(bom.reports[0].info->code == "SP003");
  const Read cr = read("a: 1\rb: 2\rc: 3\r\n");
  REQUIRE(cr.document);
  REQUIRE(cr.reports.size() == 1);
  CHECK(cr.reports[0].span == Span{4, 5});
  const Read hidden = read("a: \xE2\x80\xAEx\xE2\x80\xAE\nb: \xE2\x80\x8B\n");
  REQUIRE(hidden.document);
  REQUIRE(hidden.reports.size() == 2);
  CHECK(hidden.reports[0].severity == diag::Severity::warning);
  CHECK(hidden.reports[0].message.starts_with("U+202E"));
  CHECK(hidden.reports[1].message.starts_with("U+200B"));
}

TEST_CASE("other encodings are refused") {
  for (const std::string_view text :
       {std::string_view("\xFF\xFE"
                         "a\0",
                         4),
        std::string_view("\xFE\xFF\0a", 4), std::string_view("\0\0\xFE\xFF\0\0\0a", 8), std::string_view("a: \xE9")}) {
    const Read got = read(text);
    CHECK_FALSE(got.document);
    REQUIRE(got.reports.size() == 1);
    CHECK(got.reports[0].info->code == "SP002");
  }
}

}  // namespace sparsecfg::test
