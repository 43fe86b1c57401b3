#include <catch2/catch.hpp>
#include <string>

#include "compile/places.h"
#include "doc/construct.h"
#include "doc/readers.h"

namespace sparsecfg::test {

// The configuration lists of a script, as Python prints them.
static std::string lists_in(std::string text) {
  const source::SourceFile file("script.py", std::move(text));
  const auto document = places::lists_in(file, {});
  diag::Sink sink;
  return source::python_str(doc::construct(document, document.root, sink));
}

TEST_CASE("configuration lists of a script are followed") {
  struct Followed {
    const char* script;
    const char* lists;
  };

  const std::string pruner = "from nni.compression.pruning import P\n";
  for (const Followed& c : {
           Followed{"a = [{'op_types': ['Linear'], 'sparsity': -.5}]",
                    "{'a': [{'op_types': ['Linear'], 'sparsity': -0.5}]}"},
           Followed{"r = 0.5\na = [dict(op_types=['x'], sparsity=r * 1.5)]",
                    "{'a': [{'op_types': ['x'], 'sparsity': 0.75}]}"},
           Followed{"a = []\nfor n in ('x', 'y'): a.append({'op_names': [n]})",
                    "{'a': [{'op_names': ['x']}, {'op_names': ['y']}]}"},
           Followed{"a = [{'op_names': [n]} for n in 'xy']", "{'a': [{'op_names': ['x']}, {'op_names': ['y']}]}"},
           Followed{"a = [{'op_names': ['x']}, 'y']", "{'a': [{'op_names': ['x']}, 'y']}"},
           Followed{"a = [{'op_names': 'x'}]\ndel a[0]", "{}"},
           Followed{"def f():\n    a = [{'op_names': 'x'}]\na = [{'op_names': 'y'}]",
                    "{'a': [{'op_names': 'x'}], 'a:4': [{'op_names': 'y'}]}"},
           Followed{"P(m, [{'op_names': 'x'}])", "{'config_list': [{'op_names': 'x'}]}"},
           Followed{"P(m, config_list=[{'op_names': 'x'}])", "{'config_list': [{'op_names': 'x'}]}"},
           Followed{"a = [{'op_names': 'x'}]\nP(m, a)\na.append(1)", "{'a': [{'op_names': 'x'}]}"},
           Followed{"a = [{'op_names': 'x'}]\nb = P(m, a, i)\nP(m, b)", "{'a': [{'op_names': 'x'}]}"},
           Followed{"a = [{'op_names': 'x'}]\nif c: a = [{'op_names': 'y'}]\nP(m, a)",
                    "{'a': [{'op_names': 'x'}], 'a:3': [{'op_names': 'y'}]}"},
           Followed{"a = [{'op_names': 'x'}]\nf(a)", "{}"},
           Followed{"a = [{'shape': 1}]\nop_names = 1", "{}"},
           Followed{"x = [1, 2", "{}"},
       }) {
    INFO(c.script);
    CHECK(lists_in(pruner + c.script) == c.lists);
  }
}

TEST_CASE("unknown values in lists are marked, and tuples are distinguished") {
  const source::SourceFile file("script.py", "a = [{'op_types': x, 'sparsity': (1, 2)}]");
  const auto document = places::lists_in(file, {});
  const auto texts = [&](std::string_view tag) {
    std::string out;
    for (const source::Span span : doc::places_with(document, tag)) out += std::string(file.text(span)) + ";";
    return out;
  };
  CHECK(texts(doc::kNotLiteralTag) == "x;");
  CHECK(texts(doc::kTupleTag) == "(1, 2);");
}

}  // namespace sparsecfg::test
