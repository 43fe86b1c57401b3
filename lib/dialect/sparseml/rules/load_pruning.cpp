#include <fmt/core.h>

#include <cmath>

#include "base/number.h"
#include "dialect/sparseml/rules/rules.h"

// What the constructors of pruners refuse beyond the rows of the table (reference/sparseml.md B).
namespace sparsecfg::dialect::sparseml {

static std::string shown(const Modifier& modifier, std::string_view name) {
  const Field* field = modifier.find(name);
  return field == nullptr ? std::string(modifier.spec->find(name)->default_value) : source::python_str(field->value);
}

static bool checks_sparsity(const Modifier& modifier) { return modifier.spec->find("final_sparsity")->bounds.any(); }

// A mapping of sparsities takes the place of `params` and has rules for its keys.
static void check_sparsity_map(Modifier& modifier, const Field& field, diag::Sink& sink) {
  const Field* params = modifier.find("params");
  if (params != nullptr && !counts_as_empty(params->value)) {
    sink.report(diag::params_with_final_sparsity_map, params->value.span)
        .with_label(field.key, "this names the parameters already")
        .with_help("write `params: []`")
        .with_fix(diag::Fix::safe().replace(params->value.span, "[]"));
    invalidate(modifier, "params");
  }
  for (const auto& [key, selectors] : *field.value.get<source::Map>()) {
    const auto sparsity = key.number();
    if (!sparsity) {
      const auto* text = key.get<std::string>();
      const bool expression = text != nullptr && text->find("eval(") != std::string::npos;
      sink.report(diag::sparsity_key_not_a_number, key.span, source::describe(key))
          .with_help(expression ? "an `eval(...)` is not evaluated in a key: write the number"
                                : "write a number between 0.0 and 1.0");
      invalidate(modifier, field.name);
    } else if (checks_sparsity(modifier) && !(*sparsity > 0 && *sparsity < 1)) {
      sink.report(diag::sparsity_out_of_range, key.span, field.name, source::python_str(key), "(0.0, 1.0)");
      invalidate(modifier, field.name);
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
  if (const Field* score = modifier.find("score_type");
      score != nullptr && modifier.text("score_type") != "magnitude") {
    sink.report(diag::removed_argument, score->key, "score_type", modifier.spec->name)
        .with_help("`MovementPruningModifier`, `MFACPruningModifier` and `OBSPruningModifier` rank in other ways");
  }
  const Field* global = modifier.spec->name == "GMPruningModifier" ? modifier.find("global_sparsity") : nullptr;
  if (global != nullptr && global->value.data == Value::Data(true)) {
    sink.report(diag::deprecated_argument, global->key, "global_sparsity", modifier.spec->name)
        .with_help("`GlobalMagnitudePruningModifier` takes the same fields without it")
        .with_fix(diag::Fix::safe().replace(modifier.tag, "!GlobalMagnitudePruningModifier").remove(global->key));
  }
}

static bool knows_blocks_only(const Modifier& modifier) { return modifier.spec->name == "OBSPruningModifier"; }

// A colon makes a number to the base of 60 of an N:M mask without quotes.
static void report_mask(const Modifier& modifier, const Field& field, diag::Sink& sink) {
  const std::string text = modifier.text("mask_type");
  sink.report(diag::mask_type_unknown, field.value.span, source::describe(field.value), modifier.spec->name)
      .with_help(
          field.value.get<std::int64_t>() != nullptr
              ? "put an N:M mask in quotes: \"2:4\" without them is a number in YAML 1.1"
          : text == "filter" || text == "channel" ? "`StructuredPruningModifier` removes whole filters and channels"
          : knows_blocks_only(modifier)
              ? "it is `unstructured` or `block4`"
              : "it is `unstructured`, `block4`, `tensorrt`, an N:M text such as \"2:4\", or a block of two ints");
}

void check_mask(Modifier& modifier, diag::Sink& sink) {
  const Field* field = modifier.readable("mask_type");
  if (field == nullptr || field->spec->type != Type::any || modifier.framework != Framework::pytorch) {
    return;
  }
  const auto structure = read_structure(modifier, field->value);
  const std::string text = modifier.text("mask_type");
  if (!structure || (knows_blocks_only(modifier) && text != "unstructured" && text != "block4")) {
    report_mask(modifier, *field, sink);
    invalidate(modifier, "mask_type");
  }
}

static void check_obs_block(Modifier& modifier, diag::Sink& sink) {
  if (modifier.spec->name != "OBSPruningModifier" || modifier.text("mask_type") != "block4") {
    return;
  }
  const auto size = modifier.number("fisher_block_size");
  if (size && std::fmod(*size, 4) != 0) {
    const std::string what =
        shown(modifier, "fisher_block_size") + (modifier.gives("fisher_block_size") ? "" : " by default");
    sink.report(diag::block_needs_fisher_multiple, modifier.place("fisher_block_size"), what)
        .with_label(modifier.place("mask_type"), "blocks of four");
    invalidate(modifier, "fisher_block_size");
  }
}

void check_whole_epochs(Modifier& modifier, diag::Sink& sink) {
  for (const std::string_view name : {"start_epoch", "end_epoch", "update_frequency"}) {
    const Field* field = modifier.readable(name);
    const double epochs = field == nullptr ? 0 : modifier.number(name).value_or(0);
    const auto* text = field == nullptr ? nullptr : field->value.get<std::string>();
    if (epochs != std::floor(epochs) || (text != nullptr && text->find_first_of(".eE") != std::string::npos)) {
      sink.report(diag::fractional_epoch, field->value.span, name, epochs);
      invalidate(modifier, name);
    }
  }
}

void check_gradual(Modifier& modifier, diag::Sink& sink) {
  const Field* final_sparsity = modifier.readable("final_sparsity");
  if (final_sparsity != nullptr && final_sparsity->value.get<source::Map>() != nullptr) {
    check_sparsity_map(modifier, *final_sparsity, sink);
  }
  if (modifier.spec->find("phased") != nullptr) {
    check_removed_arguments(modifier, sink);
  }
  check_mask(modifier, sink);
  check_obs_block(modifier, sink);
}

}  // namespace sparsecfg::dialect::sparseml
