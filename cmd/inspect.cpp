#include "inspect/inspect.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/limits.h"
#include "cmd/commands.h"
#include "cmd/options.h"
#include "cmd/reading.h"
#include "compile/model.h"
#include "dialect/plan/plan.h"
#include "dialect/schemes/one_shot.h"
#include "outcome/storage.h"
#include "project/custom.h"
#include "timeline/overview.h"

namespace sparsecfg::cmd {

struct InspectOptions {
  ReadingOptions reading;
  std::string path;
  bool json = false;
  bool custom = false;
};

// Returns the variables with their values from the file, if --set changed some; else an empty list.
static std::vector<ir::Variable> defaults_of(const ReadRecipe& read) {
  CompileOptions options = read.options->compile;
  if (options.read.variables.empty()) {
    return {};
  }
  options.read.variables.clear();
  const source::SourceFile& file = *read.compilation.file;
  Compilation plain = compile(file.name(), std::string(file.text()), options);
  return plain.recipe ? std::move(plain.recipe->variables) : std::vector<ir::Variable>();
}

// Sets the sizes of the layers of a model. Does nothing if the recipe sets no schemes.
static void set_sizes(const ir::Recipe& recipe, const std::vector<model::Module>& modules,
                      const CompileOptions& options, inspect::Facts& facts) {
  if (!outcome::has_outcome(recipe)) return;
  const outcome::Outcome outcome = outcome::evaluate(recipe, modules);
  const std::vector<model::Module>& names = outcome::names_of(recipe, modules);
  inspect::Storage out;
  out.schemes = outcome::scheme_counts(outcome);
  if (out.schemes.empty()) return;
  const double outside = bits_outside(recipe, modules, options);
  outcome::Sizes sizes = outcome::sizes_of(outcome, names, layers_of(recipe, options));
  sizes.weights += static_cast<std::uint64_t>(outside / 16);
  sizes.bits += outside;
  if (sizes.weights > 0) {
    out.bits_per_weight = sizes.bits / static_cast<double>(sizes.weights);
    constexpr double kMaxBytes = 9e18;  // formats may state any number of bits
    out.bytes = static_cast<std::uint64_t>(std::min(sizes.bits / 8, kMaxBytes));
    out.ratio = 16 / out.bits_per_weight;
  }
  facts.storage = std::move(out);
  if (facts.one_shot)
    facts.one_shot->stored = outcome::stored_layers(outcome, names, layers_of(recipe, options), outside);
}

// Replaces the windows of pruners by those of an evaluated run, so that `inspect` and `timeline` agree. Does nothing if
// the length of the run is unknown.
static void use_run(inspect::Facts& facts, const ir::Recipe& recipe, const CompileOptions& options,
                    const project::Settings& settings) {
  if (!facts.epochs || *facts.epochs <= 0 || !recipe.has_timeline() || facts.prunes.empty()) return;
  const auto steps = settings.steps_per_epoch ? settings.steps_per_epoch : recipe.steps_per_epoch;
  const timeline::Run run{steps.value_or(timeline::kAssumedStepsPerEpoch), *facts.epochs, settings.initial_rate,
                          options.parameters, options.modules};
  const timeline::Overview overview = timeline::survey(recipe, run, limits::kMaxChanges);
  if (!overview.complete) return;
  for (inspect::Pruning& pruning : facts.prunes) {
    const timeline::Overview::Phase& phase = overview.phases[pruning.index];
    if (pruning.start && phase.start) pruning.start = run.epoch_of(*phase.start);
    if (pruning.end && phase.end) pruning.end = run.epoch_of(*phase.end);
    pruning.reached.resize(pruning.sparsities.size());
    for (std::size_t at = 0; at < overview.columns.size(); ++at) {
      const timeline::Column& column = overview.columns[at];
      if (column.action == pruning.index) pruning.reached[column.target] = overview.reached[at];
    }
  }
}

// Replaces the facts that depend on unknown values by their reasons.
static void show_unknown(const Compilation& result, inspect::Facts& facts) {
  if (!result.chosen) return;
  for (const ir::UnknownField& field : ir::unknown_fields(result.recipes[*result.chosen])) {
    facts.unknown.push_back(fmt::format("{}: {}", field.name, field.reason));
    if (!facts.one_shot) continue;
    for (ir::OneShotStep& step : facts.one_shot->steps) {
      if (result.recipe->actions[step.action].origin.class_name != field.modifier->class_name) continue;
      step.schemes.clear();
      step.ignored.clear();
      step.mappings.clear();
      step.settings.clear();
    }
  }
}

static void show(bool as_json, const std::string& json, const std::string& text, const Streams& streams) {
  if (as_json) {
    streams.out << json;
  } else {
    show_text(text, streams);
  }
}

static int inspect(const InspectOptions& options, const Streams& streams) {
  const auto read = read_recipe(options.path, options.reading, streams, Findings::errors, Several::listed);
  if (!read) {
    return kUsage;
  }
  const Compilation& result = read->compilation;
  if (options.custom) {
    streams.out << project::propose_custom({&result});
    return kClean;
  }
  show_findings(result, errors_of(result), streams);
  const bool valid = result.recipe && std::ranges::all_of(result.recipe->actions, &ir::Action::valid);
  const ir::FoundRecipe* unknown = valid ? nullptr : recipe_without_schedule(result);
  if (unknown != nullptr) {
    show(options.json, inspect::list_json(result.recipes, result.file->name()), inspect::unknown_text(*unknown),
         streams);
    return kClean;
  }
  if (!valid && (options.json || result.several) && !result.recipes.empty()) {
    show(options.json, inspect::list_json(result.recipes, result.file->name()), inspect::list_text(result.recipes),
         streams);
  }
  if (!valid) {
    if (!result.several) show_obstacle(*read, streams);
    return result.several && result.count(diag::Severity::error) == 0 ? kClean : kErrors;
  }
  const dialect::ReadOptions& run = read->options->compile.read;
  inspect::Facts facts = inspect::gather(*result.recipe, run.epochs, run.steps_per_epoch);
  facts.defaults = defaults_of(*read);
  const std::string renamed = other_names(*result.recipe, read->options->compile);
  const std::vector<model::Module>* modules = renamed.empty() ? run.modules.get() : nullptr;
  if (dialect::schemes::is_one_shot(*result.recipe)) {
    facts.one_shot = dialect::schemes::one_shot_of(*result.recipe);
    if (!renamed.empty()) facts.unknown.push_back("quantized layers: " + renamed);
  }
  if (modules != nullptr) set_sizes(*result.recipe, *modules, read->options->compile, facts);
  facts.is_result = dialect::plan_of(*result.recipe).is_result;
  if (facts.is_result) facts.needs.clear();
  if (!options.json) use_run(facts, *result.recipe, read->options->compile, read->options->settings);
  show_unknown(result, facts);
  show(options.json, inspect::json(*result.recipe, facts, result.file->name(), result.recipes),
       inspect::text(*result.recipe, facts), streams);
  return result.count(diag::Severity::error) > 0 ? kErrors : kClean;
}

static std::vector<Option> options_of(InspectOptions& own) {
  std::vector<Option> out = {
      text_or_json("--format", own.json, "Output format"),
      flag("--custom", own.custom, "Show the setting `custom` for classes that no framework defines"),
  };
  append(out, reading_options(own.reading));
  out.push_back(recipe_number(own.reading));
  return out;
}

Command inspect_command() {
  return recipe_command("inspect", "Show the settings that a training script needs", options_of, inspect);
}

}  // namespace sparsecfg::cmd
