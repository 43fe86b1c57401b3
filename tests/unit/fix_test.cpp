#include "compile/fix.h"

#include <catch2/catch.hpp>
#include <string>

#include "base/text.h"

namespace sparsecfg {

// The text after all fixes, unsafe ones too.
static std::string fixed(std::string text) {
  const CompileOptions options;
  return std::string(
      fix(compile("recipe.yaml", std::move(text), options), options, {.unsafe = true}).result.file->text());
}

static std::string repeated(const std::string& text, int count) {
  std::string out;
  for (int at = 0; at < count; ++at) out += text;
  return out;
}

static const std::string kRecipe = "\nmodifiers:\n  - !ConstantPruningModifier\n    params: [fc.weight]\n";

TEST_CASE("a character that can't be seen is deleted wherever it stands, among others of its kind") {
  CHECK(fixed("# " + repeated("a\u200b b\u2060 ", 300) + "c" + kRecipe) ==
        "# " + repeated("a b ", 300) + "c" + kRecipe);
}

TEST_CASE("a control character is deleted wherever it stands, so that the file can be read") {
  CHECK(fixed("# " + repeated("a\x07 ", 300) + "c" + kRecipe) == "# " + repeated("a ", 300) + "c" + kRecipe);
}

}  // namespace sparsecfg
