#include "dialect/sparseml/read/read.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "dialect/selected/selected.h"
#include "dialect/sparseml/read/fields.h"
#include "dialect/sparseml/read/layout.h"
#include "dialect/sparseml/read/lower.h"
#include "dialect/sparseml/read/variables.h"
#include "dialect/sparseml/rules/rules.h"

namespace sparsecfg::dialect::sparseml {

// Sets `incomplete` if a modifier is not known.
static std::vector<Modifier> read_modifiers(const Context& context, const std::vector<Group>& groups,
                                            bool& incomplete) {
  std::vector<Modifier> modifiers;
  int ordinal = 0;
  for (const Group& group : groups) {
    modifiers.reserve(modifiers.size() + group.items.size());
    for (const doc::NodeId item : group.items) {
      auto modifier = read_modifier(context, item, group, ++ordinal);
      incomplete = incomplete || !modifier || is_opaque(*modifier);
      if (modifier) {
        check_load(*modifier, context.sink);
        modifiers.push_back(std::move(*modifier));
      }
    }
  }
  return modifiers;
}

// The loader builds modifiers while it reads the file, so it can reject a modifier that would be dropped later.
static void check_dropped(const Context& context, const std::vector<Group>& groups) {
  bool unused = false;
  for (Modifier& modifier : read_modifiers(context, groups, unused)) {
    check_freeze_epochs(modifier, std::nullopt, context.sink);
    const Field* params = modifier.readable("params");
    if (params != nullptr && params->value.get<source::List>() == nullptr) {
      (void)read_selector(modifier, params->value, "params", context.sink);
    }
  }
}

// The 2020 releases read recipes as plain YAML, so Markdown after the recipe is a second document.
static void check_front_matter(const source::SourceFile& file, source::Span part, diag::Sink& sink) {
  const auto size = static_cast<std::uint32_t>(file.text().size());
  if (part.begin > 0 || part.end < size) {
    sink.report(diag::multiple_documents, {part.end, std::min(part.end + 3, size)})
        .with_help("move the recipe to a YAML file: SparseML releases of 2020 do not support front matter");
  }
}

static bool all_sound(const std::vector<Modifier>& modifiers) {
  return std::ranges::all_of(modifiers, &Modifier::valid);
}

// Returns the modifier that builds the first PyTorch scheduler, or null if others may build theirs in the same step.
static const Modifier* first_scheduler(const std::vector<Modifier>& modifiers, std::optional<std::size_t> steps) {
  std::vector<const Modifier*> by_start;
  for (const Modifier& modifier : modifiers) {
    if (modifier.spec->kind == ClassKind::learning_rate) by_start.push_back(&modifier);
  }
  std::ranges::stable_sort(by_start, {}, [](const Modifier* modifier) { return modifier->start(); });
  if (by_start.size() < 2) return by_start.empty() ? nullptr : by_start.front();
  const double step = 1.0 / static_cast<double>(steps.value_or(1));
  const double first = by_start[0]->start();
  const double second = by_start[1]->start();
  // A scheduler that starts with the training is built one step later.
  return (first > 0 ? second >= first + step : second > step) ? by_start[0] : nullptr;
}

// A string that must be a list is corrected where its variable is defined.
static void move_to_definitions(Modifier& modifier, const Variables& variables, const source::SourceFile& file) {
  for (Field& field : modifier.fields) {
    const auto* text = field.value.get<std::string>();
    const bool selects = field.spec != nullptr && allows(field.spec->type, Type::selectors);
    if (!field.evaluated || !selects || text == nullptr || base::to_upper(*text).starts_with("__ALL")) continue;
    const source::Span place = variables.place_of_value(modifier.stage, file.text(field.value.span));
    if (!place.empty()) field.value.span = place;
  }
}

// Returns the length of the training, for advice also if a modifier is rejected.
static std::optional<double> stated_epochs(const std::vector<Modifier>& modifiers, const ReadOptions& options) {
  if (options.epochs) return options.epochs;
  const auto length = training_length(modifiers);
  return length ? std::optional(length->epochs) : std::nullopt;
}

ir::Recipe read(const source::SourceFile& file, source::Span part, const doc::Document& document,
                const ReadOptions& options, diag::Sink& sink) {
  const Framework asked = framework_of(options);
  const Framework framework = detect_release(document, asked, sink);
  const bool of_2020 = framework == Framework::pytorch_2020;
  check_text(file, part, document, framework, sink);
  const Layout layout = of_2020 ? find_groups_of_2020(file, document, sink) : find_groups(file, document, sink);
  Variables variables(file, document, layout, options.variables, !of_2020, sink);
  const Context context{file, document, variables, framework, sink, options.custom.get(), options.parameters};
  bool incomplete = false;
  std::vector<Modifier> modifiers = read_modifiers(context, layout.groups, incomplete);
  if (of_2020) {
    check_dropped(context, layout.dropped);
    check_front_matter(file, part, sink);
  } else {
    variables.report_habits();
  }

  const std::optional<double> epochs = stated_epochs(modifiers, options);
  for (Modifier& modifier : modifiers) check_freeze_epochs(modifier, epochs, sink);

  ir::Recipe recipe{"sparseml", {}, variables.list(), variables.metadata(), std::nullopt};
  recipe.incomplete = incomplete;
  recipe.framework = asked == Framework::pytorch ? "" : kFrameworkNames[static_cast<std::size_t>(asked)];
  const auto length = all_sound(modifiers) ? training_length(modifiers) : std::nullopt;
  const Run run{options.epochs ? options.epochs
                : length       ? std::optional(length->epochs)
                               : std::nullopt,
                options.steps_per_epoch, options.parameter_groups, first_scheduler(modifiers, options.steps_per_epoch),
                length && !options.epochs ? length->span : source::Span()};
  for (Modifier& modifier : modifiers) {
    if (modifier.valid && run.reaches(modifier.start())) check_late_values(file, modifier, sink);
    if (modifier.valid) check_scheduler_arguments(modifier, run, sink);
    if (modifier.valid) check_run(modifier, run, sink);
  }
  const std::vector<std::size_t> order = application_order(modifiers, sink);
  const std::vector<std::string> roots = root_parameters(options);
  recipe.actions.reserve(order.size());
  for (const std::size_t index : order) {
    const bool idle = is_idle(modifiers[index], run);
    move_to_definitions(modifiers[index], variables, file);
    recipe.actions.push_back(lower(std::move(modifiers[index]), sink));
    if (idle) recipe.actions.back().cadence.start.value = ir::Cadence::kEndless;
    if (framework != Framework::pytorch) continue;
    resolve_root_parameters(recipe.actions.back(), roots, options, sink);
    check_model(recipe.actions.back(), options, run, sink);
  }
  if (framework == Framework::pytorch) {
    check_renamed(recipe.actions, options, sink);
    check_gradients(recipe.actions, options, run, sink);
    check_thinned(recipe.actions, options, run, sink);
    check_thinning(recipe.actions, run, sink);
    hide_removed_layers(recipe.actions, options);
    if (options.parameters != nullptr) {
      const selected::Writing writing{model::Selector::Over::parameters, "re:", true};
      selected::check_output_layer(recipe, *options.parameters, writing, sink);
      selected::check_starts(recipe, *options.parameters, writing, sink);
    }
  }
  if (length) {
    recipe.length = length;
    recipe.length->action = static_cast<std::size_t>(std::ranges::find(order, length->action) - order.begin());
  }
  return recipe;
}

}  // namespace sparsecfg::dialect::sparseml
