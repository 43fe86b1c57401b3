#include "compose/compose.h"

#include <fmt/format.h>

#include <set>

namespace sparsecfg::compose {

static std::size_t stages_of(const ir::Recipe& recipe) {
  std::set<std::string_view> stages;
  for (const ir::Action& action : recipe.actions) stages.insert(action.origin.stage);
  return stages.size();
}

// Reads what was written, which shows whether the framework would run it.
static void check(Result& result, const std::string& name, CompileOptions reading) {
  reading.read.variables.clear();  // there are none left
  Compilation back = compile(name, result.text, reading);
  if (back.recipe && back.recipe->length) result.length = back.recipe->length->epochs;
  if (!back.runs()) result.faults = std::move(back);
}

Result compose(std::span<const Compilation* const> recipes, const dialect::Dialect& dialect,
               const dialect::ComposeOptions& options, const CompileOptions& reading) {
  Result result;
  ir::Recipe all = *recipes.front()->recipe;
  for (const Compilation* next : recipes.subspan(1)) {
    dialect::Composed composed = dialect.compose(all, *next->recipe, options);
    if (!composed.problem.empty()) {
      result.problem = fmt::format("{}: {}", next->file->name(), composed.problem);
      return result;
    }
    result.remarks.insert(result.remarks.end(), composed.remarks.begin(), composed.remarks.end());
    all = std::move(composed.recipe);
  }
  diag::Sink ignored;
  dialect::WriteOptions write;
  write.read = reading.read;
  result.stages = stages_of(all);
  result.text = dialect.write(all, write, ignored).text;
  check(result, recipes.front()->file->name(), reading);
  return result;
}

std::string report_text(const Result& result, std::size_t recipes) {
  std::string out;
  for (const std::string& remark : result.remarks) out += remark + "\n";
  out += fmt::format("{} recipes in {} stages", recipes, result.stages);
  return out + (result.length ? fmt::format(": the result trains {} epochs\n", *result.length) : "\n");
}

}  // namespace sparsecfg::compose
