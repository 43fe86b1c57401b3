#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include "base/number.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/record/field_names.h"
#include "dialect/sparseml/codes.h"
#include "dialect/sparseml/rules/rules.h"

// Checks of the constructors that the rows of the table do not cover (docs/semantics/sparseml.md#b0).
namespace sparsecfg::dialect::sparseml {

using source::Value;

void invalidate(Modifier& modifier, std::string_view name) {
  modifier.valid = false;
  for (Field& field : modifier.fields) {
    field.valid = field.valid && field.name != name;
  }
}

// --- epochs ---------------------------------------------------------------------------------

DIAGNOSTIC(SP215, epoch_not_finite, error, (Text, Text), "`{}` is {}, which training never reaches",
           "SparseML accepts the value when it loads the recipe and fails when it computes the number of epochs. NaN "
           "does not affect the training length, so a range that ends there is ignored.",
           "write a finite number of epochs")

static void check_finite(Modifier& modifier, diag::Sink& sink) {
  for (const std::string_view name : {"start_epoch", "end_epoch"}) {
    const Field* field = modifier.readable(name);
    const double epoch = field == nullptr ? 0 : modifier.number(name).value_or(0);
    const bool never_starts = std::isnan(epoch) && name == "start_epoch";
    if (field == nullptr || !field->spec->no_effect.empty() || std::isfinite(epoch) || never_starts) {
      continue;
    }
    auto& report = sink.report(diag::epoch_not_finite, field->value.span, name, base::python_repr(epoch));
    // EpochRangeModifier compares its epochs with nothing, and NaN does not affect the training length.
    if (std::isnan(epoch) && modifier.spec->kind == ClassKind::epoch_range) {
      report.with_severity(diag::Severity::warning)
          .with_help("write a finite number of epochs, or delete the modifier");
    } else {
      invalidate(modifier, name);
    }
  }
}

static void check_start(const Modifier& modifier, diag::Sink& sink) {
  const Field* field = modifier.readable("start_epoch");
  const double start = field == nullptr ? -1 : modifier.number("start_epoch").value_or(-1);
  const bool between = start > -1 && start < 0 && !is_tensorflow(modifier.framework);  // TensorFlow rounds it up to 0
  const bool acts = modifier.spec->kind != ClassKind::epoch_range;                     // only its end is used
  if ((between && acts) || std::isnan(start)) {
    sink.report(diag::never_starts, field->value.span, fmt::format("a start of {}", start))
        .with_help("write `-1.0` to start immediately, or `0.0`");
  }
}

static void check_end(Modifier& modifier, diag::Sink& sink) {
  const Field* end_field = modifier.readable("end_epoch");
  const Field* start_field = modifier.find("start_epoch");
  if (end_field == nullptr || (start_field != nullptr && !start_field->valid) || !end_field->spec->no_effect.empty()) {
    return;
  }
  const double start = modifier.number("start_epoch").value_or(-1);
  const double end = modifier.number("end_epoch").value_or(-1);
  const EndRule rule = modifier.spec->end;
  const bool early =
      (rule == EndRule::unset_or_after && end != -1 && end < start) || (rule == EndRule::not_before && end < start);
  const bool not_after = rule == EndRule::after && end <= start;
  if (early || not_after) {
    auto& report = sink.report(diag::end_before_start, end_field->value.span, "end_epoch", end,
                               not_after ? "is not after" : "is before", "start_epoch", start);
    if (start_field != nullptr) report.with_label(start_field->value.span, "the modifier starts here");
    if (end == -1) report.with_help("write an end after the start: this modifier requires one");
    if (early && end >= 0 && start_field != nullptr)
      report
          .with_help(
              end > 0
                  ? fmt::format("write `start_epoch: {0}` and `end_epoch: {1}`, or `end_epoch: {2}` if {0} is a length",
                                base::python_repr(end), base::python_repr(start), base::python_repr(start + end))
                  : "swap the two epochs, or write an end after the start")
          .with_fix(diag::Fix::unsafe().swap(start_field->value.span, end_field->value.span));
    invalidate(modifier, "end_epoch");
  }
}

// --- learning rate ----------------------------------------------------------------------------

// The documentation uses another name for `step_size`.
static std::optional<std::string_view> documented_as(std::string_view name, std::span<const std::string_view> missing) {
  const bool renamed = name == "step" && std::ranges::find(missing, "step_size") != missing.end();
  return renamed ? std::optional<std::string_view>("step_size") : std::nullopt;
}

// Returns the scheduler of PyTorch that accepts all given keys and requires no others, if this one lacks some.
static const SchedulerSpec* scheduler_of_keys(const SchedulerSpec& scheduler, const Value& kwargs) {
  const auto requires_all = [&](const SchedulerSpec& spec) {
    return std::ranges::all_of(spec.required, [&](std::string_view name) { return kwargs.find(name) != nullptr; });
  };
  const auto knows_all = [&](const SchedulerSpec& spec) {
    return std::ranges::all_of(*kwargs.get<source::Map>(), [&](const source::Entry& entry) {
      const std::string name = source::python_str(entry.first);
      return base::contains(spec.required, name) || base::contains(spec.optional, name);
    });
  };
  if (requires_all(scheduler) || knows_all(scheduler)) return nullptr;
  const auto fits = [&](const SchedulerSpec& spec) { return requires_all(spec) && knows_all(spec); };
  const auto found = std::ranges::find_if(schedulers(), fits);
  return found == schedulers().end() ? nullptr : &*found;
}

DIAGNOSTIC(SP509, lr_kwargs_missing, error, (Text, Text), "`{}` requires `{}` in `lr_kwargs`",
           "StepLR requires `gamma` and `step_size`, MultiStepLR `gamma` and `milestones`, ExponentialLR `gamma`, and "
           "CosineAnnealingWarmRestarts `lr_min` and `cycle_epochs`.",
           "add `{1}` to `lr_kwargs`")

// SparseML only checks that the required keys exist. It passes all keys of `lr_kwargs` to PyTorch, which rejects
// unknown ones.
static void check_arguments(Modifier& modifier, const SchedulerSpec& scheduler, const Value& kwargs, diag::Sink& sink) {
  if (const SchedulerSpec* other = scheduler_of_keys(scheduler, kwargs)) {
    const Value& written = modifier.find("lr_class")->value;
    sink.report(diag::lr_kwargs_missing, written.span, scheduler.name, scheduler.required.front())
        .with_help(fmt::format("write `lr_class: {}`, which accepts these keys", other->name))
        .with_label(kwargs.span, fmt::format("the keys of `{}`", other->name))
        .with_fix(diag::Fix::unsafe().content(written.span, std::string(other->name)));
    invalidate(modifier, "lr_kwargs");
    return;
  }
  std::vector<std::string_view> missing;
  std::ranges::copy_if(scheduler.required, std::back_inserter(missing),
                       [&](std::string_view name) { return kwargs.find(name) == nullptr; });
  const auto knows = [&](const std::string& name) {
    return std::ranges::find(scheduler.required, name) != scheduler.required.end() ||
           std::ranges::find(scheduler.optional, name) != scheduler.optional.end();
  };
  FieldNames names(sink);
  for (const auto& [key, value] : *kwargs.get<source::Map>()) {
    const std::string name = source::python_str(key);
    if (knows(name)) {
      continue;
    }
    const bool ignored = is_tensorflow(modifier.framework);
    const auto similar =
        names.report_unknown({key.span, name, fmt::format("`{}`", scheduler.name), missing,
                              ignored ? "delete it: SparseML silently ignores this key"
                                      : "delete it: PyTorch rejects this key when the scheduler is built",
                              documented_as(name, missing), ignored ? diag::Severity::warning : diag::Severity::error,
                              nullptr, nullptr, nullptr, "lr_kwargs"});
    if (similar) std::erase(missing, std::string_view(*similar));
    if (similar || !ignored) invalidate(modifier, "lr_kwargs");
  }
  for (const std::string_view name : missing) {
    sink.report(diag::lr_kwargs_missing, kwargs.span, scheduler.name, name);
    invalidate(modifier, "lr_kwargs");
  }
}

// SparseML checks the required keys when it loads a recipe. PyTorch checks all keys when it builds the scheduler.
static void check_scheduler(Modifier& modifier, diag::Sink& sink) {
  const Field* kwargs = modifier.readable("lr_kwargs");
  const SchedulerSpec* scheduler = find_scheduler(modifier.text("lr_class"));
  if (kwargs == nullptr || scheduler == nullptr) {
    return;
  }
  const bool complete = std::ranges::all_of(scheduler->required,
                                            [&](std::string_view name) { return kwargs->value.find(name) != nullptr; });
  if (!complete || is_tensorflow(modifier.framework)) check_arguments(modifier, *scheduler, kwargs->value, sink);
}

void check_scheduler_arguments(Modifier& modifier, const Run& run, diag::Sink& sink) {
  const Field* kwargs = modifier.readable("lr_kwargs");
  const SchedulerSpec* scheduler = find_scheduler(modifier.text("lr_class"));
  const bool built = modifier.spec->kind == ClassKind::learning_rate && kwargs != nullptr && scheduler != nullptr &&
                     !is_tensorflow(modifier.framework) && builds_scheduler(modifier, run);
  if (built) check_arguments(modifier, *scheduler, kwargs->value, sink);
}

// --- other fields ---------------------------------------------------------------------------------

DIAGNOSTIC(SP809, layer_names_length, error, (std::size_t, std::size_t),
           "the recipe lists {} student layers but {} teacher layers",
           "Layers are distilled in pairs, so both lists must have the same length. If only one list is set, it is "
           "used for both models.",
           "list as many student layers as teacher layers")

static void check_layer_names(const Modifier& modifier, diag::Sink& sink) {
  const auto list_of = [&](std::string_view name) {
    const Field* field = modifier.readable(name);
    return field == nullptr ? nullptr : field->value.get<source::List>();
  };
  const auto* student = list_of("student_layer_names");
  const auto* teacher = list_of("teacher_layer_names");
  if (student != nullptr && teacher != nullptr && student->size() != teacher->size()) {
    sink.report(diag::layer_names_length, modifier.place("student_layer_names"), student->size(), teacher->size())
        .with_label(modifier.place("teacher_layer_names"), "the other list");
  }
}

// Returns a fix that sorts the items in ascending order and removes duplicates.
static diag::Fix sorted(const source::List& list) {
  std::vector<const Value*> order;
  for (const Value& item : list) {
    if (!item.number()) return {};
    order.push_back(&item);
  }
  std::ranges::stable_sort(order, {}, [](const Value* item) { return *item->number(); });
  const auto same = [](const Value* left, const Value* right) { return *left->number() == *right->number(); };
  order.erase(std::unique(order.begin(), order.end(), same), order.end());
  diag::Fix fix = diag::Fix::safe();
  for (std::size_t at = 0; at < list.size(); ++at) {
    if (at < order.size()) {
      fix.copy(list[at].span, order[at]->span);
    } else {
      fix.remove(list[at].span);
    }
  }
  return fix;
}

DIAGNOSTIC(SP312, update_epochs_unsorted, error, (), "`update_epochs` must be in ascending order without duplicates",
           "LayerThinningModifier compares the list with a sorted copy and rejects it if they differ.",
           "list the epochs in ascending order, each once")

static void check_thinning(const Modifier& modifier, diag::Sink& sink) {
  const Field* epochs = modifier.find("update_epochs");
  const auto* list = epochs == nullptr ? nullptr : epochs->value.get<source::List>();
  if (list == nullptr) {
    if (epochs != nullptr && epochs->valid && !epochs->value.is_null()) {
      sink.report(diag::wrong_type, epochs->value.span, epochs->name, "a list of epochs",
                  source::describe(epochs->value))
          .with_help("write a list such as `[2.0, 4.0]`");
    }
    return;
  }
  for (std::size_t at = 1; at < list->size(); ++at) {
    const auto before = (*list)[at - 1].number();
    const auto after = (*list)[at].number();
    if (before && after && *after <= *before) {
      sink.report(diag::update_epochs_unsorted, (*list)[at].span).with_fix(sorted(*list));
      return;
    }
  }
}

DIAGNOSTIC(SP210, end_epoch_ignored, warning, (Text), "`end_epoch` has no effect here: {}",
           "The modifier acts once, at its start, and does nothing at its end.", "delete `end_epoch`")

static void check_ignored(const Modifier& modifier, diag::Sink& sink) {
  for (const Field& field : modifier.fields) {
    if (field.spec == nullptr || field.spec->no_effect.empty() || modifier.number(field.name) == -1.0) {
      continue;
    }
    if (field.name == "end_epoch") {
      sink.report(diag::end_epoch_ignored, field.key, field.spec->no_effect)
          .with_help("delete the field")
          .with_fix(diag::Fix::safe().remove(field.key));
    } else {
      sink.report(diag::field_ignored, field.key, field.name, field.spec->no_effect)
          .with_help("delete the field")
          .with_fix(diag::Fix::safe().remove(field.key));
    }
  }
}

// TopKAST divides by 1 minus this sparsity at every step, also outside its window.
static void check_forward_sparsity(Modifier& modifier, diag::Sink& sink) {
  const Field* field = modifier.readable("forward_sparsity");
  if (field != nullptr && modifier.number("forward_sparsity") == 1.0) {
    sink.report(diag::wrong_type, field->value.span, field->name, "less than 1", source::describe(field->value))
        .with_help("write a fraction below 1, such as `forward_sparsity: 0.9`");
    invalidate(modifier, "forward_sparsity");
  }
}

void check_load(Modifier& modifier, diag::Sink& sink) {
  check_finite(modifier, sink);
  check_start(modifier, sink);
  check_end(modifier, sink);
  check_ignored(modifier, sink);
  check_framework(modifier, sink);
  switch (modifier.spec->kind.as<ClassKind>()) {
    case ClassKind::gradual_pruning: check_gradual(modifier, sink); break;
    case ClassKind::acdc:
      check_whole_epochs(modifier, sink);
      check_mask(modifier, sink);
      break;
    case ClassKind::topkast:
      check_mask(modifier, sink);
      check_forward_sparsity(modifier, sink);
      break;
    case ClassKind::learning_rate: check_scheduler(modifier, sink); break;
    case ClassKind::quantization:
    case ClassKind::legacy_quantization: check_quantization(modifier, sink); break;
    case ClassKind::distillation: check_layer_names(modifier, sink); break;
    case ClassKind::other: check_thinning(modifier, sink); break;
    case ClassKind::epoch_range:
    case ClassKind::set_learning_rate:
    case ClassKind::learning_rate_function:
    case ClassKind::set_weight_decay:
    case ClassKind::rigl:
    case ClassKind::constant_pruning:
    case ClassKind::trainable: break;
    case ClassKind::set_param:
    case ClassKind::gradual_param: check_values(modifier, sink); break;
  }
}

}  // namespace sparsecfg::dialect::sparseml
