#include "match/matching.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "cmd/commands.h"
#include "cmd/options.h"
#include "cmd/reading.h"
#include "compile/model.h"
#include "dialect/runtime.h"
#include "match/outcomes.h"

namespace sparsecfg::cmd {

struct MatchOptions {
  ReadingOptions reading;
  std::string path;
  std::string name;    // --explain; empty: all names
  std::string action;  // --selected-by; empty: all selectors
  bool all = false;
  bool json = false;
};

static int explain_name(const match::Matching& matching, const std::string& name, const Streams& streams) {
  if (const auto explained = matching.explain(name)) {
    show_text(*explained, streams);
    return kClean;
  }
  const auto guess = matching.nearest(name);
  complain(
      streams.err, name,
      guess ? fmt::format("no such name; did you mean {}?", base::printable(*guess)) : "no such name in the model");
  return kUsage;
}

static int list_selected(const match::Matching& matching, const std::string& action, const Streams& streams) {
  const auto names = matching.selected_by(action);
  if (!names) {
    complain(streams.err, action, "no such action in the recipe; pass a name that `sparsecfg match` prints");
    return kUsage;
  }
  streams.out << *names;
  return kClean;
}

// Lists the rules of a recipe without other selectors, and the names that they decide.
static int match_outcome(const match::NamedOutcome& named, const MatchOptions& options, const Streams& streams,
                         int status) {
  if (!named.outcome.complete) {
    complain(streams.err, options.path, "the rules are too many patterns for the layers of the model");
    return kUsage;
  }
  if (options.name.empty()) {
    const std::string out = options.json ? match::json_of(named) : match::text_of(named, options.all);
    if (options.json) {
      streams.out << out;
    } else {
      show_text(out, streams);
    }
    return status;
  }
  if (const auto explained = match::explain(named, options.name)) {
    show_text(*explained, streams);
    return status;
  }
  complain(streams.err, options.name, "no such name in the model");
  return kUsage;
}

static int match(const MatchOptions& options, const Streams& streams) {
  const auto read = read_recipe(options.path, options.reading, streams, Findings::all);
  if (!read) {
    return kUsage;
  }
  const CompileOptions& compiled = read->options->compile;
  if (compiled.parameters == nullptr && compiled.modules == nullptr) {
    complain(streams.err, "match", "the names of the model are unknown; pass --model");
    return kUsage;
  }
  const Compilation& result = read->compilation;
  show_findings(result, result.diagnostics, streams);
  if (!result.recipe || !std::ranges::all_of(result.recipe->actions, &ir::Action::valid)) {
    show_obstacle(*read, streams);
    return kErrors;
  }
  if (result.recipe->actions.empty() && result.count(diag::Severity::error) > 0) {
    return kErrors;  // the framework drops everything, so there is nothing to match
  }
  if (const std::string why = other_names(*result.recipe, compiled); !why.empty()) {
    complain(streams.err, options.path, "other layers may match in a run: " + why);
  }
  if (const ir::FoundRecipe* found = result.chosen ? &result.recipes[*result.chosen] : nullptr) {
    for (const ir::UnknownField& field : ir::unknown_fields(*found)) {
      complain(streams.err, options.path, fmt::format("{} is unknown: {}", field.name, field.reason));
    }
  }
  const auto layers = dialect::runtime_layers(*result.recipe, compiled.read);
  if (layers && !layers->complete) {
    complain(streams.err, options.path,
             "the targets and ignored names are too many patterns for the layers of the model");
    return kUsage;
  }
  const int status_of_findings = result.count(diag::Severity::error) > 0 ? kErrors : kClean;
  if (layers && options.action.empty()) {
    const std::vector<model::Module>& names = layers->recipe.units.items();
    const outcome::Outcome outcome = outcome::evaluate(layers->recipe, names);
    return match_outcome({outcome, names, *result.file, &layers->modules}, options, streams, status_of_findings);
  }
  std::optional<outcome::Outcome> outcome;
  std::optional<match::NamedOutcome> named;
  static const std::vector<model::Module> kNone;
  const std::vector<model::Module>& modules = compiled.read.modules == nullptr ? kNone : *compiled.read.modules;
  if (outcome::has_outcome(*result.recipe) && (!modules.empty() || !result.recipe->units.empty())) {
    outcome = outcome::evaluate(*result.recipe, modules);
    named.emplace(match::NamedOutcome{*outcome, outcome::names_of(*result.recipe, modules), *result.file});
  }
  // Selectors of actions with an outcome are those of its rules.
  const bool selects = std::ranges::any_of(result.recipe->actions, [](const ir::Action& action) {
    return action.operations.empty() && !ir::selectors_of(action.effect).empty();
  });
  if (named && (!selects || !result.recipe->units.empty()) && options.action.empty()) {
    return match_outcome(*named, options, streams, status_of_findings);
  }
  const match::Matching matching(*result.recipe, compiled.parameters, compiled.modules);
  if (!matching.complete()) {
    complain(streams.err, options.path, "the selectors match too many names to list");
    return kUsage;
  }
  if (!options.action.empty()) {
    if (const int status = list_selected(matching, options.action, streams); status != kClean) return status;
  } else if (options.json) {
    streams.out << matching.json(compiled.read.modules.get(), options.all && named ? &*named : nullptr);
  } else if (options.name.empty()) {
    show_text(matching.text(options.all), streams);
  } else if (const int status = explain_name(matching, options.name, streams); status != kClean) {
    return status;
  }
  return status_of_findings;
}

static std::vector<Option> options_of(MatchOptions& own) {
  std::vector<Option> out = {
      text("--explain", "NAME", own.name, "Show which selectors match one name"),
      text("--selected-by", "ACTION", own.action,
           "List the names that one action, such as GMPruningModifier#2, selects"),
      flag("--all", own.all, "List every name, including names that are not selected"),
      text_or_json("--format", own.json, "Output format"),
  };
  append(out, reading_options(own.reading));
  out.push_back(recipe_number(own.reading));
  return out;
}

Command match_command() {
  return recipe_command("match", "Show what each selector matches in a model", options_of, match);
}

}  // namespace sparsecfg::cmd
