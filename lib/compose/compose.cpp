#include "compose/compose.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/text.h"
#include "compose/keep_text.h"
#include "doc/readers.h"
#include "format/format.h"

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

// Returns the stage of the last action that begins before a place.
static std::string_view stage_at(const ir::Recipe& recipe, std::uint32_t place) {
  const ir::Action* found = nullptr;
  for (const ir::Action& action : recipe.actions) {
    const bool is_before = action.origin.span.begin <= place;
    if (is_before && (found == nullptr || found->origin.span.begin < action.origin.span.begin)) found = &action;
  }
  return found == nullptr ? std::string_view() : std::string_view(found->origin.stage);
}

// Adds the findings that concern two stages: they are not in the recipes alone.
static void add_warnings(Result& result, const Compilation& back) {
  for (const diag::Diagnostic& finding : back.diagnostics) {
    if (finding.severity == diag::Severity::info) continue;
    const std::string_view stage = stage_at(*back.recipe, finding.span.begin);
    const auto label = std::ranges::find_if(finding.labels, [&](const diag::Label& each) {
      return !each.span.empty() && stage_at(*back.recipe, each.span.begin) != stage;
    });
    if (label == finding.labels.end()) continue;
    const std::size_t line = back.file->position(finding.span.begin).line;
    result.warnings.push_back(fmt::format("{}[{}]: {}: {} (line {} of the result)\n  = help: {}",
                                          diag::to_string(finding.severity), finding.info->code, base::printable(stage),
                                          finding.message, line, finding.help));
  }
}

// Returns a text that keeps variables and comments, or an empty string if it would not have the same effect.
static std::string keep(const std::vector<Part>& parts, const ir::Recipe& composed, const std::string& name,
                        const CompileOptions& reading) {
  const auto text = parts.empty() ? std::nullopt : keep_text(parts, composed);
  const auto back = text ? std::optional(compile(name, *text, reading)) : std::nullopt;
  return back && back->runs() && is_same(*back->recipe, composed) ? *text : "";
}

// Reads the result back to check that the framework accepts it.
static void check(Result& result, const std::string& name, CompileOptions reading) {
  reading.read.variables.clear();  // the values that were set are in the text
  reading.errors_only = false;
  Compilation back = compile(name, result.text, reading);
  if (back.runs()) add_warnings(result, back);
  if (back.recipe && back.recipe->length) result.length = back.recipe->length->epochs;
  if (!back.runs()) result.faults = std::move(back);
}

static bool has_variables(const Compilation* compilation) { return !compilation->recipe->variables.empty(); }

static bool has_comments(const source::SourceFile& file, const CompileOptions& reading) {
  diag::Sink ignored;
  const auto part = format::part_of(file);
  const auto document = part ? doc::read_yaml(file, *part, reading.limits, ignored) : std::nullopt;
  return document && !document->comments.empty();
}

Result compose(std::span<Compilation* const> recipes, const dialect::Dialect& dialect,
               const dialect::ComposeOptions& options, const CompileOptions& reading) {
  Result result;
  const std::vector<Part> parts = reading.read.variables.empty() ? parts_of(recipes) : std::vector<Part>();
  const bool had_variables = std::ranges::any_of(recipes, has_variables);
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
  const std::string& name = recipes.front()->file->name();
  const std::string kept = keep(parts, all, name, reading);
  write(result, std::move(all), dialect, reading);
  if (!kept.empty()) result.text = kept;
  const auto had_comments = [&](const Compilation* each) { return has_comments(*each->file, reading); };
  if (kept.empty() && (had_variables || std::ranges::any_of(recipes, had_comments))) {
    result.remarks.emplace_back("note: comments are not kept, and variables are replaced by their values");
  }
  check(result, name, reading);
  return result;
}

std::string report_text(const Result& result, std::size_t recipes) {
  std::string out;
  for (const auto* lines : {&result.remarks, &result.warnings}) {
    for (const std::string& line : *lines) out += line + "\n";
  }
  out += fmt::format("{} recipes in {} stages", recipes, result.stages);
  return out + (result.length ? fmt::format("; the result trains for {} epochs\n", *result.length) : "\n");
}

}  // namespace sparsecfg::compose
