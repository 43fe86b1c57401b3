#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "base/edit_distance.h"
#include "base/number.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/record/field_names.h"
#include "dialect/sparseml/codes.h"
#include "dialect/sparseml/rules/rules.h"
#include "dialect/sparseml/table/fields.h"
#include "dialect/sparseml/table/table.h"
#include "dialect/words.h"

// Both classes named QuantizationModifier (docs/semantics/sparseml.md#b6-1).
namespace sparsecfg::dialect::sparseml {

using source::Value;

constexpr const char* kAllSchemes =
    "use `default`, `deepsparse`, `tensorrt` or a mapping such as `{weights: {num_bits: 8}}`";
constexpr std::string_view kSchemeKeys[] = {"input_activations", "weights", "output_activations", "target_hardware"};
constexpr std::string_view kArgumentKeys[] = {"num_bits", "symmetric", "strategy", "kwargs"};
constexpr std::string_view kKnownStrategies[] = {"tensor", "channel"};

// pydantic silently ignores unknown keys of a scheme.
static void check_keys(const Value& mapping, std::span<const std::string_view> known, std::string_view whose,
                       diag::Sink& sink) {
  for (const auto& [key, value] : *mapping.get<source::Map>()) {
    const std::string name = source::python_str(key);
    if (std::ranges::find(known, name) == known.end()) {
      FieldNames(sink).report_unknown({key.span,
                                       name,
                                       std::string(whose),
                                       {known.begin(), known.end()},
                                       "delete it: SparseML silently ignores this key"});
    }
  }
}

// PyTorch builds the observers when quantization starts. They have 8 bits.
static void check_bits(const Value& bits, std::string_view name, diag::Sink& sink) {
  constexpr int kMaxBits = 8;
  const auto number = bits.number();
  const bool whole = number && std::floor(*number) == *number;
  if (whole && (*number < 0 || *number > kMaxBits)) {
    sink.report(diag::wrong_type, bits.span, name, "a number of at most 8 bits", source::describe(bits))
        .with_help("write a number of bits from 2 to 8");
  } else if (number == 0.0) {
    sink.report(diag::bits_out_of_range, bits.span, name, source::python_str(bits), kMaxBits)
        .with_help("write a number of bits from 2 to 8");
  }
}

// PyTorch passes the keys to the constructors of the fake quantization and of its observer
// (docs/semantics/sparseml.md#b6-11).
static void check_observer_arguments(const Value& kwargs, std::string_view whose, bool by_channel, diag::Sink& sink) {
  static constexpr std::string_view kObjects[] = {"observer", "dtype", "qscheme"};
  std::vector<std::string_view> known = {"reduce_range", "averaging_constant", "quant_min", "quant_max",
                                         "eps",          "factory_kwargs",     "is_dynamic"};
  if (by_channel) known.push_back("ch_axis");
  const auto* map = kwargs.get<source::Map>();
  for (std::size_t at = 0; map != nullptr && at < map->size(); ++at) {
    const auto& [key, value] = (*map)[at];
    const std::string name = source::python_str(key);
    if (std::ranges::find(kObjects, name) != std::end(kObjects)) {
      sink.report(diag::wrong_type, value.span, name, "a PyTorch object, which YAML cannot contain",
                  source::describe(value))
          .with_help("delete the key");
    } else if (std::ranges::find(known, name) == known.end()) {
      FieldNames(sink).report_unknown(
          {key.span, name, std::string(whose), known, "delete it: PyTorch rejects this argument"});
    }
  }
}

static void check_observers_of_scheme(const Value& scheme, diag::Sink& sink) {
  for (const std::string_view part : {"weights", "input_activations", "output_activations"}) {
    const Value* argument = scheme.find(part);
    const Value* bits = argument == nullptr ? nullptr : argument->find("num_bits");
    const Value* kwargs = argument == nullptr ? nullptr : argument->find("kwargs");
    const Value* strategy = argument == nullptr ? nullptr : argument->find("strategy");
    if (bits != nullptr) check_bits(*bits, "num_bits", sink);
    const bool by_channel = strategy != nullptr && strategy->data == Value::Data(std::string("channel"));
    if (kwargs != nullptr) check_observer_arguments(*kwargs, "`kwargs`", by_channel, sink);
  }
}

static void check_observers_of(const Modifier& modifier, diag::Sink& sink) {
  if (const Field* scheme = modifier.readable("scheme")) check_observers_of_scheme(scheme->value, sink);
  const Field* overrides = modifier.readable("scheme_overrides");
  if (const auto* map = overrides == nullptr ? nullptr : overrides->value.get<source::Map>()) {
    for (const auto& [name, own] : *map) check_observers_of_scheme(own, sink);
  }
  const auto older = [&](std::string_view name) {
    return modifier.spec->find(name) == nullptr ? nullptr : modifier.readable(name);
  };
  for (const std::string_view name : {"activation_bits", "weight_bits"}) {
    if (const Field* bits = older(name)) check_bits(bits->value, name, sink);
  }
  for (const std::string_view name : {"activation_qconfig_kwargs", "weight_qconfig_kwargs"}) {
    if (const Field* kwargs = older(name))
      check_observer_arguments(kwargs->value, fmt::format("`{}`", name), false, sink);
  }
}

// Returns true if pydantic converts the value to an int: ints, booleans, whole floats and strings of digits.
static bool makes_int(const Value& value) {
  if (const auto* text = value.get<std::string>()) {
    const std::string_view digits = base::trim(*text);
    const bool plain = digits.find_first_not_of("0123456789+-_.") == std::string_view::npos;
    const auto number = plain ? base::python_float(digits) : std::nullopt;
    return number && std::floor(*number) == *number && !digits.ends_with('.');
  }
  const auto number = value.number();
  return number && std::isfinite(*number) && std::floor(*number) == *number;
}

// Returns true if pydantic converts the value to a boolean: 0, 1 and a few words, in any case.
static bool makes_bool(const Value& value) {
  static constexpr std::string_view kWords[] = {"0", "off", "f", "false", "n", "no",
                                                "1", "on",  "t", "true",  "y", "yes"};
  const auto* text = value.get<std::string>();
  const auto number = value.number();
  return text != nullptr ? std::ranges::find(kWords, base::to_lower(*text)) != std::end(kWords)
                         : number == 0.0 || number == 1.0;
}

static void check_argument_type(const Value& argument, std::string_view name, bool (*fits)(const Value&),
                                std::string_view wanted, diag::Sink& sink) {
  const Value* value = argument.find(name);
  if (value != nullptr && !fits(*value)) {
    sink.report(diag::wrong_type, value->span, name, wanted, source::describe(*value))
        .with_help(fmt::format("write {}, or delete the key", wanted));
  }
}

// Returns true for null and for the words that SparseML treats as null.
static bool stands_for_null(const Value& value) {
  return value.is_null() || value.data == Value::Data(std::string("null")) ||
         value.data == Value::Data(std::string("None"));
}

DIAGNOSTIC(SP815, scheme_unknown, error, (Text), "{} is not a quantization scheme",
           "A scheme is `default`, `deepsparse`, `tensorrt`, or a mapping whose arguments have `num_bits`, "
           "`symmetric`, `strategy` and `kwargs`. A strategy is `tensor` or `channel`.",
           "write `default`, `deepsparse`, `tensorrt` or a mapping")

// Checks one argument of a scheme, such as `weights: {num_bits: 4, symmetric: true}`, or null.
static void check_argument(const Value& argument, diag::Sink& sink) {
  if (stands_for_null(argument)) {
    return;
  }
  if (argument.get<source::Map>() == nullptr) {
    sink.report(diag::scheme_unknown, argument.span, source::describe(argument))
        .with_help("write a mapping such as `{num_bits: 8, symmetric: true}`");
    return;
  }
  check_keys(argument, kArgumentKeys, "a quantization argument", sink);
  const Value* strategy = argument.find("strategy");
  const auto* word = strategy == nullptr ? nullptr : strategy->get<std::string>();
  if (strategy != nullptr &&
      (word == nullptr || std::ranges::find(kKnownStrategies, *word) == std::end(kKnownStrategies))) {
    sink.report(diag::unknown_choice, strategy->span, source::python_str(*strategy), "strategy")
        .with_help("use `tensor` or `channel`");
  }
  check_argument_type(argument, "num_bits", makes_int, "an int", sink);
  check_argument_type(argument, "symmetric", makes_bool, "true or false", sink);
  check_argument_type(
      argument, "kwargs", [](const Value& value) { return value.get<source::Map>() != nullptr; }, "a mapping", sink);
}

static void check_target(const Value& target, diag::Sink& sink) {
  if (!target.is_null() && target.get<std::string>() == nullptr) {
    sink.report(diag::wrong_type, target.span, "target_hardware", "a string", source::describe(target))
        .with_help("write `deepsparse` or `tensorrt`");
  }
}

void check_scheme(const Value& scheme, diag::Sink& sink) {
  if (const auto* word = scheme.get<std::string>()) {
    if (std::ranges::find(kQuantizationSchemes, *word) == std::end(kQuantizationSchemes)) {
      const Meant meant = meant_by(Word::Place::value, "scheme", *word, kQuantizationSchemes, kAllSchemes);
      sink.report(diag::scheme_unknown, scheme.span, source::describe(scheme))
          .with_help(meant.help)
          .with_fix(meant.fix(scheme.span));
    }
  } else if (const auto* map = scheme.get<source::Map>()) {
    check_keys(scheme, kSchemeKeys, "a quantization scheme", sink);
    for (const auto& [key, argument] : *map) {
      const std::string name = source::python_str(key);
      if (name == "target_hardware") {
        check_target(argument, sink);
      } else if (std::ranges::find(kSchemeKeys, name) != std::end(kSchemeKeys)) {
        check_argument(argument, sink);
      }
    }
  } else if (!scheme.is_null()) {
    sink.report(diag::scheme_unknown, scheme.span, source::describe(scheme)).with_help(kAllSchemes);
  }
}

DIAGNOSTIC(SP811, scheme_override_unused, warning, (Text), "the override for `{}` is the same as the scheme",
           "The override is redundant unless the scheme changes.", "delete the override")

static void check_overrides(const Modifier& modifier, diag::Sink& sink) {
  const Field* overrides = modifier.find("scheme_overrides");
  const auto* map = overrides == nullptr ? nullptr : overrides->value.get<source::Map>();
  if (map == nullptr) {
    if (overrides != nullptr && !overrides->value.is_null()) {
      sink.report(diag::wrong_type, overrides->value.span, overrides->name, "a mapping from names to schemes",
                  source::describe(overrides->value))
          .with_help("write `name: scheme` for each layer, or delete the field");
    }
    return;
  }
  const Field* scheme = modifier.find("scheme");
  for (const auto& [name, own] : *map) {
    check_scheme(own, sink);
    if (scheme != nullptr && own == scheme->value) {
      sink.report(diag::scheme_override_unused, name.span, source::python_str(name))
          .with_fix(diag::Fix::safe().remove(name.span));
    }
  }
}

static bool targets_tensorrt(const Modifier& modifier) {
  const Field* scheme = modifier.find("scheme");
  const Value* target = scheme == nullptr ? nullptr : scheme->value.find("target_hardware");
  const Field* older = modifier.find("tensorrt");
  return modifier.text("scheme") == "tensorrt" ||
         (target != nullptr && target->data == Value::Data(std::string("tensorrt"))) ||
         (older != nullptr && older->value.data == Value::Data(true));
}

// Checks the name of the model method that fuses layers. The older class treats empty values as no name. For TensorRT
// the newer class never fuses.
static void check_fuse_name(const Modifier& modifier, diag::Sink& sink) {
  const Field* name = modifier.readable("model_fuse_fn_name");
  const auto* text = name == nullptr ? nullptr : name->value.get<std::string>();
  const bool older = modifier.spec->kind == ClassKind::legacy_quantization;
  const bool unused = older ? name != nullptr && counts_as_empty(name->value) : targets_tensorrt(modifier);
  if (name != nullptr && !name->value.is_null() && !unused && (text == nullptr || text->empty())) {
    sink.report(diag::wrong_type, name->value.span, name->name, "the name of a method", source::describe(name->value))
        .with_help("write `conv_bn_relus`, `no_fuse` or the name of a model method, or delete the field");
  }
}

// Reports epochs of the last phases that the training does not reach, as one finding.
static void check_last_phases(const Modifier& modifier, const Run& run, diag::Sink& sink) {
  std::vector<std::string_view> late;
  for (const std::string_view name : {"disable_quantization_observer_epoch", "freeze_bn_stats_epoch"}) {
    const auto epoch = modifier.number(name);
    if (epoch && run.epochs && *run.epochs > 0 && !run.reaches(*epoch)) late.push_back(name);
  }
  if (late.empty()) return;
  const double last = std::max(modifier.start(), std::ceil(*run.epochs) - 1);
  auto& report = sink.report(diag::starts_after_training, modifier.place(late.front()), *modifier.number(late.front()),
                             *run.epochs);
  report.with_severity(diag::Severity::warning);
  if (late.size() > 1) report.with_label(modifier.place(late.back()), "never reached either");
  if (!run.reaches(last)) return;
  std::vector<std::string> texts;
  for (const std::string_view name : late) texts.push_back(fmt::format("`{}: {}`", name, base::python_repr(last)));
  report.with_help(fmt::format("write {}, in the last epoch, or train longer", base::join_and(texts)));
}

DIAGNOSTIC(
    SP835, observers_never_observe, silent_warning, (Text),
    "the observers are switched off at epoch {}, before they have seen a sample",
    "Quantization starts and ends the observation of values in the same call, before the first forward pass. All "
    "scales keep their initial value of 1, so that most weights are rounded to 0. Only `num_calibration_steps` "
    "with a calibration loader observes values before.",
    "write a later `disable_quantization_observer_epoch`")

// Returns an epoch after a third of the quantized training, a whole one if it is long enough.
static double after_a_third(double start, const Run& run) {
  const double left = run.epochs ? *run.epochs - start : 0;
  const double third = left / 3;
  return start + (left <= 0 ? 2 : third >= 1 ? std::floor(third) : third);
}

// The observers are switched off in the first step at or after the epoch.
static void check_observation(const Modifier& modifier, const Run& run, diag::Sink& sink) {
  const Field* field = modifier.readable("disable_quantization_observer_epoch");
  const auto epoch = field == nullptr ? std::nullopt : modifier.number("disable_quantization_observer_epoch");
  const Field* steps = modifier.find("num_calibration_steps");
  if (!epoch || is_tensorflow(modifier.framework) || (steps != nullptr && !counts_as_empty(steps->value))) return;
  const double start = std::max(modifier.start(), 0.0);
  const bool same = run.steps_per_epoch ? ir::first_step_at(std::max(*epoch, 0.0), *run.steps_per_epoch) ==
                                              ir::first_step_at(start, *run.steps_per_epoch)
                                        : std::max(*epoch, 0.0) == start;
  if (!same) return;
  const std::string meant = base::python_repr(after_a_third(start, run));
  auto& report = sink.report(diag::observers_never_observe, field->value.span, source::python_str(field->value));
  if (const Field* begin = modifier.find("start_epoch"))
    report.with_label(begin->value.span, "quantization starts here");
  report.with_help(fmt::format("write `disable_quantization_observer_epoch: {}`", meant));
  if (!field->evaluated) report.with_fix(diag::Fix::unsafe().replace(field->value.span, meant));
}

// SparseML uses these values only when quantization starts. There it iterates over the letters of a string where a list
// of names is expected.
void check_quantization_run(const Modifier& modifier, const Run& run, diag::Sink& sink) {
  const auto report = [&](std::string_view name, std::string_view wanted, auto fits) {
    const Field* field = modifier.readable(name);
    if (field != nullptr && modifier.spec->find(name) != nullptr && !field->value.is_null() && !fits(field->value)) {
      sink.report(diag::wrong_type, field->value.span, name, wanted, source::describe(field->value))
          .with_help(fmt::format("write {}", wanted));
    }
  };
  const auto is_list = [](const Value& value) {
    return value.get<source::List>() != nullptr || counts_as_empty(value);
  };
  const auto is_map = [](const Value& value) { return value.get<source::Map>() != nullptr || counts_as_empty(value); };
  report("submodules", "a list of names", is_list);
  if (!run.reaches(modifier.start())) {
    return;
  }
  check_last_phases(modifier, run, sink);
  check_observation(modifier, run, sink);
  const Field* strict = modifier.find("strict");
  if (strict == nullptr || !counts_as_empty(strict->value)) report("ignore", "a list of names", is_list);
  check_fuse_name(modifier, sink);
  report("activation_qconfig_kwargs", "a mapping", is_map);
  report("weight_qconfig_kwargs", "a mapping", is_map);
  if (modifier.text("model_fuse_fn_name") != "no_fuse") report("model_fuse_fn_kwargs", "a mapping", is_map);
  const auto is_number = [](const Value& value) { return value.number() || counts_as_empty(value); };
  report("activation_bits", "a number", is_number);
  report("weight_bits", "a number", is_number);
  check_observers_of(modifier, sink);
}

DIAGNOSTIC(SP211, end_epoch_forbidden, error, (Text), "quantization never ends, so the end {} is rejected",
           "A model that is prepared for quantization stays prepared, and the modifier rejects every end except -1. "
           "Recipes that SparseML composes from stages can contain such an end.",
           "write `-1.0`, or delete the field")

static void check_no_end(Modifier& modifier, diag::Sink& sink) {
  const Field* end = modifier.readable("end_epoch");
  if (end != nullptr && modifier.number("end_epoch") != -1.0) {
    sink.report(diag::end_epoch_forbidden, end->value.span, source::python_str(end->value))
        .with_help("delete the field")
        .with_fix(diag::Fix::unsafe().remove(end->key));
    modifier.valid = false;
  }
}

DIAGNOSTIC(SP802, freeze_before_start, error, (Text, Text, Text), "`{}` {} is before the start epoch {}",
           "Observers and batch norms can be frozen only after quantization has started, so the constructor rejects "
           "an earlier epoch. -1 is also rejected, unless the start is -1. (The error message of SparseML states the "
           "opposite.)",
           "delete the field, or write an epoch that is not before the start")

// An epoch before the start probably counts from there. Offers half of the rest if that is after the training.
static void offer_absolute(diag::Diagnostic& report, const Modifier& modifier, const Field& field,
                           std::optional<double> epochs) {
  const double start = modifier.start();
  const double absolute = *modifier.number(field.name) + start;
  const bool reached = !epochs || absolute < *epochs;
  const std::string text = base::python_repr(reached ? absolute : start + (*epochs - start) / 2);
  report
      .with_help(reached ? fmt::format("write `{}`: epochs count from the beginning of the training", text)
                         : fmt::format("write `{}`, an epoch between the start and the end of the training at {}", text,
                                       base::python_repr(*epochs)))
      .with_fix(field.evaluated ? diag::Fix() : diag::Fix::unsafe().replace(field.value.span, text));
}

static void check_not_before_start(Modifier& modifier, std::string_view name, std::optional<double> epochs,
                                   diag::Sink& sink) {
  const Field* field = modifier.readable(name);
  const Field* start = modifier.find("start_epoch");
  const auto epoch = field == nullptr ? std::nullopt : modifier.number(name);
  if (epoch && (start == nullptr || start->valid) && *epoch < modifier.start()) {
    auto& report = sink.report(diag::freeze_before_start, field->value.span, name, source::python_str(field->value),
                               start == nullptr ? "-1" : source::python_str(start->value));
    if (start != nullptr) report.with_label(start->value.span, "quantization starts here");
    if (*epoch > 0 && modifier.start() < epochs.value_or(modifier.start() + 1))
      offer_absolute(report, modifier, *field, epochs);
    if (epoch == -1.0) report.with_help("delete the field if this should never happen");
    modifier.valid = false;
  }
}

// The older class stores the start as written, and cannot compare a string with the epochs of other modifiers.
static void check_start_is_number(Modifier& modifier, diag::Sink& sink) {
  const Field* start = modifier.readable("start_epoch");
  const bool text = start != nullptr && start->value.get<std::string>() != nullptr;
  if (text && modifier.spec->kind == ClassKind::legacy_quantization) {
    sink.report(diag::wrong_type, start->value.span, start->name, "a number", source::describe(start->value))
        .with_help("write the epoch without quotes");
    modifier.valid = false;
  }
}

DIAGNOSTIC(SP812, tensorrt_disables_fuse, info, (),
           "`model_fuse_fn_name` has no effect: fusing is disabled for TensorRT",
           "A scheme with `target_hardware: tensorrt`, or the older `tensorrt: true`, disables the fusing of layers.",
           "delete `model_fuse_fn_name`")

DIAGNOSTIC(SP833, name_as_class, silent_warning, (Text), "`{}` is no class of modules, so nothing is excluded",
           "`exclude_module_types` contains names of classes such as `Linear`, which are compared with the classes of "
           "the modules. A name of a module matches none of them.",
           "write the name of a class")

// Classes of modules begin with a capital letter.
static void check_excluded_classes(const Modifier& modifier, diag::Sink& sink) {
  const Field* types = modifier.readable("exclude_module_types");
  const auto* list = types == nullptr ? nullptr : types->value.get<source::List>();
  const auto is_class = [](const Value& each) {
    const auto* name = each.get<std::string>();
    return name == nullptr || name->empty() || !(name->front() >= 'a' && name->front() <= 'z');
  };
  if (list == nullptr) return;
  const auto first = std::ranges::find_if_not(*list, is_class);
  if (first == list->end()) return;
  auto& report = sink.report(diag::name_as_class, first->span, *first->get<std::string>());
  if (std::ranges::any_of(*list, is_class)) return;
  std::vector<std::string> names;
  for (const Value& each : *list) names.push_back(*each.get<std::string>());
  report.with_help(
      fmt::format("write `ignore: [{}]` in place of `exclude_module_types`: it accepts names", fmt::join(names, ", ")));
}

void check_freeze_epochs(Modifier& modifier, std::optional<double> epochs, diag::Sink& sink) {
  const auto& kind = modifier.spec->kind;
  if (kind != ClassKind::quantization && kind != ClassKind::legacy_quantization) return;
  check_not_before_start(modifier, "disable_quantization_observer_epoch", epochs, sink);
  check_not_before_start(modifier, "freeze_bn_stats_epoch", epochs, sink);
}

void check_quantization(Modifier& modifier, diag::Sink& sink) {
  check_start_is_number(modifier, sink);
  check_no_end(modifier, sink);
  if (const Field* scheme = modifier.readable("scheme")) {
    check_scheme(scheme->value, sink);
  }
  check_overrides(modifier, sink);
  check_excluded_classes(modifier, sink);
  if (modifier.gives("model_fuse_fn_name") && modifier.text("model_fuse_fn_name") != "no_fuse" &&
      targets_tensorrt(modifier)) {
    sink.report(diag::tensorrt_disables_fuse, modifier.find("model_fuse_fn_name")->key);
  }
}

}  // namespace sparsecfg::dialect::sparseml
