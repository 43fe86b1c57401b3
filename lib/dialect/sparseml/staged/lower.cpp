#include <algorithm>

#include "dialect/sparseml/read/lower.h"
#include "dialect/sparseml/staged/read.h"

#include "dialect/sparseml/last_epoch.h"
#include "dialect/sparseml/staged/arguments.h"
#include "dialect/sparseml/staged/operations.h"
#include "dialect/sparseml/staged/rules.h"
#include "dialect/sparseml/staged/types.h"
#include "doc/readers.h"
#include "ir/clock.h"

namespace sparsecfg::dialect::sparseml::staged {

using source::Located;
using source::Value;

static Value value_of(const Modifier& modifier, std::string_view name) {
  const Value* value = modifier.given(name);
  return value == nullptr ? Value{} : *value;
}

static ir::Effect opaque(const Modifier& modifier) {
  return ir::Opaque{modifier.given("targets") == nullptr ? std::nullopt : std::optional(read_targets(modifier))};
}

static ir::Effect prune(const Modifier& modifier) {
  const auto curve = read_curve(modifier, nullptr);
  if (!curve) {
    return opaque(modifier);
  }
  const MagnitudePruning pruning(modifier);
  ir::Structure structure = read_structure(pruning.mask_structure.value_or("")).value_or(ir::Structure{});
  structure.span = pruning.mask_structure.place();
  return ir::Prune{*curve,
                   {{{pruning.final_sparsity.value_or(0), pruning.final_sparsity.place()}, read_targets(modifier)}},
                   structure,
                   "magnitude",
                   pruning.apply_globally.value_or(false),
                   pruning.leave_enabled.value_or(false)};
}

static ir::Effect effect_of(const Modifier& modifier) {
  const auto observers = given(modifier, "disable_quantization_observer_epoch");
  switch (kind_of(modifier)) {
    case ClassKind::magnitude_pruning: return prune(modifier);
    case ClassKind::constant_pruning: return ir::HoldMask{read_targets(modifier)};
    case ClassKind::quantization:
      return ir::Quantize{true,        value_of(modifier, "config_groups"), {}, value_of(modifier, "ignore"), observers,
                          std::nullopt};
    case ClassKind::legacy_quantization:
      return ir::Quantize{true,
                          value_of(modifier, "scheme"),
                          value_of(modifier, "scheme_overrides"),
                          value_of(modifier, "ignore"),
                          observers,
                          given(modifier, "freeze_bn_stats_epoch")};
    case ClassKind::distillation: return ir::Distill{true, std::nullopt, std::nullopt};
    case ClassKind::sparse_gpt:
    case ClassKind::wanda:
    case ClassKind::gptq:
    case ClassKind::smoothing: return opaque(modifier);
    case ClassKind::opaque: return ir::Opaque{};
  }
  return ir::Opaque{};
}

// A start of -1 is never reached. An end of -1 means no end.
static ir::Cadence cadence_of(const Modifier& modifier) {
  const Window window(modifier);
  const double start = never_acts(modifier) ? -1 : window.start.value_or(-1);
  const double end = window.end.value_or(-1);
  return {{start, window.start.place()}, {end < 0 ? ir::Cadence::kEndless : end, window.end.place()}, ir::PerBatch{}};
}

static ir::Origin origin_of(const Modifier& modifier) {
  ir::Origin origin{
      std::string(modifier.spec->name), modifier.ordinal, modifier.stage, modifier.group, modifier.key, {}};
  for (const Field& field : modifier.fields) {
    origin.fields.push_back({field.name, field.key, field.value, field.evaluated});
  }
  if (modifier.one_shot) {
    origin.fields.push_back({"stage.run_type", modifier.key, Value{std::string("oneshot"), {}}});
  }
  return origin;
}

ir::Action lower(const Modifier& modifier) {
  ir::Effect effect = modifier.valid ? effect_of(modifier) : opaque(modifier);
  const bool is_read = kind_of(modifier) != ClassKind::magnitude_pruning || std::holds_alternative<ir::Prune>(effect);
  return {std::move(effect), modifier.valid ? cadence_of(modifier) : ir::Cadence{}, origin_of(modifier),
          modifier.valid && is_read};
}

std::optional<ir::TrainingLength> training_length(const std::vector<Modifier>& modifiers) {
  LastEpoch last(0);
  for (std::size_t index = 0; index < modifiers.size(); ++index) {
    const Window window(modifiers[index]);
    for (const Setting<double>* epoch : {&window.end, &window.start}) {
      if (epoch->value_or(0) <= ir::kMaxEpochs) last.note(epoch->value_or(0), epoch->place(), index);
    }
  }
  return last.length();
}

ir::Recipe read(const source::SourceFile& file, const doc::Document& document, const ReadOptions& options,
                diag::Sink& sink) {
  doc::check_json(file, sink);
  Layout layout = find_modifiers(file, document, sink);
  Arguments arguments(std::move(layout.arguments), options.variables, sink);
  const Context context{
      file, table(), sink, [&](source::Value& value) { return arguments.evaluate(value); }, {}, options.custom.get()};
  std::vector<Modifier> modifiers;
  int ordinal = 0;
  bool incomplete = false;
  for (const ModifierNode& written : layout.modifiers) {
    auto modifier = stages::read_modifier(context, written, ++ordinal);
    incomplete = incomplete || !modifier || stages::is_opaque(table(), *modifier);
    if (modifier) modifiers.push_back(std::move(*modifier));
  }

  ir::Recipe recipe{"sparseml", {}, arguments.list(), arguments.metadata(), std::nullopt};
  recipe.incomplete = incomplete;
  const bool all_sound = std::ranges::all_of(modifiers, &Modifier::valid);
  recipe.length = all_sound ? training_length(modifiers) : std::nullopt;
  const Run run{options.epochs, options.steps_per_epoch};
  OperationLowerer operations;
  for (const Modifier& modifier : modifiers) {
    if (modifier.valid) {
      check_run(context, modifier, run);
    }
    ir::Action& action = recipe.actions.emplace_back(lower(modifier));
    action.operations = operations.lower(modifier, action.origin);
  }
  return recipe;
}

}  // namespace sparsecfg::dialect::sparseml::staged
