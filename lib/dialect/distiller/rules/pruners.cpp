#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "base/number.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/distiller/codes.h"
#include "dialect/distiller/rules/rules.h"
#include "dialect/record/check.h"
#include "dialect/record/suggest.h"
#include "ir/curve.h"
#include "ir/matching.h"
#include "model/matcher.h"
#include "model/model_names.h"
#include "model/typical_names.h"

// Checks pruners and regularizers (docs/semantics/distiller.md#b1, #b3, #b4, #c3, #d1).
namespace sparsecfg::dialect::distiller {

// `*` is the entry for all other parameters in a mapping of sparsities, levels or thresholds, but not in a list of
// names.
static bool is_pattern(const Value& name) {
  const auto* text = name.get<std::string>();
  return text != nullptr && model::looks_like_pattern(*text);
}

static bool is_pattern_of_mapping(const Value& name) {
  const auto* text = name.get<std::string>();
  return is_pattern(name) && *text != "*";
}

static bool is_star(std::string_view pattern) { return pattern == "*" || pattern == ".*" || pattern == "re:.*"; }

// Returns the weights of layers, without norms and biases.
static std::vector<std::string> prunable_of(const model::ModelNames& parameters) {
  std::vector<std::string> out;
  for (const auto& [first, last] : parameters.matched({model::Term::Kind::all_prunable, {}, {}}).ranges) {
    out.insert(out.end(), parameters.list().begin() + first, parameters.list().begin() + last);
  }
  return out;
}

// Returns the parameters of the model that a pattern selects in the systems that have patterns.
static std::vector<std::string> names_meant_by(std::string_view pattern, const model::ModelNames* parameters) {
  std::vector<std::string> out;
  if (is_star(pattern) && parameters != nullptr) return prunable_of(*parameters);
  if (pattern.starts_with("re:")) pattern.remove_prefix(3);
  const bool regular = pattern.find(".*") != std::string_view::npos;
  const model::Matcher matcher(regular ? std::string(pattern) : base::pattern_meant_by(pattern));
  for (const std::string& name : parameters == nullptr ? std::vector<std::string>() : parameters->list()) {
    if (matcher.takes(name)) out.push_back(name);
  }
  return out;
}

// Returns the names of a list with the matches of its patterns; empty if a pattern has none.
static std::vector<std::string> expanded(const source::List& names, const model::ModelNames* parameters) {
  std::vector<std::string> out;
  for (const Value& name : names) {
    std::vector<std::string> meant{source::python_str(name)};
    if (is_pattern(name)) meant = names_meant_by(meant.front(), parameters);
    if (meant.empty()) return {};
    std::ranges::copy_if(meant, std::back_inserter(out),
                         [&](const std::string& each) { return std::ranges::find(out, each) == out.end(); });
  }
  return out;
}

static diag::Diagnostic& report_pattern(const Value& name, diag::Sink& sink) {
  return sink.report(diag::regex_in_literal_field, name.span, source::python_str(name))
      .with_help(
          "write each full name, such as `layer1.0.conv1.weight`; `sparsecfg match FILE` lists the names of a model");
}

// Reports the patterns of a list at the first one, and offers the full names that they mean in the model.
static void report_patterns(const Value& value, const Context& context) {
  const auto& names = *value.get<source::List>();
  const auto first = std::ranges::find_if(names, is_pattern);
  if (first == names.end()) return;
  auto& report = report_pattern(*first, context.sink);
  for (auto name = first + 1; name != names.end(); ++name) {
    if (is_pattern(*name)) report.with_label(name->span, "another pattern");
  }
  const std::vector<std::string> meant = expanded(names, context.parameters);
  if (meant.empty()) return;
  report.with_help(fmt::format("write the {} full names, such as `{}`", meant.size(), meant.front()))
      .with_fix(diag::Fix::unsafe().replace(value.span, flow_list({meant.begin(), meant.end()})));
}

diag::Diagnostic& reject(Component& component, diag::Sink& sink, const Value& value, std::string_view field,
                         std::string_view expected) {
  component.valid = false;
  return sink.report(diag::wrong_type, value.span, field, expected, source::describe(value));
}

static bool is_list_of_names(const std::string& text) { return !items_of(text).empty(); }

static std::string list_of_names(const std::string& text) {
  return is_list_of_names(text) ? flow_list(items_of(text)) : fmt::format("[{}]", text);
}

DIAGNOSTIC(SP623, params_bare_string, warning, (Text), "`{}` is a string, not a list: Distiller matches its substrings",
           "Distiller tests whether the name of a parameter is in `weights`. If `weights` is a string, this is a "
           "substring test, and every name contained in the string is pruned. For example, `conv1.weight` is in "
           "`block1.conv1.weight`. A single name that starts with `module.` contains no other name, so it is an info.",
           "write a list: `weights: [{0}]`")

// Names of parameters in a training with DataParallel start with `module.`, so that a name contains no other one.
static bool is_one_whole_name(const std::string& text) {
  return text.starts_with("module.") && !is_list_of_names(text) && text.find("module.", 1) == std::string::npos;
}

static void check_weights(Component& component, const Context& context) {
  diag::Sink& sink = context.sink;
  const Field* field = component.arguments->weights.field();
  if (field == nullptr) {
    return;
  }
  if (const auto* text = field->value.get<std::string>();
      text != nullptr && !text->empty() && model::looks_like_pattern(*text)) {
    report_pattern(field->value, sink);  // a list with it would match nothing as well
  } else if (text != nullptr && !text->empty()) {
    sink.report(diag::params_bare_string, field->value.span, *text)
        .with_severity(is_one_whole_name(*text) ? diag::Severity::info : diag::Severity::warning)
        .with_help(fmt::format("write `weights: {}`", list_of_names(*text)))
        .with_fix(is_list_of_names(*text) ? diag::Fix::unsafe().replace(field->value.span, list_of_names(*text))
                                          : diag::Fix::unsafe().list(field->value.span));
  } else if (const auto* list = field->value.get<source::List>(); list != nullptr && !list->empty()) {
    report_patterns(field->value, context);
  } else if (const auto* map = field->value.get<source::Map>(); map != nullptr && !map->empty()) {
    for (const source::Entry& entry : *map) {
      if (is_pattern(entry.first)) report_pattern(entry.first, sink);
    }
  } else if (field->value.is_null()) {
    component.valid = false;
    sink.report(diag::null_section, field->key, "weights", "has no value");
  } else {
    const bool empty = text != nullptr || list != nullptr || map != nullptr;
    component.valid = false;
    sink.report(diag::wrong_type, field->value.span, "weights", "a list of names",
                empty ? "an empty value" : source::describe(field->value));
  }
}

static bool ranks_by_norm(const Component& component) {
  return component.spec->criterion == "l1" || component.spec->criterion == "l2";
}

static bool ranks(const Component& component) {
  return component.spec->kind == ClassKind::ranked || component.spec->kind == ClassKind::ranked_gradual;
}

// Leaders are ranked only by norms, since other rankings need the model. The leader is the first item of a list.
static void check_leader(Component& component, diag::Sink& sink, Span place) {
  if (ranks(component) && component.acts && !ranks_by_norm(component)) {
    component.valid = false;
    sink.report(diag::unknown_choice, place, "Leader", "group_dependency")
        .with_help(
            fmt::format("`{}` cannot rank a leader and fails in the first active epoch; delete `group_dependency`, or "
                        "use a pruner that ranks by norms",
                        component.spec->name));
  } else if (const Field* weights = component.arguments->weights.field();
             ranks(component) && component.acts && weights != nullptr &&
             weights->value.get<source::List>() == nullptr) {
    component.valid = false;
    sink.report(diag::wrong_type, weights->value.span, "weights", "a list because `group_dependency` is `Leader`",
                source::describe(weights->value))
        .with_help("write the names as a list; the first one is the leader");
  }
}

static void check_dependency(Component& component, diag::Sink& sink) {
  const auto& dependency = component.arguments->group_dependency;
  if (dependency.is("Leader")) {
    check_leader(component, sink, dependency.place());
  } else if (const Value* given = dependency.given()) {
    sink.report(diag::unknown_choice, given->span, source::python_str(*given), "group_dependency")
        .with_severity(diag::Severity::warning)
        .with_help(ranks_by_norm(component) ? "write `Leader`, or delete the field; other values are ignored"
                                            : "delete the field; this value is ignored");
  }
}

// Returns true if torch accepts the sides of a block as sizes of a view. A depth of at most 1 is not one of them.
static bool fits_view(const Value& repetitions, const Value& depth) {
  const auto is_int = [](const Value& side) {
    return side.get<std::int64_t>() != nullptr || side.get<bool>() != nullptr;
  };
  return is_int(repetitions) && *repetitions.number() > 0 && depth.number() && (*depth.number() <= 1 || is_int(depth));
}

static void check_blocks(Component& component, diag::Sink& sink) {
  if (!component.arguments->has_blocks()) {
    return;
  }
  const Value* shape = component.arguments->block_shape();
  const auto* sides = shape == nullptr ? nullptr : shape->get<source::List>();
  if (shape == nullptr) {
    component.valid = false;
    sink.report(diag::missing_required, component.arguments->group_type.place(), "group_type: Blocks",
                "kwargs: {block_shape: ...}")
        .with_help("write `kwargs: {block_shape: [1, 8, 1, 1]}`");
  } else if (sides == nullptr || sides->size() != 4 || (*sides)[2].number() != 1 || (*sides)[3].number() != 1) {
    reject(component, sink, *shape, "block_shape", "a list of four ints that ends in `1, 1`");
  } else if (component.acts && !fits_view((*sides)[0], (*sides)[1])) {
    reject(component, sink, *shape, "block_shape", "a list of four ints above 0");
  }
}

// Rankings other than norms slice a list of filters, which accepts a count beyond its length.
static bool cuts_list(const Component& component) { return ranks(component) && !ranks_by_norm(component); }

// torch fails if the number of weights to remove is negative or above the total.
// `lower`: the other end of the ramp, which a suggested value must exceed.
static bool check_share(Component& component, diag::Sink& sink, const Value& value, std::string_view field,
                        bool above_zero, double lower = 0) {
  const auto share = value.number();
  if (!share || (*share <= 1 && (above_zero ? *share > 0 : *share >= 0))) {
    return share.has_value();
  }
  const bool cuts = cuts_list(component);
  component.valid = cuts;
  auto& report = sink.report(diag::sparsity_out_of_range, value.span, field, source::python_str(value),
                             above_zero ? "(0, 1]" : "[0, 1]");
  report.with_severity(cuts ? diag::Severity::warning : diag::Severity::error);
  if (is_percent(*share) && fraction_of(*share) > lower) {
    const std::string fraction = base::python_repr(fraction_of(*share));
    report.with_help(fmt::format("write `{}`", fraction)).with_fix(diag::Fix::unsafe().replace(value.span, fraction));
  } else if (*share == 0) {
    report.with_help("at least one weight must be removed at the first active epoch; write a value such as `0.05`");
  }
  return false;
}

// A leader must lose at least one structure in every active epoch.
static void check_desired(Component& component, diag::Sink& sink) {
  const Field* field = component.arguments->desired_sparsity.field();
  if (field != nullptr && component.acts) {
    check_share(component, sink, field->value, field->name, component.arguments->has_leader());
  }
}

DIAGNOSTIC(SP404, agp_not_increasing, error, (Text, Text),
           "`final_sparsity` {} must be greater than `initial_sparsity` {}",
           "The gradual pruners of Distiller reject a ramp that does not rise.",
           "write a `final_sparsity` greater than {1}")

static void report_falling_ramp(Component& component, diag::Sink& sink, const Field& from, const Field& to) {
  component.valid = false;
  const double fraction = fraction_of(*from.value.number());
  const bool percent = is_percent(*from.value.number()) && fraction < *to.value.number();
  auto& report = sink.report(diag::agp_not_increasing, percent ? from.value.span : to.value.span,
                             source::python_str(to.value), source::python_str(from.value));
  if (percent) {
    report.with_label(to.value.span, "final sparsity")
        .with_help(fmt::format("write `initial_sparsity: {}`", base::python_repr(fraction)))
        .with_fix(diag::Fix::unsafe().replace(from.value.span, base::python_repr(fraction)));
  } else {
    report.with_label(from.value.span, "initial sparsity");
    if (to.value.number() == 0.0) {  // the user wants to return to dense weights, which no gradual pruner does
      report.with_help(
          fmt::format("end the policy that prunes to {0}: a gradual pruner never lowers the sparsity, and weights "
                      "without a mask can grow again; else write a `final_sparsity` greater than {0}",
                      source::python_str(from.value)));
    } else {
      report.with_help("swap the two values: the sparsity can only rise")
          .with_fix(diag::Fix::unsafe().swap(from.value.span, to.value.span));
    }
  }
}

static void report_percentages(Component& component, diag::Sink& sink, const Field& from, const Field& to) {
  component.valid = cuts_list(component);
  const std::string start = base::python_repr(fraction_of(*from.value.number()));
  const std::string end = base::python_repr(fraction_of(*to.value.number()));
  sink.report(diag::sparsity_out_of_range, to.value.span, "final_sparsity", source::python_str(to.value), "[0, 1]")
      .with_severity(cuts_list(component) ? diag::Severity::warning : diag::Severity::error)
      .with_label(from.value.span, "initial sparsity, also a percentage")
      .with_help(fmt::format("write `initial_sparsity: {}` and `final_sparsity: {}`", start, end))
      .with_fix(diag::Fix::unsafe().replace(from.value.span, start).replace(to.value.span, end));
}

static void check_ramp(Component& component, diag::Sink& sink) {
  const Field* from = component.arguments->initial_sparsity.field();
  const Field* to = component.arguments->final_sparsity.field();
  if (from == nullptr || to == nullptr) {
    return;
  }
  const double start = *from->value.number();
  const double end = *to->value.number();
  if (end <= start) {
    report_falling_ramp(component, sink, *from, *to);
  } else if (component.acts && component.starts && is_percent(start) && is_percent(end)) {
    report_percentages(component, sink, *from, *to);
  } else if (component.acts) {
    if (component.starts) {
      check_share(component, sink, from->value, "initial_sparsity",
                  component.spec->kind == ClassKind::gradual || component.arguments->has_leader());
    }
    const ir::EpochCurve ramp{{start, {}}};
    if (!(ir::value_at(ramp, end, 0, 1, component.reached) <= 1)) {
      check_share(component, sink, to->value, "final_sparsity", false, start);
    }
  }
}

// Checks a mapping of names to numbers.
static void check_numbers(Component& component, diag::Sink& sink, std::string_view name, bool never_empty) {
  const Field* field = component.fields.readable(name);
  const auto* map = field == nullptr ? nullptr : field->value.get<source::Map>();
  if (map == nullptr) {
    return;
  }
  if (map->empty() && never_empty) {
    component.valid = false;
    sink.report(diag::wrong_type, field->value.span, name, "a mapping of names to sparsities", "an empty mapping");
  }
  for (const auto& [key, value] : *map) {
    if (is_pattern_of_mapping(key)) report_pattern(key, sink);
    if (component.acts && (name != "levels" || component.shows_levels) && !value.number()) {
      reject(component, sink, value, source::python_str(key), "a number");
    }
  }
}

DIAGNOSTIC(SP433, sensitivity_removes_all, silent_warning, (Text, Text),
           "a sensitivity of {} removes all weights of `{}`",
           "A sensitivity is no sparsity. SensitivityPruner zeroes the weights whose magnitude is below the "
           "sensitivity times the standard deviation of the layer. Of normally distributed weights, a sensitivity of 1 "
           "removes 68 %, 2 removes 95 %, and 4 leaves 6 in 100,000.",
           "write a sensitivity below 2, or use `SparsityLevelParameterPruner` with `levels`")

// Returns the sensitivity that removes a fraction of normally distributed weights: the inverse of erf(s / sqrt(2)).
static double sensitivity_of(double sparsity) {
  double low = 0;
  double high = 8;
  constexpr int kSteps = 60;
  for (int step = 0; step < kSteps; ++step) {
    const double middle = (low + high) / 2;
    (std::erf(middle / std::sqrt(2.0)) < sparsity ? low : high) = middle;
  }
  return low;
}

// Reports sensitivities that are probably percentages of the weights, all of them at the first one.
static void check_sensitivities(Component& component, diag::Sink& sink) {
  constexpr double kRemovesAll = 5;
  const Field* field = component.fields.readable("sensitivities");
  const auto* map = field == nullptr ? nullptr : field->value.get<source::Map>();
  const auto removes_all = [](const source::Entry& entry) {
    return entry.second.number() && *entry.second.number() >= kRemovesAll;
  };
  const auto first = map == nullptr ? source::Map::const_iterator() : std::ranges::find_if(*map, removes_all);
  if (map == nullptr || !component.acts || first == map->end()) return;
  diag::Fix fix = diag::Fix::unsafe();
  bool percentages = true;
  auto& report = sink.report(diag::sensitivity_removes_all, first->second.span, source::python_str(first->second),
                             source::python_str(first->first));
  for (auto entry = first; entry != map->end(); ++entry) {
    if (!removes_all(*entry)) continue;
    if (entry != first) report.with_label(entry->second.span, "removes all weights as well");
    percentages = percentages && *entry->second.number() < 100;
    fix.replace(entry->second.span, fmt::format("{:.3f}", sensitivity_of(*entry->second.number() / 100)));
  }
  if (!percentages) return;
  const double share = *first->second.number() / 100;
  report
      .with_help(fmt::format("write `{:.3f}`, which removes about {} % of normally distributed weights; for exactly "
                             "that, write `class: SparsityLevelParameterPruner` and `levels` of {}",
                             sensitivity_of(share), source::python_str(first->second), base::python_repr(share)))
      .with_fix(std::move(fix));
}

DIAGNOSTIC(
    SP721, star_prunes_biases, silent_warning, (Text), "`*` also prunes {}",
    "The entry `*` applies to each parameter of the model that has no entry of its own, also to biases and to the "
    "scales and shifts of normalization. A shift that is 0 when training begins then stays 0.",
    "list the weights in place of `*`")

// The parameters of a model that have no entry of their own. Distiller does not mask buffers.
struct OtherParameters {
  std::vector<std::string> vectors;  // of biases and normalization
  std::vector<std::string> weights;
};

static OtherParameters others_of(const Value& entries, const model::ModelNames& parameters) {
  OtherParameters out;
  for (std::size_t at = 0; at < parameters.size(); ++at) {
    const std::string& name = parameters[at];
    if (entries.find(name) != nullptr || model::is_buffer_of_norm(base::last_part(name))) continue;
    const auto* shape = parameters.shape(at);
    const bool vector = shape != nullptr ? shape->size() == 1 : name.ends_with(".bias");
    (vector ? out.vectors : out.weights).push_back(name);
  }
  return out;
}

// Returns the advice to delete the entry `*`, or to list the weights that it was meant for. Without shapes, the scales
// of normalization look like weights.
static std::string advice_on_star(const std::vector<std::string>& weights, const std::string& sparsity, bool shapes) {
  constexpr std::size_t kMost = 24;
  if (!shapes) return fmt::format("delete `'*': {}`, and add an entry for each other weight", sparsity);
  if (weights.empty()) return fmt::format("delete `'*': {}`: all other weights have an entry", sparsity);
  std::vector<std::string> entries;
  for (std::size_t at = 0; at < std::min(weights.size(), kMost); ++at) {
    entries.push_back(fmt::format("`{}: {}`", weights[at], sparsity));
  }
  if (weights.size() > kMost) entries.push_back(base::counted(weights.size() - kMost, "more weight"));
  return fmt::format("write {} in place of `'*'`", base::join_and(entries));
}

// Returns the edit that puts an entry for each weight in the place of `*`, in a mapping of several lines.
static diag::Fix fix_of_star(const source::SourceFile& file, source::Span star, const std::vector<std::string>& weights,
                             const std::string& sparsity) {
  const std::string_view before = file.text().substr(0, star.begin);
  const std::string_view indent = before.substr(before.rfind('\n') + 1);
  const bool alone = std::ranges::all_of(indent, [](char each) { return each == ' '; });
  if (weights.empty() || !alone) return {};
  std::string text;
  for (const std::string& name : weights) {
    if (!text.empty()) text += fmt::format(": {}\n{}", sparsity, indent);
    text += name;
  }
  return diag::Fix::unsafe().replace(star, std::move(text));
}

// Reports an entry for all other parameters, if some are vectors. Without a model, there are probably such parameters.
static void check_star(const Component& component, std::string_view list, const Context& context) {
  const Field* field = component.fields.readable(list);
  const auto* map = field == nullptr ? nullptr : field->value.get<source::Map>();
  if (map == nullptr) return;
  const auto star = std::ranges::find_if(*map, [](const source::Entry& each) {
    const auto* name = each.first.get<std::string>();
    return name != nullptr && *name == "*";
  });
  if (star == map->end() || star->second.number().value_or(0) <= 0) return;
  const std::string number = source::python_str(star->second);
  if (context.parameters == nullptr) {
    context.sink
        .report(diag::star_prunes_biases, star->first.span, "biases, and the scales and shifts of normalization")
        .with_help(advice_on_star({}, number, false))
        .not_beside(diag::star_selects_settings);
    return;
  }
  const auto [vectors, weights] = others_of(field->value, *context.parameters);
  if (vectors.empty()) return;
  const bool shapes = context.parameters->has_shapes();
  context.sink
      .report(diag::star_prunes_biases, star->first.span,
              fmt::format("{} of biases and normalization, such as `{}`", base::counted(vectors.size(), "parameter"),
                          vectors.front()))
      .with_help(advice_on_star(weights, number, shapes))
      .with_fix(shapes ? fix_of_star(context.file, star->first.span, weights, number) : diag::Fix());
}

static void check_thresholds(Component& component, diag::Sink& sink) {
  const Field* field = component.fields.readable("thresholds");
  if (field != nullptr && field->value.find("*") == nullptr) {
    component.valid = false;
    sink.report(diag::missing_required, field->key, "thresholds", "*")
        .with_help("add `'*': 0.0`, the threshold of all other parameters");
  }
  check_numbers(component, sink, "thresholds", false);
}

static void check_range(Component& component, diag::Sink& sink) {
  const Field* field = component.fields.readable("sparsity_range");
  const auto* list = field == nullptr ? nullptr : field->value.get<source::List>();
  if (!component.acts || list == nullptr) {
    return;
  }
  if (list->size() != 2 || !(*list)[0].number() || !(*list)[1].number()) {
    reject(component, sink, field->value, "sparsity_range", "a list of two numbers");
    return;
  }
  for (const Value& end : *list) {
    if (!check_share(component, sink, end, "sparsity_range", false)) return;
  }
}

static void report_group(Component& component, diag::Sink& sink, const Value& group, std::string_view help) {
  component.valid = false;
  sink.report(diag::unknown_choice, group.span, source::python_str(group), "reg_regims").with_help(std::string(help));
}

static void check_pair(Component& component, diag::Sink& sink, const Regim& regim, bool thresholds) {
  if (regim.group == nullptr || !regim.strength->number()) {
    reject(component, sink, *regim.value, "reg_regims", "a pair of a number and a group for each name");
    return;
  }
  const Value& group = *regim.group;
  const auto* name = regim.group_text();
  const bool known = name != nullptr && std::ranges::find(weight_groups(), *name) != weight_groups().end();
  const bool variance = component.spec->kind == ClassKind::group_variance;
  if (!known || (variance && *name != "Channels")) {
    report_group(component, sink, group,
                 variance ? "write `Channels`, the only supported group"
                          : "write `2D`, `3D`, `4D`, `Filters`, `Channels`, `Rows`, `Cols` or `Rows+Cols`");
  } else if (name->find("4D") != std::string::npos && name->size() > 2) {
    report_group(component, sink, group, "write `4D` or `Channels`; Distiller fails on this combination");
  } else if (thresholds && (*name == "4D" || name->find('+') != std::string::npos)) {
    report_group(component, sink, group,
                 component.section == Section::pruners
                     ? "write `Channels`, `Filters`, `2D`, `Rows` or `Cols`; this group cannot be thresholded"
                     : "delete `threshold_criteria`; this group cannot be thresholded");
  }
}

// Checks a mapping of names to pairs of a number and a group. `looks_up`: false for a name that is never looked up.
static void check_pairs(
    Component& component, diag::Sink& sink, bool thresholds,
    const std::function<bool(const Value&)>& looks_up = [](const Value&) { return true; }) {
  for (const Regim& each : component.arguments->reg_regims.value_or({})) {
    if (is_pattern_of_mapping(*each.name)) report_pattern(*each.name, sink);
    if (component.acts && looks_up(*each.name)) check_pair(component, sink, each, thresholds);
  }
}

void check_pruner(Component& component, const Context& context) {
  diag::Sink& sink = context.sink;
  check_weights(component, context);
  check_dependency(component, sink);
  check_blocks(component, sink);
  switch (component.spec->kind.as<ClassKind>()) {
    case ClassKind::gradual:
    case ClassKind::ranked_gradual: check_ramp(component, sink); break;
    case ClassKind::ranked:
    case ClassKind::reconstruction: check_desired(component, sink); break;
    case ClassKind::level:
      check_numbers(component, sink, "levels", true);
      if (component.acts) check_star(component, "levels", context);
      break;
    case ClassKind::sensitivity:
      check_numbers(component, sink, "sensitivities", false);
      check_sensitivities(component, sink);
      if (component.acts) check_star(component, "sensitivities", context);
      break;
    case ClassKind::splicing: check_numbers(component, sink, "sensitivities", false); break;
    case ClassKind::magnitude: check_thresholds(component, sink); break;
    case ClassKind::structure_threshold: check_pairs(component, sink, true); break;
    case ClassKind::random_level: check_range(component, sink); break;
    default: break;
  }
}

void check_regularizer(Component& regularizer, const Component* quantizer, const Context& context) {
  if (regularizer.spec->kind == ClassKind::l1) {
    check_numbers(regularizer, context.sink, "reg_regims", false);
    return;
  }
  const auto keeps_name = [is_renamed = renamed_by(quantizer, context)](const Value& name) {
    const auto* text = name.get<std::string>();
    return text == nullptr || !is_renamed(*text);
  };
  check_pairs(regularizer, context.sink, is_enabled(regularizer.fields, "threshold_criteria"), keeps_name);
}

}  // namespace sparsecfg::dialect::distiller
