#include "dialect/nni/read.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/number.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/nni/codes.h"
#include "dialect/nni/config.h"
#include "dialect/nni/schedule.h"
#include "dialect/selected/selected.h"
#include "doc/construct.h"
#include "doc/readers.h"
#include "ir/found_recipe.h"

namespace sparsecfg::dialect::nni {

// Returns the steps of a run, from the file or the command line.
static std::optional<double> steps_of_run(const RunLength& run, const Configuration& configuration,
                                          const ReadOptions& options) {
  if (run.max_steps) return run.steps();
  const auto per_epoch = options.steps_per_epoch ? options.steps_per_epoch : configuration.steps_per_epoch;
  return run.max_epochs && per_epoch && !run.computes_steps
             ? std::optional(*run.epochs() * static_cast<double>(*per_epoch))
             : std::nullopt;
}

static bool is_shared(const Compressor& compressor, const Configuration& configuration) {
  return configuration.compressors.size() > 1 && !compressor.own_run;
}

DIAGNOSTIC(
    SP340, start_of_run_unknown, info, (Text),
    "the step at which the run of `{}` starts is unknown, because it follows another run",
    "A script that calls `compress` of several compressors makes several runs, one after the other. The steps of "
    "a run count from its start. Its schedule is left out if the length of an earlier run is unknown.",
    "write `max_steps` of the earlier runs as numbers")

// Returns the steps of the run of a compressor; nullopt if they are unknown.
static std::optional<double> steps_of_own_run(const Compressor& compressor, const Configuration& configuration,
                                              const ReadOptions& options) {
  if (const auto steps = steps_of_run(*compressor.own_run, configuration, options)) return steps;
  if (compressor.own_run->computes_steps || compressor.own_run->max_epochs) return std::nullopt;
  const bool known = compressor.main && compressor.main->spec != nullptr && compressor.main->unknown.empty();
  const auto kind = known ? compressor.main->spec->kind.as<Schedule>() : Schedule::always;
  if (kind == Schedule::at_once) return 0.0;
  return kind == Schedule::after ? last_step(compressor) : std::nullopt;
}

// Finds the step at which each run of a script starts. A compressor whose start is unknown has no schedule.
static void find_starts(Configuration& configuration, const ReadOptions& options, diag::Sink& sink) {
  std::vector<Compressor*> runs;
  for (Compressor& compressor : configuration.compressors) {
    if (compressor.own_run) runs.push_back(&compressor);
  }
  std::ranges::sort(runs, {}, [](const Compressor* each) { return each->own_run->order; });
  std::optional<double> passed = 0;
  for (Compressor* compressor : runs) {
    if (!passed) {
      compressor->valid = false;
      sink.report(diag::start_of_run_unknown, compressor->compress_call,
                  compressor->main ? compressor->main->name.value : "compress");
      continue;
    }
    constexpr double kMost = 1e12;
    compressor->earlier_steps = static_cast<std::uint64_t>(std::clamp(*passed, 0.0, kMost));
    const auto steps = steps_of_own_run(*compressor, configuration, options);
    passed = steps ? std::optional(*passed + *steps) : std::nullopt;
  }
}

static void find_masks(Configuration& configuration, const Context& context) {
  const ReadOptions& options = context.options;
  const auto per_epoch = options.steps_per_epoch ? options.steps_per_epoch : configuration.steps_per_epoch;
  const auto given = options.epochs && options.steps_per_epoch
                         ? std::optional(*options.epochs * static_cast<double>(*options.steps_per_epoch))
                         : std::nullopt;
  for (Compressor& compressor : configuration.compressors) {
    const auto steps = steps_of_run(configuration.run_of(compressor), configuration, options);
    const auto length = given && !compressor.own_run ? given : steps;
    if (length) find_first_step(compressor, *length, per_epoch, context);
    const bool known = compressor.main && compressor.main->spec != nullptr;
    const auto first = known && compressor.valid ? first_mask(compressor) : std::optional<std::uint64_t>(0);
    // In a common run, a pruner without a schedule never updates its masks.
    const bool waits =
        known && is_shared(compressor, configuration) && compressor.main->spec->kind == Schedule::at_once;
    compressor.makes_masks = first && !waits && (!steps || static_cast<double>(*first) <= *steps);
  }
}

static std::vector<std::vector<Target>> read_3_0(Configuration& configuration, const Context& context) {
  for (Compressor& compressor : configuration.compressors) {
    const bool translated = is_legacy(compressor);
    if (translated) {
      translate(compressor, context);
    }
    for (Entry& entry : compressor.entries) {
      if (entry.valid) check_entry(entry, compressor.mode, translated, context);
    }
  }
  check_arguments(configuration, context);
  find_masks(configuration, context);
  std::vector<std::vector<Target>> targets = resolve(configuration, context);
  for (std::size_t at = 0; at < targets.size(); ++at) {
    Compressor& compressor = configuration.compressors[at];
    check_targets(compressor, targets[at], context);
    check_fusion(compressor, targets[at], context);
    check_masks(compressor, targets[at], context);
  }
  find_starts(configuration, context.options, context.sink);
  return targets;
}

static bool is_script(const doc::Document& document) { return document[document.root].tag == doc::kScriptTag; }

DIAGNOSTIC(SP034, not_a_literal, info, (), "this list is not checked, because it contains unknown values",
           "sparsecfg follows scripts without running them. Values that it cannot know, such as options of the command "
           "line, are named in other notes. Most rules of NNI compare entries with each other, so one unknown value "
           "makes them uncertain.",
           "write the unknown values as literals to have the list checked")

static bool has_unknown_values(const Compressor& compressor, const Context& context) {
  return std::ranges::any_of(compressor.entries, [&](const Entry& entry) {
    return context.unread.contains(entry.span) || std::ranges::any_of(entry.fields, [&](const source::Entry& field) {
             return ir::unknown_in(field.second, context.unread).has_value();
           });
  });
}

static std::vector<std::vector<Target>> read_targets(Configuration& configuration, const Context& context) {
  return release_of(context.options) == Release::v3_0 ? read_3_0(configuration, context)
                                                      : read_older(configuration, context);
}

// Reports lists of a script that contain unknown values, and checks only the others. Such a script has no schedule.
// Returns false if all values are known.
static bool check_known_lists(const Configuration& configuration, const Context& context) {
  const auto is_unknown = [&](const Compressor& compressor) { return has_unknown_values(compressor, context); };
  if (std::ranges::none_of(configuration.compressors, is_unknown)) {
    return false;
  }
  Configuration known = configuration;
  std::erase_if(known.compressors, [&](const Compressor& compressor) {
    if (!is_unknown(compressor)) return false;
    context.sink.report(diag::not_a_literal, {compressor.list.begin, compressor.list.begin + 1});
    return true;
  });
  if (known.valid) static_cast<void>(read_targets(known, context));
  return true;
}

// JSON has floats that YAML 1.1 reads as strings, such as 1e-05. Unquoted strings in JSON are such numbers.
static void read_json_numbers(source::Value& value, const source::SourceFile& file) {
  if (auto* list = std::get_if<source::List>(&value.data)) {
    for (source::Value& item : *list) {
      read_json_numbers(item, file);
    }
  } else if (auto* map = std::get_if<source::Map>(&value.data)) {
    for (source::Entry& entry : *map) {
      read_json_numbers(entry.second, file);
    }
  } else if (value.get<std::string>() != nullptr && !file.text(value.span).starts_with('"')) {
    if (const auto number = base::parse_double(file.text(value.span))) {
      value.data = *number;
    }
  }
}

// Packages of the releases before 3.0, which has only `nni.compression`.
constexpr std::pair<std::string_view, Release> kPackages[] = {{"from nni.compression.torch", Release::v1},
                                                              {"from nni.compression.pytorch", Release::v2},
                                                              {"from nni.compression.tensorflow", Release::v2},
                                                              {"from nni.algorithms.compression", Release::v2}};

// Returns true if an entry of a script has a key of the AGP schedule in epochs.
static bool has_epochs(const doc::Document& document) {
  return std::ranges::any_of(document.nodes,
                             [](const doc::Node& node) { return find_key(epoch_keys(), node.text) != nullptr; });
}

// Releases 2.0 to 2.2 have the pruners of 1.x in this package, later ones pruners with other arguments.
constexpr std::string_view kFirstPackage = "from nni.algorithms.compression.pytorch";

// The imports of a script determine the release.
static ReadOptions with_release(const Source& source, const ReadOptions& options) {
  ReadOptions out = options;
  for (const auto& [package, release] : kPackages) {
    const bool imports = is_script(source.document) && source.file.text().find(package) != std::string_view::npos;
    if (imports && !options.given(kReleaseOption)) {
      const bool by_epochs =
          source.file.text().find(kFirstPackage) != std::string_view::npos && has_epochs(source.document);
      out.reader_options.emplace_back(kReleaseOption.name, name_of(by_epochs ? Release::v1 : release));
      break;
    }
  }
  return out;
}

static std::string without_layer(const std::string& layer) {
  return fmt::format("add `exclude_op_names: [{}]` to the entry", layer);
}

// Checks the selected modules of a model.
static void check_selections(const ir::Recipe& recipe, const ReadOptions& options, diag::Sink& sink) {
  if (options.modules == nullptr || !selected::removes_outputs(recipe)) return;
  const bool current = release_of(options) == Release::v3_0;
  const selected::Writing writing{model::Selector::Over::modules, "", false, current ? without_layer : nullptr};
  selected::check_output_layer(recipe, model::ModelNames(*options.modules), writing, sink);
}

ir::Recipe read(const Source& source, const ReadOptions& given, diag::Sink& sink) {
  const ReadOptions options = with_release(source, given);
  doc::check_json(source.file, sink);
  doc::report_unknown_tags(source.document, "NNI", sink);
  source::Value root = doc::construct(source.document, source.document.root, sink);
  if (base::to_lower(base::ending_of(source.file.name())) == "json") {
    read_json_numbers(root, source.file);
  }
  const bool script = is_script(source.document);
  const std::set<source::Span> tuples = doc::places_with(source.document, doc::kTupleTag);
  const std::set<source::Span> unread = doc::places_with(source.document, doc::kNotLiteralTag);
  const model::Model model(options.modules.get(), options.parameters);
  base::Guesses names(model.names());
  base::Guesses types(model.types());
  const Context context{source.file, options, model, tuples, unread, script, sink, names, types};
  Configuration configuration = find_compressors(std::move(root), script, context);
  if (script && !configuration.steps_per_epoch)
    configuration.steps_per_epoch = stated_steps_per_epoch(source.file.text());
  if (check_known_lists(configuration, context)) configuration.valid = false;
  std::vector<std::vector<Target>> targets(configuration.compressors.size());
  if (configuration.valid) targets = read_targets(configuration, context);
  ir::Recipe recipe = lower(configuration, std::move(targets), context);
  for (ir::Action& action : recipe.actions) {
    action.valid = action.valid && configuration.valid;
  }
  check_selections(recipe, options, sink);
  recipe.metadata = store_configuration(as_file(std::move(configuration), script), release_of(options));
  return recipe;
}

}  // namespace sparsecfg::dialect::nni
