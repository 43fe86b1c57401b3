#include "emit/literal.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <variant>

#include "doc/construct.h"
#include "doc/readers.h"
#include "python/tree.h"
#include "source/source_file.h"

namespace sparsecfg::emit {

// Names that are code, entries, patterns or commands if they are not quoted.
static const std::string kNames[] = {"model.layers.0",
                                     "lm_head]\n    SmoothQuantModifier: {a: 1}\nx: [y",
                                     "x\\\"])]\nprint('PWNED')\n_=[#",
                                     "d\\\"\nprint('PWNED')#",
                                     "it's \"both\"",
                                     "\\",
                                     "'",
                                     "\"",
                                     "",
                                     " ",
                                     "null",
                                     "yes",
                                     "1e3",
                                     "- a",
                                     "a: b",
                                     "#a",
                                     "&a",
                                     "*a",
                                     "!a",
                                     "%a",
                                     "{a}",
                                     "a,b",
                                     "re:.*\\.gate$",
                                     "\x1b]0;title\x07",
                                     "a\u2028b\u202ec\ufeffd",
                                     "\u00e9\u4e2d\U0001f600",
                                     "$(id)`id`",
                                     "${name}",
                                     "a\tb\r\nc"};

static std::string read_yaml(const std::string& text) {
  const source::SourceFile file("text.yaml", text);
  diag::Sink sink;
  const auto document = doc::read_yaml(file, {0, static_cast<std::uint32_t>(text.size())}, {}, sink);
  REQUIRE(document);
  const source::Value value = doc::construct(*document, document->root, sink);
  const auto* map = value.get<source::Map>();
  REQUIRE(map != nullptr);
  const auto* list = map->front().second.get<source::List>();
  REQUIRE(list != nullptr);
  REQUIRE(list->size() == 2);
  REQUIRE(list->front().get<std::string>() != nullptr);
  return *list->front().get<std::string>();
}

static std::string read_python(const std::string& text) {
  const auto parsed = python::parse_expression(text);
  REQUIRE(std::holds_alternative<python::Node>(parsed));
  const auto& node = std::get<python::Node>(parsed);
  REQUIRE(node.kind == python::Node::Kind::string);
  return node.text;
}

TEST_CASE("a literal is read back as the name, in one line") {
  for (const std::string& name : kNames) {
    CAPTURE(name);
    const std::string yaml = literal(Syntax::yaml, name);
    CHECK(yaml.find('\n') == std::string::npos);
    CHECK(read_yaml("a: [" + yaml + ", end]\n") == name);
    CHECK(read_yaml("a:\n- " + yaml + "\n- end\n") == name);
    CHECK(read_python(literal(Syntax::python, name)) == name);
    CHECK(nlohmann::json::parse(literal(Syntax::json, name)).get<std::string>() == name);
  }
}

TEST_CASE("a word of a shell is one word") {
  CHECK(literal(Syntax::shell, "model/a-b_1.json") == "model/a-b_1.json");
  CHECK(literal(Syntax::shell, "") == "''");
  CHECK(literal(Syntax::shell, "--output=x") == "'--output=x'");
  CHECK(literal(Syntax::shell, "-x") == "'-x'");
  CHECK(literal(Syntax::shell, "a b") == "'a b'");
  CHECK(literal(Syntax::shell, "$(id)`id`\\") == "'$(id)`id`\\'");
  CHECK(literal(Syntax::shell, "it's") == "'it'\\''s'");
  CHECK(literal(Syntax::shell, "a\nb'\\c") == "$'a\\u000ab\\'\\\\c'");
}

TEST_CASE("bytes that are not UTF-8 do not end a literal") {
  CHECK(literal(Syntax::python, "a\xff\"") == "'a\uFFFD\"'");
  CHECK(literal(Syntax::json, "a\xc3") == "\"a\uFFFD\"");
}

}  // namespace sparsecfg::emit
