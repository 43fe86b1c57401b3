#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>

#include "base/number.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/distiller/codes.h"
#include "dialect/distiller/read.h"
#include "dialect/distiller/rules/leader_groups.h"
#include "dialect/distiller/rules/rules.h"
#include "dialect/record/suggest.h"
#include "ir/curve.h"
#include "ir/matching.h"

// Checks that depend on shapes: groups of regularizers, leaders of rankings, and sparsities of small weights
// (docs/semantics/distiller.md#b1, #b3, #b4, #c3). Each of these faults stops the training in an active epoch.
namespace sparsecfg::dialect::distiller {

using source::Span;

// --- groups -------------------------------------------------------------------------------------------

// Returns the number of dimensions that a weight must have to be divided into such groups.
static std::size_t rank_of_group(std::string_view group) {
  return group.starts_with("Rows") || group.starts_with("Cols") ? 2 : 4;
}

static void check_groups(const Policy& policy, const Component* quantizer, const Context& context) {
  Component& component = *policy.component;
  const auto& regims = component.arguments->reg_regims;
  const auto is_renamed = renamed_by(regims ? quantizer : nullptr, context);
  for (const Regim& each : regims.value_or({})) {
    const auto* name = each.name_text();
    const auto* group = each.group_text();
    const model::Shape* shape =
        name == nullptr || group == nullptr || is_renamed(*name) ? nullptr : model::shape_of(context.parameters, *name);
    const bool fits =
        shape == nullptr || shape->size() == rank_of_group(*group) ||
        (component.section == Section::pruners && shape->size() == 3 && (*group == "3D" || *group == "Filters"));
    if (!fits) {
      component.valid = false;
      context.sink
          .report(diag::wrong_layer_kind, each.group->span, fmt::format("groups of kind `{}`", *group),
                  fmt::format("{} dimensions", rank_of_group(*group)),
                  fmt::format("`{}` ({})", *name, model::to_text(*shape)))
          .with_help(shape->size() == 2 ? "for a linear layer, name the group `Rows` or `Cols`"
                                        : "use `Channels`, `Filters`, `2D` or `4D` for a convolution");
    }
  }
}

// --- leaders ------------------------------------------------------------------------------------------

// Returns the number of blocks in a weight; nullopt if it can't be divided into whole blocks.
static std::optional<std::uint64_t> blocks_in(const Arguments& pruner, const model::Shape& shape) {
  const Value* sides = pruner.block_shape();
  const auto* list = sides == nullptr ? nullptr : sides->get<source::List>();
  double size = list == nullptr ? 0 : 1;
  for (std::size_t at = 0; list != nullptr && at < list->size(); ++at) size *= (*list)[at].number().value_or(0);
  const auto elements = static_cast<double>(model::elements_of(shape).value_or(0));
  const bool whole = size >= 1 && elements > 0 && std::fmod(elements, size) == 0;
  return whole ? std::optional(static_cast<std::uint64_t>(elements / size)) : std::nullopt;
}

// Returns the number of ranked structures of a weight: filters, channels, or blocks; nullopt if it is unknown.
static std::optional<std::uint64_t> structures_in(const Arguments& pruner, const model::Shape& shape) {
  if (shape.size() < 2) {
    return std::nullopt;
  }
  if (pruner.has_blocks()) {
    return blocks_in(pruner, shape);
  }
  return pruner.has_channels() ? shape[1] : shape[0];
}

static std::vector<std::string> weights_in_order(const Arguments& pruner) {
  const Names weights = pruner.weights.value_or({});
  std::vector<std::string> names;
  for (const Value* each : weights.values) {
    if (const auto* name = each->get<std::string>(); name != nullptr && !weights.searched) names.push_back(*name);
  }
  return names;
}

// Returns the place of a name in `weights`.
static Span place_of_weight(const Component& pruner, std::string_view name) {
  const Field* field = pruner.fields.readable("weights");
  const auto* list = field == nullptr ? nullptr : field->value.get<source::List>();
  const auto* map = field == nullptr ? nullptr : field->value.get<source::Map>();
  const auto is_name = [&](const Value& each) {
    return each.get<std::string>() != nullptr && *each.get<std::string>() == name;
  };
  for (std::size_t at = 0; list != nullptr && at < list->size(); ++at) {
    if (is_name((*list)[at])) return (*list)[at].span;
  }
  for (std::size_t at = 0; map != nullptr && at < map->size(); ++at) {
    if (is_name((*map)[at].first)) return (*map)[at].first.span;
  }
  return pruner.fields.place("group_type");
}

// Returns the sparsity at the first active epoch.
static double first_sparsity(const Policy& policy) {
  const Arguments& pruner = *policy.component->arguments;
  if (policy.component->spec->kind != ClassKind::ranked_gradual) {
    return pruner.desired_sparsity.value_or(0);
  }
  const double passed = ir::epochs_passed(policy.start.value, policy.end.value, policy.every.value);
  const ir::EpochCurve ramp{pruner.initial_sparsity.located()};
  const double to = pruner.final_sparsity.value_or(0);
  return passed > 0 ? ir::value_at(ramp, to, policy.start.value, passed, policy.start.value) : to;
}

// Returns the largest sparsity of all active epochs. A ramp goes from one end to the other if there are several.
static double largest_sparsity(const Policy& policy) {
  return std::max(first_sparsity(policy), policy.component->arguments->final_sparsity.value_or(0));
}

DIAGNOSTIC(MD920, leader_unfit, error, (Text, Text), "`Leader` cannot rank these weights by {}: {}",
           "Distiller ranks the first of the weights and prunes all of them like it. Each must have as many filters "
           "or channels as the leader, and the leader must lose at least one in every active epoch. Otherwise "
           "Distiller stops in the first active epoch. This check needs shapes.",
           "choose weights with the same number of filters or channels, or rank them separately")

static void reject_leader(Component& pruner, const Context& context, const std::string& why, const std::string& help) {
  pruner.valid = false;
  const Arguments& arguments = *pruner.arguments;
  context.sink.report(diag::leader_unfit, arguments.group_dependency.place(), arguments.group_type.value_or(""), why)
      .with_help(help);
}

// Returns the number of structures that Distiller removes from each weight in the first active epoch.
static double removed_from(const Policy& policy, std::uint64_t structures) {
  const double group = std::max(1.0, policy.component->arguments->group_size.value_or(1));
  const double removed = std::floor(first_sparsity(policy) * static_cast<double>(structures));
  return std::floor(removed / group) * group;
}

// Returns the number of structures of a weight, or that of the leader if it is unknown.
static std::uint64_t structures_like(const Arguments& pruner, const std::string& name, std::uint64_t leader,
                                     const Context& context) {
  const model::Shape* shape = model::shape_of(context.parameters, name);
  return shape == nullptr ? leader : structures_in(pruner, *shape).value_or(leader);
}

static std::vector<LeaderGroup> groups_of(const Arguments& pruner, const std::vector<std::string>& names,
                                          std::uint64_t leader, const Context& context) {
  std::vector<LeaderGroup> groups;
  for (const std::string& name : names) {
    const std::uint64_t count = structures_like(pruner, name, leader, context);
    auto found = std::ranges::find(groups, count, &LeaderGroup::structures);
    if (found == groups.end()) found = groups.insert(found, {count, {}});
    found->names.push_back(name);
  }
  return groups;
}

static std::string quoted_names(const std::vector<std::string>& names) {
  std::vector<std::string> out;
  for (const std::string& name : names) out.push_back(fmt::format("`{}`", name));
  return base::join_and(out);
}

static void report_groups(const Policy& policy, const std::vector<LeaderGroup>& groups,
                          const std::vector<Policy>& policies, const Context& context) {
  Component& pruner = *policy.component;
  const LeaderGroup& leader = groups[0];
  const LeaderGroup& other = groups[1];
  pruner.valid = false;
  const Arguments& arguments = *pruner.arguments;
  auto& report = context.sink.report(diag::leader_unfit, place_of_weight(pruner, other.names[0]),
                                     arguments.group_type.value_or(""),
                                     fmt::format("`{}` has {}, but `{}` has {}", leader.names[0], leader.structures,
                                                 other.names[0], other.structures));
  report.with_label(arguments.group_dependency.place(), "all weights are pruned like the first one");
  const auto lasts = [&](const LeaderGroup& group) { return removed_from(policy, group.structures) >= 1; };
  std::vector<LeaderGroup> kept;
  std::ranges::copy_if(groups, std::back_inserter(kept), lasts);
  if (kept.size() == groups.size()) {
    offer_groups(report, pruner, kept, policies, context);
  } else {
    const auto small = std::ranges::find_if_not(groups, lasts);
    report.with_help(fmt::format("delete {} from `weights`: {} structures are too few to remove one",
                                 quoted_names(small->names), small->structures));
  }
}

static void check_leader_shape(const Policy& policy, const std::vector<Policy>& policies, const Context& context) {
  Component& pruner = *policy.component;
  const std::vector<std::string> names = weights_in_order(*pruner.arguments);
  const model::Shape* shape = names.empty() ? nullptr : model::shape_of(context.parameters, names.front());
  const auto count = shape == nullptr ? std::nullopt : structures_in(*pruner.arguments, *shape);
  if (!count) {
    return;
  }
  if (removed_from(policy, *count) < 1) {
    reject_leader(pruner, context,
                  fmt::format("the leader `{}` has only {}, too few to remove one", names.front(), *count),
                  "raise the sparsity of the first active epoch, or list a larger weight first");
    return;
  }
  const std::vector<LeaderGroup> groups = groups_of(*pruner.arguments, names, *count, context);
  if (groups.size() > 1) report_groups(policy, groups, policies, context);
}

// Distiller asks for more norms than there are groups of filters, and the mask then has the wrong size. It also fails
// on floats and on negative sizes. Weights are not ranked if less than one group would be removed, and weights with two
// dimensions are not divided into groups.
static void check_group_size(const Policy& policy, const Context& context) {
  Component& pruner = *policy.component;
  const Arguments& arguments = *pruner.arguments;
  const double group = arguments.group_size.value_or(1);
  const Value* given = arguments.group_size.given();
  const bool is_float = given != nullptr && given->get<double>() != nullptr;
  const bool fits = group > 1 && !is_float;
  if ((group == 1 && !is_float) || arguments.has_blocks()) {
    return;
  }
  const std::vector<std::string> names = weights_in_order(arguments);
  const auto number_in = [&](const std::string& name) {
    const model::Shape* shape = model::shape_of(context.parameters, name);
    const bool grouped = shape != nullptr && shape->size() != 2;
    return static_cast<double>((grouped ? structures_in(arguments, *shape) : std::nullopt).value_or(0));
  };
  const double share = largest_sparsity(policy);
  const auto has_incomplete_group = [&](const std::string& name) {
    return std::fmod(number_in(name), group) != 0 && std::floor(share * number_in(name)) >= group;
  };
  if (fits && std::ranges::any_of(names, has_incomplete_group)) {
    return;  // reported separately
  }
  for (const std::string& name : names) {
    const double all = number_in(name);
    double lost = std::floor(std::floor(share * all) / group) * group;
    lost -= lost == all && share != 1 && fits ? group : 0;
    if (pruner.valid && lost > 0) {
      pruner.valid = false;
      auto& report = report_group_size(pruner, context.sink);
      if (fits) {
        report.with_help(
            fmt::format("delete `group_size`; Distiller removes {} of {} structures of `{}` and needs a norm of each",
                        lost, all, name));
      }
    }
  }
}

// Distiller can divide only weights with 4 dimensions into blocks.
static void check_ranked(const Policy& policy, const Context& context) {
  Component& pruner = *policy.component;
  const Arguments& arguments = *pruner.arguments;
  for (const std::string& name : weights_in_order(arguments)) {
    const model::Shape* shape = model::shape_of(context.parameters, name);
    if (shape == nullptr || !pruner.valid) {
      continue;
    }
    if (arguments.has_blocks() && shape->size() != 4 && largest_sparsity(policy) > 0) {
      pruner.valid = false;
      const Span place = place_of_weight(pruner, name);
      context.sink
          .report(diag::wrong_layer_kind, place, "blocks", "4 dimensions",
                  fmt::format("`{}` ({})", name, model::to_text(*shape)))
          .with_label(pruner.fields.place("group_type"), "removes blocks")
          .with_help(fmt::format("remove `{}` from `weights`", name))
          .with_fix(diag::Fix::unsafe().remove(place));
    }
  }
}

// Returns true if the model has no shape of a weight, but says that its module is a linear layer or an embedding.
static bool is_matrix_by_type(const std::string& weight, const Context& context) {
  if (context.modules == nullptr || model::shape_of(context.parameters, weight) != nullptr) return false;
  std::string_view layer = weight;
  if (layer.starts_with("module.")) layer.remove_prefix(std::string_view("module.").size());
  const std::size_t dot = layer.rfind('.');
  const auto found = std::ranges::find(*context.modules, layer.substr(0, dot == layer.npos ? 0 : dot),
                                       [](const model::Module& module) { return std::string_view(module.name); });
  return found != context.modules->end() && (found->type == "Linear" || found->type == "Embedding");
}

// Filters belong to convolutions. If shapes are unknown, the class of the layer decides.
static void check_types(const Policy& policy, const Context& context) {
  Component& pruner = *policy.component;
  const Value* group = pruner.arguments ? pruner.fields.given("group_type") : nullptr;
  const auto* name = group == nullptr ? nullptr : group->get<std::string>();
  if (name == nullptr || (*name != "Filters" && *name != "3D")) return;
  for (const std::string& weight : weights_in_order(*pruner.arguments)) {
    if (!is_matrix_by_type(weight, context)) continue;
    pruner.valid = false;
    const Span place = place_of_weight(pruner, weight);
    context.sink.report(diag::wrong_layer_kind, place, "filters", "3 or 4 dimensions", fmt::format("`{}` (2)", weight))
        .with_label(group->span, "removes filters")
        .with_help(fmt::format("remove `{}` from `weights`", weight))
        .with_fix(diag::Fix::unsafe().remove(place));
    return;
  }
}

void check_fit(const std::vector<Policy>& policies, const Context& context) {
  const Component* quantizer = running_quantizer(policies);
  for (const Policy& policy : policies) {
    const bool runs = policy.valid && policy.acts && policy.component != nullptr && policy.component->valid;
    if (runs && policy.component->section == Section::pruners) check_types(policy, context);
    if (context.parameters == nullptr || !policy.valid || !policy.acts || policy.component == nullptr ||
        !policy.component->valid) {
      continue;
    }
    check_groups(policy, quantizer, context);
    const auto kind = policy.component->spec->kind.as<ClassKind>();
    if (kind == ClassKind::ranked || kind == ClassKind::ranked_gradual) {
      check_ranked(policy, context);
      check_group_size(policy, context);
    }
    if (policy.component->valid && policy.component->arguments->has_leader())
      check_leader_shape(policy, policies, context);
  }
}

// --- sparsity of single weights -------------------------------------------------------------------------

static bool comes(const ir::Cadence& cadence, const ReadOptions& options) {
  return !options.epochs || cadence.start.value < *options.epochs;
}

// Returns the sparsity at the first active epoch.
static double first_value(const ir::Action& action, const ir::Prune& prune, double target) {
  const auto* ramp = std::get_if<ir::EpochCurve>(&prune.curve);
  const double every = action.cadence.every_or(1);
  const double start = action.cadence.start.value;
  const double passed = ir::epochs_passed(start, action.cadence.end.value, every);
  if (ramp == nullptr || passed <= 0) {
    return target;
  }
  const auto* epochs = std::get_if<ir::WholeEpochs>(&action.cadence.rhythm);
  const bool late = epochs != nullptr && epochs->skips_first && start > 0;
  return ir::value_at(*ramp, target, start, passed, late ? start + every : start);
}

static bool is_share(const ir::Target& target) { return target.sparsity.value >= 0 && target.sparsity.value <= 1; }

static bool is_percentage(const ir::Target& target) {
  return target.sparsity.value > 1 && target.sparsity.value <= 100;
}

static std::string name_of(const ir::Target& target) {
  return target.selector.terms.empty() ? "level" : target.selector.terms.front().text;
}

// Reports the first level outside of the range. Further percentages are parts of the same mistake.
static void check_ranges(ir::Action& action, std::span<const ir::Target> targets, const Context& context) {
  const auto first = std::ranges::find_if_not(targets, is_share);
  if (first == targets.end()) return;
  action.valid = false;
  auto& report = context.sink.report(diag::sparsity_out_of_range, first->sparsity.span, name_of(*first),
                                     base::python_repr(first->sparsity.value), "[0, 1]");
  if (!is_percentage(*first)) return;
  std::vector<std::string> texts;
  diag::Fix fix = diag::Fix::unsafe();
  for (const ir::Target& target : targets) {
    if (!is_percentage(target)) continue;
    const std::string fraction = base::python_repr(fraction_of(target.sparsity.value));
    if (&target != &*first) report.with_label(target.sparsity.span, "a percentage as well");
    texts.push_back(fmt::format("`{}: {}`", name_of(target), fraction));
    fix.replace(target.sparsity.span, fraction);
  }
  report.with_help(fmt::format("write {}: a level is a fraction", base::join_and(texts))).with_fix(std::move(fix));
}

DIAGNOSTIC(MD921, share_of_none, error, (Text, Text, std::uint64_t),
           "a sparsity of {} removes less than one weight of `{}` ({} elements)",
           "Distiller rounds the number of removed weights down and looks up the largest of them. If the number is 0, "
           "it stops with an IndexError at the start of the epoch. This check needs shapes.",
           "raise the sparsity, or exclude this weight")

static void check_count(ir::Action& action, const ir::Prune& prune, const Context& context) {
  const auto weights = ir::parameters_of_targets(prune, *context.parameters);
  for (std::size_t at = 0; at < weights.size(); ++at) {
    const ir::Target& target = prune.targets[at];
    const double share = first_value(action, prune, target.sparsity.value);
    for (const std::string& name : weights[at]) {
      const model::Shape* shape = model::shape_of(context.parameters, name);
      const auto elements = shape == nullptr ? std::nullopt : model::elements_of(*shape);
      const bool leaves_alone = std::holds_alternative<ir::Constant>(prune.curve) && share == 0;
      if (action.valid && elements && !leaves_alone && share * static_cast<double>(*elements) < 1) {
        action.valid = false;
        context.sink.report(diag::share_of_none, target.sparsity.span, base::python_repr(share), name, *elements)
            .with_help("raise the sparsity, or remove this weight from the pruner");
      }
    }
  }
}

void check_small_sparsities(ir::Recipe& recipe, const ReadOptions& options, const Context& context) {
  for (ir::Action& action : recipe.actions) {
    const auto* prune = std::get_if<ir::Prune>(&action.effect);
    if (prune == nullptr || !action.valid || !comes(action.cadence, options)) {
      continue;
    }
    const bool unstructured = prune->structure.kind == ir::Structure::Kind::unstructured;
    const bool has_levels = unstructured && std::holds_alternative<ir::Constant>(prune->curve);
    if (has_levels) check_ranges(action, prune->targets, context);
    if (unstructured && context.parameters != nullptr) {
      check_count(action, *prune, context);
    }
  }
}

}  // namespace sparsecfg::dialect::distiller
