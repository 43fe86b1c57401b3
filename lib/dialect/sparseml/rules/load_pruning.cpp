#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/edit_distance.h"
#include "base/number.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/sparseml/codes.h"
#include "dialect/sparseml/rules/rules.h"
#include "dialect/sparseml/table/fields.h"
#include "emit/literal.h"

// Checks of the pruner constructors that the rows of the table do not cover (docs/semantics/sparseml.md#b3, #b4).
namespace sparsecfg::dialect::sparseml {

static std::string shown(const Modifier& modifier, std::string_view name) {
  const Field* field = modifier.find(name);
  return field == nullptr ? std::string(modifier.spec->find(name)->default_value) : source::python_str(field->value);
}

static bool checks_sparsity(const Modifier& modifier) { return modifier.spec->find("final_sparsity")->bounds.any(); }

DIAGNOSTIC(SP025, sparsity_key_not_a_number, error, (Text),
           "{} is a key of `final_sparsity`, but keys must be sparsities",
           "A `final_sparsity` mapping assigns lists of selectors to sparsities. SparseML compares its keys with 0 "
           "and 1, which fails with a TypeError for a string. An `eval(...)` in a key is never evaluated.",
           "write a number from 0 to 1 as the key")

DIAGNOSTIC(SP409, params_with_final_sparsity_map, error, (),
           "`params` must be empty because `final_sparsity` selects the parameters",
           "A mapping from sparsities to selectors replaces `params`. The constructor rejects both together.",
           "write `params: []`")

// Reports a mapping whose keys are selectors and whose values are sparsities.
static bool report_swapped(Modifier& modifier, const Field& field, diag::Sink& sink) {
  const auto& map = *field.value.get<source::Map>();
  std::set<double> sparsities;
  std::vector<std::string> entries;
  diag::Fix fix = diag::Fix::unsafe();
  for (const auto& [key, value] : map) {
    const auto* text = key.get<std::string>();
    const auto sparsity = value.number();
    if (text == nullptr || text->find("eval(") != std::string::npos || !sparsity || *sparsity <= 0 || *sparsity >= 1)
      return false;
    sparsities.insert(*sparsity);
    const std::string list = fmt::format("[{}]", emit::literal(emit::Syntax::yaml, *text));
    entries.push_back(fmt::format("`{}: {}`", base::python_repr(*sparsity), list));
    fix.replace(key.span, base::python_repr(*sparsity)).replace(value.span, list);
  }
  if (map.empty()) return false;
  auto& report =
      sink.report(diag::sparsity_key_not_a_number, map.front().first.span, source::describe(map.front().first));
  for (std::size_t at = 1; at < map.size(); ++at) report.with_label(map[at].first.span, "also a key");
  const Field* params = modifier.find("params");
  const bool both = params != nullptr && !counts_as_empty(params->value);
  if (both) report.with_label(params->value.span, "must be empty beside this mapping");
  if (both) fix.replace(params->value.span, "[]");
  report.with_help(
      fmt::format("swap keys and values: {}{}", base::join_and(entries), both ? "; and write `params: []`" : ""));
  if (sparsities.size() == map.size()) report.with_fix(std::move(fix));
  invalidate(modifier, field.name);
  return true;
}

// Returns the names and patterns of a mapping from sparsities, each list as a selector.
static std::vector<model::Selector> selectors_of(const source::Map& map) {
  constexpr std::string_view kPattern = "re:";
  std::vector<model::Selector> out;
  for (const auto& [key, value] : map) {
    const auto* list = value.get<source::List>();
    for (std::size_t at = 0; list != nullptr && at < list->size(); ++at) {
      const auto* text = (*list)[at].get<std::string>();
      const bool pattern = text != nullptr && text->starts_with(kPattern);
      if (text == nullptr) continue;
      out.push_back({{{pattern ? model::Term::Kind::pattern : model::Term::Kind::exact,
                       pattern ? text->substr(kPattern.size()) : *text,
                       {}}}});
    }
  }
  return out;
}

// `__ALL_PRUNABLE__` also selects parameters that the mapping leaves dense.
static std::string advice_on_params(const Modifier& modifier, const Value& params, const source::Map& map) {
  const auto* token = params.get<std::string>();
  if (token == nullptr || base::to_upper(*token) != "__ALL_PRUNABLE__") return {};
  const std::string rest =
      modifier.parameters == nullptr ? "" : prunable_beside(*modifier.parameters, selectors_of(map));
  return rest.empty() ? "write `params: []`, and add an entry to the mapping for each other layer, which is not pruned "
                        "without one"
                      : fmt::format(
                            "write `params: []`; the other layers are not pruned without an entry in the "
                            "mapping, such as `0.5: {}`",
                            rest);
}

// A mapping from sparsities to selectors replaces `params`. Its keys must be floats in the allowed range.
static void check_sparsity_map(Modifier& modifier, const Field& field, diag::Sink& sink) {
  if (report_swapped(modifier, field, sink)) return;
  const Field* params = modifier.find("params");
  if (params != nullptr && !counts_as_empty(params->value)) {
    sink.report(diag::params_with_final_sparsity_map, params->value.span)
        .with_label(field.key, "this mapping selects the parameters")
        .with_help(advice_on_params(modifier, params->value, *field.value.get<source::Map>()))
        .with_fix(diag::Fix::safe().replace(params->value.span, "[]"));
    invalidate(modifier, "params");
  }
  for (const auto& [key, selectors] : *field.value.get<source::Map>()) {
    const auto sparsity = key.number();
    if (!sparsity) {
      const auto* text = key.get<std::string>();
      const bool expression = text != nullptr && text->find("eval(") != std::string::npos;
      sink.report(diag::sparsity_key_not_a_number, key.span, source::describe(key))
          .with_help(expression ? "write the number: `eval(...)` is not evaluated in keys"
                                : "write a number between 0.0 and 1.0, such as `0.8`");
      invalidate(modifier, field.name);
    } else if (std::isnan(*sparsity) || (checks_sparsity(modifier) && !(*sparsity > 0 && *sparsity < 1))) {
      sink.report(diag::sparsity_out_of_range, key.span, field.name, source::python_str(key), "(0.0, 1.0)");
      invalidate(modifier, field.name);
    } else if (selectors.is_null()) {
      sink.report(diag::null_section, key.span, source::python_str(key), "has no value")
          .with_help("write the list of parameters that get this sparsity");
      invalidate(modifier, field.name);
    }
  }
}

DIAGNOSTIC(DP901, removed_argument, error, (Text, Text), "`{}` was removed from `{}`",
           "Older versions of SparseML selected the pruning method with `phased` and `score_type`. The final version "
           "has a separate modifier for each method and rejects any other value of these fields.",
           "use the modifier for the method, such as `GMPruningModifier` or `GlobalMagnitudePruningModifier`")

DIAGNOSTIC(DP902, deprecated_argument, warning, (Text, Text), "`{}` on `{}` is deprecated",
           "The argument still works, with a warning in the log of SparseML. `GlobalMagnitudePruningModifier` accepts "
           "the same fields without this argument and ranks all parameters together.",
           "write `!GlobalMagnitudePruningModifier` with the same fields")

static void check_removed_arguments(const Modifier& modifier, diag::Sink& sink) {
  const Field* phased = modifier.find("phased");
  const bool false_like = phased == nullptr || phased->value.is_null() || phased->value.number() == 0.0;
  if (!false_like) {
    sink.report(diag::removed_argument, phased->key, "phased", modifier.spec->name)
        .with_help("delete the field; `ACDCPruningModifier` alternates dense and sparse phases");
  }
  if (const Field* score = modifier.find("score_type");
      score != nullptr && modifier.text("score_type") != "magnitude") {
    sink.report(diag::removed_argument, score->key, "score_type", modifier.spec->name)
        .with_help(
            "delete the field; `MovementPruningModifier`, `MFACPruningModifier` and `OBSPruningModifier` have other "
            "scores");
  }
  const Field* global = modifier.spec->name == "GMPruningModifier" ? modifier.find("global_sparsity") : nullptr;
  if (global != nullptr && global->value.data == source::Value::Data(true)) {
    sink.report(diag::deprecated_argument, global->key, "global_sparsity", modifier.spec->name)
        .with_help("use `GlobalMagnitudePruningModifier`, which has the same other fields")
        .with_fix(diag::Fix::safe().replace(modifier.key, "!GlobalMagnitudePruningModifier").remove(global->key));
  }
}

static bool knows_blocks_only(const Modifier& modifier) { return modifier.spec->name == "OBSPruningModifier"; }

// Offers the class for filters and channels. Returns false if it does not have all fields of the modifier.
static bool offer_structured(const Modifier& modifier, diag::Diagnostic& report) {
  const ClassSpec* structured = find_modifier(modifier.framework, "StructuredPruningModifier");
  if (structured == nullptr) return false;
  for (const Field& field : modifier.fields) {
    if (structured->find(field.name) == nullptr) return false;
  }
  report.with_help("write `!StructuredPruningModifier`, which prunes whole filters or channels and has the same fields")
      .with_fix(diag::Fix::unsafe().replace(modifier.key, "!StructuredPruningModifier"));
  return true;
}

// YAML 1.1 reads an N:M mask without quotes as a base-60 number.
static void report_mask(const Modifier& modifier, const Field& field, diag::Sink& sink) {
  const std::string text = modifier.text("mask_type");
  const std::span<const std::string_view> words(kMaskWords, knows_blocks_only(modifier) ? 2 : 3);
  const auto guess = base::nearest(text, words);
  auto& report =
      sink.report(diag::mask_type_unknown, field.value.span, source::describe(field.value), modifier.spec->name);
  if (guess) {
    report.with_help(base::did_you_mean(guess))
        .with_fix(diag::Fix::unsafe().content(field.value.span, std::string(*guess)));
    return;
  }
  if ((text == "filter" || text == "channel") && offer_structured(modifier, report)) return;
  report.with_help(
      field.value.get<std::int64_t>() != nullptr
          ? "put the N:M mask in quotes, such as \"2:4\": YAML 1.1 reads it as a number without them"
      : text == "filter" || text == "channel" ? "use `StructuredPruningModifier` to remove whole filters or channels"
      : knows_blocks_only(modifier)
          ? "use `unstructured` or `block4`"
          : "use `unstructured`, `block4`, `tensorrt`, an N:M string such as \"2:4\", or a block such as `[1, 4]`");
}

DIAGNOSTIC(SP437, block_like_group, warning, (std::int64_t, std::int64_t),
           "`[{0}, {1}]` prunes blocks of {0} outputs and {1} inputs, not {0} of {1} weights",
           "A list is a block of weights that are pruned together. Masks that keep N of M weights in a row are strings "
           "with a colon, such as `'2:4'`. The sparsity of such a mask is 1 - N/M, which is the final sparsity here.",
           "write the mask as a string, such as `'2:4'`")

// A list such as [2, 4] with the sparsity of 2:4. A block of one output, such as [1, 4], is usual.
static void check_block_of_group(const Modifier& modifier, const Field& field, const ir::Structure& structure,
                                 diag::Sink& sink) {
  const auto target = modifier.number("final_sparsity");
  const bool usual = structure.n <= 1 && structure.m != 2;
  if (structure.kind != ir::Structure::Kind::block || field.value.get<source::List>() == nullptr || usual ||
      structure.n < 1 || structure.n >= structure.m || !target) {
    return;
  }
  const double sparsity = 1 - static_cast<double>(structure.n) / static_cast<double>(structure.m);
  if (std::abs(*target - sparsity) > 1e-9) return;
  const std::string mask = fmt::format("'{}:{}'", structure.n, structure.m);
  const Field* first = modifier.readable("init_sparsity");
  const bool ramps = first != nullptr && first->value.number() && *first->value.number() != *target;
  const std::string constant = base::python_repr(*target);
  diag::Fix fix = diag::Fix::unsafe().replace(field.value.span, mask);
  if (ramps) fix.replace(first->value.span, constant);
  const bool written = !field.evaluated && (!ramps || !first->evaluated);
  sink.report(diag::block_like_group, field.value.span, structure.n, structure.m)
      .with_label(modifier.place("final_sparsity"), fmt::format("the sparsity of {}:{}", structure.n, structure.m))
      .with_help(fmt::format(
          "write `mask_type: {}`, which keeps {} of {} weights{}", mask, structure.n, structure.m,
          ramps ? fmt::format(", and `init_sparsity: {}`, which it needs from the start", constant) : std::string()))
      .with_fix(written ? std::move(fix) : diag::Fix());
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
  } else {
    check_block_of_group(modifier, *field, *structure, sink);
  }
}

DIAGNOSTIC(SP415, block_needs_fisher_multiple, error, (Text),
           "`block4` requires a `fisher_block_size` divisible by 4, but it is {}",
           "OBSPruningModifier scores blocks of four weights within the blocks of its Fisher matrix. It rejects sizes "
           "that are not a multiple of 4.",
           "write a `fisher_block_size` that is a multiple of 4")

static void check_obs_block(Modifier& modifier, diag::Sink& sink) {
  if (modifier.spec->name != "OBSPruningModifier" || modifier.text("mask_type") != "block4") {
    return;
  }
  const auto size = modifier.number("fisher_block_size");
  if (size && std::fmod(*size, 4) != 0) {
    const std::string what =
        shown(modifier, "fisher_block_size") + (modifier.gives("fisher_block_size") ? "" : " by default");
    sink.report(diag::block_needs_fisher_multiple, modifier.place("fisher_block_size"), what)
        .with_label(modifier.place("mask_type"), "blocks of four weights");
    invalidate(modifier, "fisher_block_size");
  }
}

DIAGNOSTIC(SP212, fractional_epoch, error, (Text, double), "`{}` must be a whole number of epochs, got {}",
           "AC/DC changes its phase after whole epochs and rejects fractions.", "write a whole number of epochs")

// Returns a whole number near the given one. A phase shorter than an epoch is one that was written as the interval of
// another pruner; five epochs are usual, or a number that divides the window.
static double whole_epochs_for(const Modifier& modifier, std::string_view name, double epochs) {
  if (name != "update_frequency") return std::max(std::round(epochs), 0.0);
  const double window = modifier.number("end_epoch").value_or(0) - modifier.number("start_epoch").value_or(0);
  const std::vector<double> phases =
      epochs < 1 ? std::vector{5.0, 4.0, 3.0, 2.0} : std::vector{std::floor(epochs), std::ceil(epochs)};
  const auto divides = [&](double phase) { return window <= 0 || std::fmod(window, phase) == 0; };
  const auto found = std::ranges::find_if(phases, divides);
  return found != phases.end() ? *found : std::max(std::round(epochs), 1.0);
}

static void report_fraction(const Modifier& modifier, const Field& field, double epochs, diag::Sink& sink) {
  auto& report = sink.report(diag::fractional_epoch, field.value.span, field.name, epochs);
  if (!std::isfinite(epochs)) return;
  const std::string whole = base::python_repr(whole_epochs_for(modifier, field.name, epochs));
  const bool phase = field.name == "update_frequency";
  report.with_help(
      fmt::format("write `{}: {}`{}", field.name, whole, phase ? ", the length of a dense or a compressed phase" : ""));
  if (!field.evaluated) report.with_fix(diag::Fix::unsafe().replace(field.value.span, whole));
}

void check_whole_epochs(Modifier& modifier, diag::Sink& sink) {
  for (const std::string_view name : {"start_epoch", "end_epoch", "update_frequency"}) {
    const Field* field = modifier.readable(name);
    const double epochs = field == nullptr ? 0 : modifier.number(name).value_or(0);
    const auto* text = field == nullptr ? nullptr : field->value.get<std::string>();
    if (epochs != std::floor(epochs) || (text != nullptr && text->find_first_of(".eE") != std::string::npos)) {
      report_fraction(modifier, *field, epochs, sink);
      invalidate(modifier, name);
    }
  }
}

// A bound rejects nan, unlike the comparison of a row. M-FAC and OBS have no bounds, but then fail at the first update.
static void check_nan(Modifier& modifier, std::string_view name, std::string_view range, diag::Sink& sink) {
  const Field* field = modifier.readable(name);
  const auto number = field == nullptr ? std::nullopt : field->value.number();
  if (!number || modifier.framework != Framework::pytorch) {
    return;
  }
  if (std::isnan(*number) || (!checks_sparsity(modifier) && std::isinf(*number) && name == "init_sparsity")) {
    sink.report(diag::sparsity_out_of_range, field->value.span, field->name, source::python_str(field->value), range);
    invalidate(modifier, name);
  }
}

void check_gradual(Modifier& modifier, diag::Sink& sink) {
  check_nan(modifier, "init_sparsity", "[0.0, 1.0]", sink);
  check_nan(modifier, "final_sparsity", "(0.0, 1.0)", sink);
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
