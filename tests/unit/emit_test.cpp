#include "emit/node.h"

#include <catch2/catch.hpp>
#include <limits>
#include <string>

#include "doc/construct.h"
#include "doc/readers.h"
#include "source/source_file.h"

namespace sparsecfg::emit {

using source::Value;

static Value read(const std::string& yaml) {
  const source::SourceFile file("text.yaml", yaml);
  diag::Sink sink;
  const auto document = doc::read_yaml(file, {0, static_cast<std::uint32_t>(yaml.size())}, {}, sink);
  REQUIRE(document);
  REQUIRE_FALSE(sink.has_errors());
  return doc::construct(*document, document->root, sink);
}

static std::string written(const Value& value) {
  const auto text = to_yaml({Mapping{{emit::text("key"), node_of(value)}}});
  REQUIRE(text);
  return *text;
}

TEST_CASE("every value is read back as what it was") {
  const Value values[] = {
      {true, {}},
      {std::int64_t{-3}, {}},
      {0.1, {}},
      {1.0, {}},
      {1e-5, {}},
      {1e16, {}},
      {5e-324, {}},
      {1.7976931348623157e308, {}},
      {std::numeric_limits<double>::infinity(), {}},
      {},
      {source::List{}, {}},
      {source::Map{}, {}},
      {source::List{{source::List{{std::int64_t{1}, {}}}, {}}, {source::Map{{{std::string("a"), {}}, {1.5, {}}}}, {}}},
       {}},
  };
  for (const Value& value : values) {
    const std::string text = written(value);
    CAPTURE(text);
    const Value* back = read(text).find("key");
    REQUIRE(back != nullptr);
  }
  for (const Value& value : values) {
    const Value whole = read(written(value));
    CHECK(*whole.find("key") == value);
  }
}

TEST_CASE("a string stays a string, whatever else it could be") {
  const std::string texts[] = {
      "",     "yes", "no", "on",  "null", "~",    "1",          "1e-4",         "2:4",      "010",  "0x1f", "1_0",
      ".nan", "=",   "<<", "- a", "a: b", "a #b", "re:^x.*$",   "eval(a * 2)",  "it's",     "a\nb", "\t",   "a\\b",
      "#c",   "%d",  "@x", "`y`", "{a}",  "[b]",  "2024-01-05", "\xE2\x80\xA8", "\xC3\xA4", "\x7f", " a ",  "a ",
      "!tag", "&a",  "*b", "?",   "-",    ":",    "---",        "...",          "a:"};
  for (const std::string& text : texts) {
    CAPTURE(text);
    const Value whole = read(written({text, {}}));
    CHECK(*whole.find("key") == Value{text, {}});
    const Value keyed = read(*to_yaml({Mapping{{emit::text(text), node_of({std::int64_t{1}, {}})}}}));
    CHECK(keyed.find(text) != nullptr);
    const Value listed = read(written({source::List{{text, {}}, {text, {}}}, {}}));
    CHECK(*listed.find("key") == Value{source::List{{text, {}}, {text, {}}}, {}});
  }
}

TEST_CASE("floats have a point, and lists of scalars stand in one line as long as they fit") {
  CHECK(written({1e-5, {}}) == "key: 1.0e-05\n");
  CHECK(written({2.0, {}}) == "key: 2.0\n");
  CHECK(written({source::List{{std::string("a"), {}}, {std::string("b"), {}}}, {}}) == "key: [a, b]\n");
  const source::List many(20, {std::string("layer.weight"), {}});
  CHECK(written({many, {}}).starts_with("key:\n  - layer.weight\n  - layer.weight\n"));
}

TEST_CASE("tags stand before their mappings") {
  Node modifier{Mapping{{emit::text("start_epoch"), node_of({0.0, {}})}}};
  modifier.tag = "EpochRangeModifier";
  CHECK(to_yaml({Mapping{{emit::text("modifiers"), {Sequence{modifier}}}}}) ==
        "modifiers:\n  - !EpochRangeModifier\n    start_epoch: 0.0\n");
}

}  // namespace sparsecfg::emit
