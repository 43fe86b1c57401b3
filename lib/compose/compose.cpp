#include "compose/compose.h"

#include <fmt/format.h>

#include <set>
#include <utility>

namespace sparsecfg::compose {

static std::size_t stages_of(const ir::Recipe& recipe) {
  std::set<std::string_view> stages;
  for (const ir::Action& action : recipe.actions) stages.insert(action.origin.stage);
  return stages.size();
}

// Writes the recipe and frees it before the text is read back, because reading needs as much memory.
static void write(Result& result, ir::Recipe recipe, const dialect::Dialect& dialect, const CompileOptions& reading) {
  diag::Sink ignored;
  dialect::WriteOptions options;
  options.own = true;
  options.read = reading.read;
  result.stages = stages_of(recipe);
  result.text = dialect.write(recipe, options, ignored).text;
}

// Reads the result back to check that the framework accepts it.
static void check(Result& result, const std::string& name, CompileOptions reading) {
  reading.read.variables.clear();  // the result does not use variables
  Compilation back = compile(name, result.text, reading);
  if (back.recipe && back.recipe->length) result.length = back.recipe->length->epochs;
  if (!back.runs()) result.faults = std::move(back);
}

Result compose(std::span<Compilation* const> recipes, const dialect::Dialect& dialect,
               const dialect::ComposeOptions& options, const CompileOptions& reading) {
  Result result;
  ir::Recipe all = std::move(*recipes.front()->recipe);
  for (Compilation* next : recipes.subspan(1)) {
    dialect::Composed composed = dialect.compose(std::move(all), std::move(*next->recipe), options);
    if (!composed.problem.empty()) {
      result.problem = fmt::format("{}: {}", next->file->name(), composed.problem);
      return result;
    }
    result.remarks.insert(result.remarks.end(), composed.remarks.begin(), composed.remarks.end());
    all = std::move(composed.recipe);
  }
  write(result, std::move(all), dialect, reading);
  check(result, recipes.front()->file->name(), reading);
  return result;
}

std::string report_text(const Result& result, std::size_t recipes) {
  std::string out;
  for (const std::string& remark : result.remarks) out += remark + "\n";
  out += fmt::format("{} recipes in {} stages", recipes, result.stages);
  return out + (result.length ? fmt::format("; the result trains for {} epochs\n", *result.length) : "\n");
}

}  // namespace sparsecfg::compose
