#include "doc/readers.h"

#include <catch2/catch.hpp>

#include "doc/construct.h"

namespace sparsecfg::test {

// What a script assigns, as Python prints it.
static std::string assigned(std::string text) {
  const source::SourceFile file("script.py", std::move(text));
  diag::Sink sink;
  const auto document = doc::read_python(file, {}, sink);
  REQUIRE(document);
  return source::python_str(doc::construct(*document, document->root, sink));
}

TEST_CASE("literals of a script are read as Python reads them") {
  struct Literal {
    const char* script;
    const char* value;
  };

  for (const Literal& c : {
           Literal{"a = 1\nb = -2.50\n", "{'a': 1, 'b': -2.5}"},
           Literal{"a = [True, False, None]", "{'a': [True, False, None]}"},
           Literal{"a = 1e-1\nb = .5\nc = 5.", "{'a': 0.1, 'b': 0.5, 'c': 5.0}"},
           Literal{"a = 1_000\nb = 0x1F\nc = 0b11\nd = 0o17", "{'a': 1000, 'b': 31, 'c': 3, 'd': 15}"},
           Literal{"a = 'x' \"y\"\nb = r'\\d'\nc = '\\x41\\u00e9\\n\\d'",
                   "{'a': 'xy', 'b': '\\\\d', 'c': 'Aé\\n\\\\d'}"},
           Literal{"a = '''x\ny'''", "{'a': 'x\\ny'}"},
           Literal{"a = (1)\nb = (1,)\nc = ()", "{'a': 1, 'b': [1], 'c': []}"},
           Literal{"a = {'x': [1, {'y': 2},],}", "{'a': {'x': [1, {'y': 2}]}}"},
           Literal{"a = [  # one\n  1,\n  # two\n  2]", "{'a': [1, 2]}"},
           Literal{"a: list = [1]", "{'a': [1]}"},
           Literal{"a = 1\na = 2", "{'a': 2}"},
           Literal{"a = \\\n  1", "{'a': 1}"},
           Literal{"\xEF\xBB\xBF"
                   "a = 1",
                   "{'a': 1}"},
           Literal{"yes = 'no'\nb = '1'", "{'yes': 'no', 'b': '1'}"},
       }) {
    INFO(c.script);
    CHECK(assigned(c.script) == c.value);
  }
}

TEST_CASE("what is no assignment of the top level is passed over") {
  CHECK(assigned("import os\nif True:\n    a = 1\ndef f(b=2):\n    c = 3\na.b = 1\nd == 4\ne += 5\nf = 6") ==
        "{'f': 6}");
  CHECK(assigned("a = 1; b = 2\nif a: c = 3; d = 4") == "{'a': 1, 'b': 2}");
  CHECK(assigned("") == "{}");
  CHECK(assigned("x = [1, 2") == "{'x': '[1, 2'}");
  CHECK(assigned("x = 'open\ny = 1") == "{'x': \"'open\", 'y': 1}");
}

// The texts of the expressions that stand within literals, and their lines.
static std::vector<std::string> expressions(std::string text) {
  const source::SourceFile file("script.py", std::move(text));
  diag::Sink sink;
  const auto document = doc::read_python(file, {}, sink);
  std::vector<std::string> found;
  for (const doc::Node& node : document->nodes) {
    if (node.tag == doc::kNotLiteralTag) {
      found.push_back(std::to_string(file.position(node.span.begin).line) + ": " + std::string(file.text(node.span)));
    }
  }
  return found;
}

TEST_CASE("expressions within literals are told with their places") {
  using Found = std::vector<std::string>;
  CHECK(expressions("a = [1, name,\n f'{x}', b'y']") == Found{"1: name", "2: f'{x}'", "2: b'y'"});
  CHECK(expressions("a = {'x': 2 * 3, 'y': call(1, [2])}") == Found{"1: 2 * 3", "1: call(1, [2])"});
  CHECK(expressions("a = [{'x': 1} for x in y]") == Found{"1: {'x': 1} for x in y"});
  CHECK(expressions("a = [{'x': 1, **more}, 2]") == Found{"1: {'x': 1, **more}"});
  CHECK(expressions("a = [010, 1j, -x]") == Found{"1: 010", "1: 1j", "1: -x"});
}

TEST_CASE("a value that is missing lies within the script") {
  const source::SourceFile file("script.py", "a = \nb = 1\n");
  diag::Sink sink;
  const auto document = doc::read_python(file, {}, sink);
  REQUIRE(document);
  for (const doc::Node& node : document->nodes) {
    CAPTURE(node.tag);
    CHECK(node.span.begin <= node.span.end);
    CHECK(node.span.end <= file.text().size());
  }
}

TEST_CASE("tuples and sets are distinguished from lists") {
  const source::SourceFile file("script.py", "a = [(1, 2), {3}, [4]]");
  diag::Sink sink;
  const auto document = doc::read_python(file, {}, sink);
  std::vector<std::string> tuples;
  for (const doc::Node& node : document->nodes) {
    if (node.tag == doc::kTupleTag) tuples.emplace_back(file.text(node.span));
  }
  CHECK(tuples == std::vector<std::string>{"(1, 2)", "{3}"});
}

TEST_CASE("limits hold for scripts") {
  diag::Sink sink;
  const source::SourceFile deep("deep.py", "a = " + std::string(200, '[') + std::string(200, ']'));
  CHECK_FALSE(doc::read_python(deep, {}, sink));
  CHECK(sink.has_errors());
  const source::SourceFile many("many.py", "a = [" + std::string(100, ',') + "]");
  CHECK(doc::read_python(many, {}, sink));
  doc::Limits few;
  few.nodes = 10;
  const source::SourceFile long_list("long.py", "a = [1,1,1,1,1,1,1,1,1,1,1,1]");
  CHECK_FALSE(doc::read_python(long_list, few, sink));
}

}  // namespace sparsecfg::test
