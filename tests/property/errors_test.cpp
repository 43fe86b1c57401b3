#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "compile/compile.h"
#include "recipes.h"
#include "rounds.h"

// The recipes of the cases read for errors alone: these are all there, and the schedule is the same.
namespace sparsecfg {

static std::vector<std::string> errors_in(const Compilation& compilation) {
  std::vector<std::string> out;
  for (const diag::Diagnostic& each : compilation.diagnostics) {
    if (each.severity == diag::Severity::error) out.push_back(std::string(each.info->code) + " " + each.message);
  }
  return out;
}

TEST_CASE("a recipe that is read for errors alone has all of them", "[errors]") {
  std::size_t fewer = 0;
  const auto each_nth = static_cast<std::size_t>(property_rounds(50) == 50 ? 1 : 5);
  const auto check = [&](const std::filesystem::path& path, const std::string& text) {
    const std::string name = path.filename().string();
    const Compilation whole = compile(name, text, {});
    CompileOptions options;
    options.errors_only = true;
    const Compilation errors = compile(name, text, options);
    INFO(path.string());
    CHECK(errors_in(errors) == errors_in(whole));
    CHECK(errors.runs() == whole.runs());
    CHECK((errors.recipe ? errors.recipe->actions.size() : 0) == (whole.recipe ? whole.recipe->actions.size() : 0));
    if (errors.diagnostics.size() < whole.diagnostics.size()) ++fewer;
  };
  CHECK(for_each_recipe({".yaml", ".md", ".json", ".py"}, each_nth, check) > 500);
  CHECK(fewer > 5);
}

}  // namespace sparsecfg
