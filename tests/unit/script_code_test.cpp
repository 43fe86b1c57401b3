#include "dialect/quantizers/script_code.h"

#include <catch2/catch.hpp>

namespace sparsecfg::dialect::quantizers {
namespace {

constexpr Exported kNames[] = {{"torch"}, {"torch", "nn"}, {"a.b", "Row"}, {"a.b", "Group"}, {"a.c", {}, "ac"}};

ScriptCode code_in(const std::string& script, std::string_view text) {
  return code_for(python::imported_names(source::SourceFile("script.py", script)), text, kNames);
}

}  // namespace

TEST_CASE("code for a script uses the names that the script imports") {
  CHECK(code_in("from a.b import Row\n", "Row()").shown() == "`Row()`");
  CHECK(code_in("from a.b.inner import Row as R\n", "Row()").text == "R()");
  CHECK(code_in("import a.b as x\n", "Row(Group(2))").text == "x.Row(x.Group(2))");
  CHECK(code_in("import a.b\n", "Row()").text == "a.b.Row()");
  CHECK(code_in("from a.b import *\n", "Row()").shown() == "`Row()`");
  CHECK(code_in("from torch import nn\n", "nn.Linear").text == "nn.Linear");
  CHECK(code_in("import torch\n", "nn.Linear").text == "torch.nn.Linear");
  CHECK(code_in("from a import c\n", "ac.f()").text == "c.f()");
}

TEST_CASE("code for a script names the imports that the script lacks") {
  CHECK(code_in("import os\n", "Row(Group(2))").imports == ", with `from a.b import Row, Group`");
  CHECK(code_in("import os\n", "Row(torch.int4)").imports == ", with `from a.b import Row` and `import torch`");
  CHECK(code_in("import os\n", "ac.f()").imports == ", with `import a.c as ac`");
  CHECK(code_in("import b\n", "f(torch=1, x.Row, \"Row\")").imports.empty());
  CHECK(code_in("x = 1\n", "Row()").imports.empty());
}

TEST_CASE("a help line names the imports of its code once") {
  const source::SourceFile script("script.py", "import os\n");
  std::string help = "add `Row()` after `Row(1)`";
  name_imports(help, script, kNames);
  CHECK(help == "add `Row()` after `Row(1)`, with `from a.b import Row`");
  std::string other = "delete Row";
  name_imports(other, script, kNames);
  CHECK(other == "delete Row");
}

}  // namespace sparsecfg::dialect::quantizers
