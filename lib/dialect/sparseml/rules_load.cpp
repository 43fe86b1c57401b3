#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include "base/edit_distance.h"
#include "base/number.h"
#include "base/text.h"
#include "dialect/sparseml/rules.h"

// What a constructor refuses beyond the rows of the table (reference/sparseml.md B).
namespace sparsecfg::dialect::sparseml {

using source::Value;

static std::string shown(const Modifier& modifier, std::string_view name) {
  const Field* field = modifier.find(name);
  return field == nullptr ? std::string(modifier.spec->find(name)->standard) : source::python_str(field->value);
}

static void spoil(Modifier& modifier, std::string_view name) {
  modifier.sound = false;
  for (Field& field : modifier.fields) {
    field.sound = field.sound && field.name != name;
  }
}

// --- epochs ---------------------------------------------------------------------------------

static void check_finite(Modifier& modifier, diag::Sink& sink) {
  for (const std::string_view name : {"start_epoch", "end_epoch"}) {
    const Field* field = modifier.readable(name);
    const double epoch = field == nullptr ? 0 : modifier.number(name).value_or(0);
    const bool never_starts = std::isnan(epoch) && name == "start_epoch";
    if (field != nullptr && field->spec->ignored.empty() && !std::isfinite(epoch) && !never_starts) {
      sink.report(diag::epoch_not_finite, field->value.span, name, base::python_repr(epoch));
      spoil(modifier, name);
    }
  }
}

static void check_start(const Modifier& modifier, diag::Sink& sink) {
  const Field* field = modifier.readable("start_epoch");
  const double start = field == nullptr ? -1 : modifier.number("start_epoch").value_or(-1);
  if ((start > -1 && start < 0) || std::isnan(start)) {
    sink.report(diag::never_starts, field->value.span, start).with_help("write -1.0 for at once, or 0.0");
  }
}

static void check_end(Modifier& modifier, diag::Sink& sink) {
  const Field* end_field = modifier.readable("end_epoch");
  const Field* start_field = modifier.find("start_epoch");
  if (end_field == nullptr || (start_field != nullptr && !start_field->sound) || !end_field->spec->ignored.empty()) {
    return;
  }
  const double start = modifier.number("start_epoch").value_or(-1);
  const double end = modifier.number("end_epoch").value_or(-1);
  const EndRule rule = modifier.spec->end;
  const bool early = (rule == EndRule::unset_or_after && end != -1 && end < start) || (rule == EndRule::not_before && end < start);
  const bool not_after = rule == EndRule::after && end <= start;
  if (early || not_after) {
    auto& report = sink.report(diag::end_before_start, end_field->value.span, end, not_after ? "is not after" : "is before", start);
    if (start_field != nullptr) report.with_label(start_field->value.span, "it starts here");
    if (end == -1) report.with_help("this modifier needs an end");
    spoil(modifier, "end_epoch");
  }
}

// --- pruning --------------------------------------------------------------------------------

static bool checks_sparsity(const Modifier& modifier) { return modifier.spec->find("final_sparsity")->bounds.any(); }

// A mapping of sparsities takes the place of `params` and has rules for its keys.
static void check_sparsity_map(Modifier& modifier, const Field& field, diag::Sink& sink) {
  const Field* params = modifier.find("params");
  const auto* list = params == nullptr ? nullptr : params->value.get<source::List>();
  if (params != nullptr && !params->value.is_null() && (list == nullptr || !list->empty())) {
    sink.report(diag::params_with_final_sparsity_map, params->value.span)
        .with_label(field.key, "this names the parameters already")
        .with_help("write `params: []`");
    spoil(modifier, "params");
  }
  for (const auto& [key, selectors] : *field.value.get<source::Map>()) {
    const auto sparsity = key.number();
    if (!sparsity) {
      sink.report(diag::sparsity_key_not_a_number, key.span, source::describe(key));
      spoil(modifier, field.name);
    } else if (checks_sparsity(modifier) && !(*sparsity > 0 && *sparsity < 1)) {
      sink.report(diag::sparsity_out_of_range, key.span, field.name, source::python_str(key), "(0.0, 1.0)");
      spoil(modifier, field.name);
    }
  }
}

static void check_removed_arguments(const Modifier& modifier, diag::Sink& sink) {
  const Field* phased = modifier.find("phased");
  const bool false_like = phased == nullptr || phased->value.is_null() || phased->value.number() == 0.0;
  if (!false_like) {
    sink.report(diag::removed_argument, phased->key, "phased", modifier.spec->name)
        .with_help("`ACDCPruningModifier` alternates dense and sparse phases");
  }
  if (const Field* score = modifier.find("score_type"); score != nullptr && modifier.text("score_type") != "magnitude") {
    sink.report(diag::removed_argument, score->key, "score_type", modifier.spec->name)
        .with_help("`MovementPruningModifier`, `MFACPruningModifier` and `OBSPruningModifier` rank in other ways");
  }
  const Field* global = modifier.spec->name == "GMPruningModifier" ? modifier.find("global_sparsity") : nullptr;
  if (global != nullptr && global->value.data == Value::Data(true)) {
    sink.report(diag::deprecated_argument, global->key, "global_sparsity", modifier.spec->name)
        .with_help("`GlobalMagnitudePruningModifier` takes the same fields without it");
  }
}

static bool is_whole_list_of_ints(const source::List& list) {
  return std::ranges::all_of(list, [](const Value& item) { return item.get<std::int64_t>() != nullptr; });
}

static std::optional<ir::Structure> read_block(const source::List& list) {
  const bool fits = list.size() >= 2 && is_whole_list_of_ints(list) &&
                    std::all_of(list.begin() + 2, list.end(), [](const Value& item) { return *item.get<std::int64_t>() == 1; });
  if (!fits) {
    return std::nullopt;
  }
  return ir::Structure{ir::Structure::Kind::block, *list[0].get<std::int64_t>(), *list[1].get<std::int64_t>()};
}

static std::optional<ir::Structure> read_n_of_m(std::string_view text) {
  const std::size_t colon = text.find(':');
  const auto n = base::parse_double(base::trim(text.substr(0, colon)));
  const auto m = base::parse_double(base::trim(text.substr(colon + 1)));
  const auto whole = [](const std::optional<double>& number) { return number && *number == std::floor(*number) && std::abs(*number) < 1e6; };
  if (!whole(n) || !whole(m) || *m == 0) {
    return std::nullopt;
  }
  return ir::Structure{ir::Structure::Kind::n_of_m, static_cast<std::int64_t>(*n), static_cast<std::int64_t>(*m)};
}

std::optional<ir::Structure> read_structure(const Value& mask_type) {
  if (const auto* list = mask_type.get<source::List>()) {
    return read_block(*list);
  }
  const auto* text = mask_type.get<std::string>();
  if (text == nullptr) {
    return std::nullopt;
  }
  if (*text == "unstructured") return ir::Structure{};
  if (*text == "block4") return ir::Structure{ir::Structure::Kind::block, 1, 4};
  if (*text == "tensorrt") return ir::Structure{ir::Structure::Kind::n_of_m, 2, 4};
  if (text->find(':') != std::string::npos) return read_n_of_m(*text);
  return std::nullopt;
}

// A colon makes a number to the base of 60 of an N:M mask without quotes.
static void report_mask(const Modifier& modifier, const Field& field, diag::Sink& sink) {
  sink.report(diag::mask_type_unknown, field.value.span, source::describe(field.value), modifier.spec->name)
      .with_help(field.value.get<std::int64_t>() != nullptr
                     ? "put an N:M mask in quotes: \"2:4\" without them is a number in YAML 1.1"
                     : "it is `unstructured`, `block4`, `tensorrt`, an N:M text such as \"2:4\", or a block of two ints");
}

static void check_mask(Modifier& modifier, diag::Sink& sink) {
  const Field* field = modifier.readable("mask_type");
  if (field == nullptr || field->spec->type != Type::any) {
    return;
  }
  const bool only_block = modifier.spec->name == "OBSPruningModifier";
  const auto structure = read_structure(field->value);
  const std::string text = modifier.text("mask_type");
  if (!structure || (only_block && text != "unstructured" && text != "block4")) {
    report_mask(modifier, *field, sink);
    spoil(modifier, "mask_type");
  }
}

static void check_obs_block(Modifier& modifier, diag::Sink& sink) {
  if (modifier.spec->name != "OBSPruningModifier" || modifier.text("mask_type") != "block4") {
    return;
  }
  const auto size = modifier.number("fisher_block_size");
  if (size && std::fmod(*size, 4) != 0) {
    sink.report(diag::block_needs_fisher_multiple, modifier.place("fisher_block_size"), shown(modifier, "fisher_block_size"))
        .with_label(modifier.place("mask_type"), "blocks of four");
    spoil(modifier, "fisher_block_size");
  }
}

static void check_whole_epochs(Modifier& modifier, diag::Sink& sink) {
  for (const std::string_view name : {"start_epoch", "end_epoch", "update_frequency"}) {
    const Field* field = modifier.readable(name);
    const double epochs = field == nullptr ? 0 : modifier.number(name).value_or(0);
    if (epochs != std::floor(epochs)) {
      sink.report(diag::fractional_epoch, field->value.span, name, epochs);
      spoil(modifier, name);
    }
  }
}

static void check_gradual(Modifier& modifier, diag::Sink& sink) {
  const Field* final_sparsity = modifier.readable("final_sparsity");
  if (final_sparsity != nullptr && final_sparsity->value.get<source::Map>() != nullptr) {
    check_sparsity_map(modifier, *final_sparsity, sink);
  }
  check_removed_arguments(modifier, sink);
  check_mask(modifier, sink);
  check_obs_block(modifier, sink);
}

// --- learning rate ----------------------------------------------------------------------------

// torch is given every key of `lr_kwargs` and refuses those it does not know; SparseML itself asks
// only for the ones it needs.
static void check_arguments(Modifier& modifier, const SchedulerSpec& scheduler, const Value& kwargs, diag::Sink& sink) {
  std::vector<std::string_view> missing;
  std::ranges::copy_if(scheduler.required, std::back_inserter(missing), [&](std::string_view name) { return kwargs.find(name) == nullptr; });
  const auto knows = [&](const std::string& name) {
    return std::ranges::find(scheduler.required, name) != scheduler.required.end() ||
           std::ranges::find(scheduler.optional, name) != scheduler.optional.end();
  };
  for (const auto& [key, value] : *kwargs.get<source::Map>()) {
    const std::string name = source::python_str(key);
    if (knows(name)) {
      continue;
    }
    const auto guess = base::nearest(name, missing);
    sink.report(diag::unknown_field, key.span, base::printable(name), fmt::format("`{}`", scheduler.name))
        .with_help(guess ? fmt::format("did you mean `{}`?", *guess) : "torch refuses it at the second step of the modifier");
    if (guess) std::erase(missing, std::string_view(*guess));
    spoil(modifier, "lr_kwargs");
  }
  for (const std::string_view name : missing) {
    sink.report(diag::lr_kwargs_missing, kwargs.span, scheduler.name, name);
    spoil(modifier, "lr_kwargs");
  }
}

static void check_scheduler(Modifier& modifier, diag::Sink& sink) {
  const Field* kwargs = modifier.readable("lr_kwargs");
  const SchedulerSpec* scheduler = find_scheduler(modifier.text("lr_class"));
  if (kwargs == nullptr || scheduler == nullptr) {
    return;
  }
  if (kwargs->value.get<source::Map>() == nullptr) {
    sink.report(diag::wrong_type, kwargs->value.span, "lr_kwargs", "a mapping of arguments", source::describe(kwargs->value));
    spoil(modifier, "lr_kwargs");
    return;
  }
  check_arguments(modifier, *scheduler, kwargs->value, sink);
}

// --- the rest ---------------------------------------------------------------------------------

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

static void check_thinning(const Modifier& modifier, diag::Sink& sink) {
  const Field* epochs = modifier.find("update_epochs");
  const auto* list = epochs == nullptr ? nullptr : epochs->value.get<source::List>();
  if (list == nullptr) {
    return;
  }
  for (std::size_t at = 1; at < list->size(); ++at) {
    const auto before = (*list)[at - 1].number();
    const auto after = (*list)[at].number();
    if (before && after && *after <= *before) {
      sink.report(diag::update_epochs_unsorted, (*list)[at].span);
      return;
    }
  }
}

static void check_ignored(const Modifier& modifier, diag::Sink& sink) {
  for (const Field& field : modifier.fields) {
    if (field.spec == nullptr || field.spec->ignored.empty() || modifier.number(field.name) == -1.0) {
      continue;
    }
    if (field.name == "end_epoch") {
      sink.report(diag::end_epoch_ignored, field.key, field.spec->ignored);
    } else {
      sink.report(diag::field_ignored, field.key, field.name, field.spec->ignored);
    }
  }
}

void check_load(Modifier& modifier, diag::Sink& sink) {
  check_finite(modifier, sink);
  check_start(modifier, sink);
  check_end(modifier, sink);
  check_ignored(modifier, sink);
  switch (modifier.spec->meaning) {
    case Meaning::gradual_pruning:
      check_gradual(modifier, sink);
      break;
    case Meaning::acdc:
      check_whole_epochs(modifier, sink);
      check_mask(modifier, sink);
      break;
    case Meaning::topkast:
      check_mask(modifier, sink);
      break;
    case Meaning::learning_rate:
      check_scheduler(modifier, sink);
      break;
    case Meaning::quantization:
    case Meaning::legacy_quantization:
      check_quantization(modifier, sink);
      break;
    case Meaning::distillation:
      check_layer_names(modifier, sink);
      break;
    case Meaning::other:
      check_thinning(modifier, sink);
      break;
    case Meaning::epoch_range:
    case Meaning::set_learning_rate:
    case Meaning::learning_rate_function:
    case Meaning::set_weight_decay:
    case Meaning::rigl:
    case Meaning::constant_pruning:
    case Meaning::trainable:
    case Meaning::set_param:
    case Meaning::gradual_param:
      break;
  }
}

}  // namespace sparsecfg::dialect::sparseml
