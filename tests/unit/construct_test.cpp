#include "doc/construct.h"

#include <catch2/catch.hpp>

#include "yaml_text.h"

namespace sparsecfg::test {

struct Constructed {
  Read read;
  source::Value value;
  std::vector<diag::Diagnostic> reports;
};

static Constructed construct_text(std::string_view text) {
  Constructed out{read(text), {}, {}};
  REQUIRE(out.read.document);
  diag::Sink sink;
  out.value = construct(*out.read.document, out.read.document->root, sink);
  out.reports = sink.take();
  return out;
}

struct Case {
  std::string_view text;
  std::string_view python;  // str() of what PyYAML loads
};

TEST_CASE("values are PyYAML's") {
  for (const Case& c : {
           Case{"a: [1, 2.5, yes, ~, x]", "{'a': [1, 2.5, True, None, 'x']}"},
           Case{"a: &x [1]\nb: *x", "{'a': [1], 'b': [1]}"},
           Case{"{\"json\": {\"k\":\"v\", \"n\": [1e-4, -2]}}", "{'json': {'k': 'v', 'n': ['1e-4', -2]}}"},
           Case{"[a: b, ? c]", "[{'a': 'b'}, {'c': None}]"},
           Case{"!!set {a, b: 1}", "{'a': None, 'b': None}"},
           Case{"!!omap [a: 1, b: 2]", "[['a', 1], ['b', 2]]"},
           Case{"=: 1", "{'=': 1}"},
           Case{"!Foo\na: 1", "{'a': 1}"},
       }) {
    INFO(c.text);
    const Constructed got = construct_text(c.text);
    CHECK(python_str(got.value) == c.python);
    CHECK(got.reports.empty());
  }
}

TEST_CASE("merge keys are merged in PyYAML's order") {
  for (const Case& c : {
           Case{"b: &b {x: 1, y: 2}\nm: {z: 3, <<: *b, x: 4}",
                "{'b': {'x': 1, 'y': 2}, 'm': {'x': 4, 'y': 2, 'z': 3}}"},
           Case{"<<: [{a: 1}, {a: 2, b: 3}]\nc: 4", "{'a': 1, 'b': 3, 'c': 4}"},
           Case{"<<: {a: 1}\n<<: {a: 2}", "{'a': 2}"},
           Case{"<<: {<<: {a: 1, b: 1}, b: 2}", "{'a': 1, 'b': 2}"},
           Case{"!!merge any: {a: 1}", "{'a': 1}"},
       }) {
    INFO(c.text);
    const Constructed got = construct_text(c.text);
    CHECK(python_str(got.value) == c.python);
    REQUIRE_FALSE(got.reports.empty());
    for (const diag::Diagnostic& report : got.reports) {
      CHECK(report.info->code == "SP011");
    }
  }
  CHECK(python_str(construct_text("'<<': {a: 1}").value) == "{'<<': {'a': 1}}");
}

TEST_CASE("only mappings are merged") {
  for (const std::string_view text : {"<<: «1»\n", "<<: [{a: 1}, «x»]\n", "<<: [«[a]»]\n"}) {
    INFO(text);
    const Marked expected = marked(text);
    const auto reports = construct_text(expected.text).reports;
    REQUIRE(reports.size() == 2);
    CHECK(reports[1].info->code == "SP031");
    CHECK(reports[1].span == expected.spans[0]);
  }
}

TEST_CASE("of a repeated key the last value counts, and the repetition is reported") {
  const Marked text = marked("«a»: 1\nb: 2\n«a»: 3\n");
  const Constructed got = construct_text(text.text);
  CHECK(python_str(got.value) == "{'a': 3, 'b': 2}");
  REQUIRE(got.reports.size() == 1);
  CHECK(got.reports[0].info->code == "SP004");
  CHECK(got.reports[0].span == text.spans[1]);
  REQUIRE(got.reports[0].labels.size() == 1);
  CHECK(got.reports[0].labels[0].span == text.spans[0]);
}

TEST_CASE("keys that are equal in Python are one key") {
  struct Keys {
    std::string_view text;
    std::string_view python;
    std::size_t repeated;
  };

  for (const Keys& c : {
           Keys{"1: a\n1.0: b\ntrue: c", "{1: 'c'}", 2},
           Keys{"0: a\n-0.0: b\nno: c", "{0: 'c'}", 2},
           Keys{"'1': a\n1: b", "{'1': 'a', 1: 'b'}", 0},
           Keys{"~: a\nnull: b", "{None: 'b'}", 1},
           Keys{".nan: a\n.nan: b", "{nan: 'b'}", 1},
           Keys{"1.0e+30: a\n1000000000000000019884624838656: b", "{1e+30: 'b'}", 1},
           Keys{"2024-01-01 10:00:00Z: a\n2024-01-01 11:00:00 +1: b", "{2024-01-01 10:00:00Z: 'b'}", 1},
           Keys{"2024-01-01 10:00:00Z: a\n2024-01-01 10:00:00: b",
                "{2024-01-01 10:00:00Z: 'a', 2024-01-01 10:00:00: 'b'}", 0},
       }) {
    INFO(c.text);
    const Constructed got = construct_text(c.text);
    CHECK(python_str(got.value) == c.python);
    CHECK(got.reports.size() == c.repeated);
  }
}

TEST_CASE("what is repeated by an alias is reported once") {
  CHECK(construct_text("- &x {a: 1, a: 2}\n- *x\n- {<<: *x}\n").reports.size() == 2);
}

TEST_CASE("lists and mappings are no keys") {
  const Marked text = marked("«[a]»: 1\n«{{name}}»: 2\nb: 3\n");
  const Constructed got = construct_text("? " + text.text);
  CHECK(python_str(got.value) == "{'b': 3}");
  REQUIRE(got.reports.size() >= 1);
  for (const diag::Diagnostic& report : got.reports) {
    CHECK(report.info->code == "SP027");
  }
}

TEST_CASE("collections under a tag of another kind are reported") {
  for (const std::string_view text :
       {"!!str [a]", "!!map [a]", "!!seq {a: b}", "!!omap [a]", "!!pairs {a: b}", "!!int {a: b}"}) {
    INFO(text);
    const auto reports = construct_text(text).reports;
    REQUIRE(reports.size() == 1);
    CHECK(reports[0].info->code == "SP030");
  }
}

TEST_CASE("a value has the place that uses it") {
  const Marked text = marked("a: &x «[«1»]»\nb: «*x»\n");
  const Constructed got = construct_text(text.text);
  CHECK(got.value.find("a")->span == text.spans[0]);
  const source::Value* used = got.value.find("b");
  REQUIRE(used != nullptr);
  CHECK(used->span == text.spans[2]);
  CHECK(used->get<source::List>()->at(0).span == text.spans[1]);
}

TEST_CASE("entries are the items after merging") {
  const Read got = read("b: &b {x: 1, y: 2}\nm: {z: 3, <<: *b, x: 4}\n");
  REQUIRE(got.document);
  diag::Sink sink;
  const doc::Document& document = *got.document;
  const auto all = entries(document, document[document.root].items[3], sink);
  std::string out;
  for (const doc::Entry& entry : all) {
    out += std::string(document[entry.key].text) + "=" + std::string(document[entry.value].text) + " ";
  }
  CHECK(out == "x=4 y=2 z=3 ");
  CHECK(entries(document, document[document.root].items[0], sink).empty());
}

}  // namespace sparsecfg::test
