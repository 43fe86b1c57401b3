#include "compose/compose.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "cmd/commands.h"
#include "cmd/options.h"
#include "cmd/reading.h"
#include "format/format.h"

namespace sparsecfg::cmd {

struct ComposeOptions {
  ReadingOptions reading;
  dialect::ComposeOptions rules;
  Output output;
};

// Returns true if the framework accepts the recipe and its dialect has stages. Otherwise reports the reason.
static bool is_composable(const ReadRecipe& read, const Streams& streams) {
  const Compilation& compilation = read.compilation;
  show_findings(compilation, errors_of(compilation), streams);
  if (!compilation.runs()) {
    show_obstacle(read, streams);
    return false;
  }
  const dialect::Dialect& dialect = *dialect::find_dialect(compilation.recipe->dialect);
  if (dialect.compose == nullptr) {
    complain(streams.err, compilation.file->name(),
             fmt::format("{} has no stages; run `sparsecfg convert --to sparseml` first", dialect.text));
  }
  return dialect.compose != nullptr;
}

static bool of_one_dialect(const std::vector<ReadRecipe>& recipes, std::ostream& err) {
  const std::string& first = recipes.front().compilation.recipe->dialect;
  for (const ReadRecipe& read : recipes) {
    const std::string& dialect = read.compilation.recipe->dialect;
    if (dialect != first) {
      complain(err, read.compilation.file->name(),
               fmt::format("the dialect is {}, but the first recipe is {}; convert one of them", dialect, first));
      return false;
    }
  }
  return true;
}

// Writes the result, unless its framework rejects it.
static int write_result(const ComposeOptions& options, const compose::Result& result,
                        const std::vector<std::string>& files, const Streams& streams) {
  show_report(printable_lines(compose::report_text(result, files.size())), streams);
  if (result.faults) {
    complain(streams.err, files.front(), "nothing was written, because the framework would reject the result:");
    show_findings(*result.faults, result.faults->diagnostics, streams);
    return kErrors;
  }
  return write_and_name(options.output, files, result.text, streams);
}

// Reads a recipe that is only a part of its file, such as the front matter of Markdown, again as a YAML file: the
// result is YAML, and its text is built from the texts of the recipes.
static ReadRecipe as_yaml(ReadRecipe read) {
  const source::SourceFile& file = *read.compilation.file;
  const auto part = read.compilation.part ? read.compilation.part : format::part_of(file);
  if (!part || part->begin == 0) return read;
  const std::string name = std::filesystem::path(file.name()).replace_extension(".yaml").native();
  const std::string_view text = file.text(*part);
  const std::size_t first = std::min(text.find_first_not_of('\n'), text.size());
  Compilation compilation = compile(name, std::string(text.substr(first)), read.options->compile);
  if (compilation.runs()) read.compilation = std::move(compilation);
  return read;
}

static int compose(const ComposeOptions& options, const std::vector<std::string>& files, const Streams& streams) {
  std::vector<ReadRecipe> recipes;
  for (const std::string& file : files) {
    auto read = read_recipe(file, options.reading, streams, Findings::errors);
    if (!read) return kUsage;
    if (!is_composable(*read, streams)) return kErrors;
    recipes.push_back(as_yaml(std::move(*read)));
  }
  if (!of_one_dialect(recipes, streams.err)) {
    return kErrors;
  }
  std::vector<Compilation*> compilations;
  for (ReadRecipe& read : recipes) compilations.push_back(&read.compilation);
  const dialect::Dialect& dialect = *dialect::find_dialect(recipes.front().compilation.recipe->dialect);
  const compose::Result result =
      compose::compose(compilations, dialect, options.rules, recipes.front().options->compile);
  if (!result.problem.empty()) {
    complain(streams.err, "compose", result.problem);
    return kErrors;
  }
  return write_result(options, result, files, streams);
}

static std::vector<Option> options_of(ComposeOptions& own) {
  std::vector<Option> out = {
      flag("--keep-epochs", own.rules.keep_epochs,
           "Keep all epochs, because later recipes already count from the start of the first"),
      output(own.output),
      force(own.output),
  };
  append(out, reading_options(own.reading));
  return out;
}

Command compose_command() {
  return recipes_command<ComposeOptions>(
      {"compose", "Combine recipes into one recipe with stages", "FILE FILE...",
       "Recipes of one dialect, in order; - is standard input", 2, std::numeric_limits<std::size_t>::max()},
      options_of, compose);
}

}  // namespace sparsecfg::cmd
