#include "dialect/distiller/read.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <span>

#include "base/edit_distance.h"
#include "base/number.h"
#include "diag/rule.h"
#include "dialect/distiller/codes.h"
#include "dialect/distiller/rules/rules.h"
#include "dialect/record/check.h"
#include "dialect/selected/selected.h"
#include "doc/construct.h"
#include "doc/scalar_type.h"
#include "ir/trigger.h"

namespace sparsecfg::dialect::distiller {

constexpr std::string_view kYaml = "tag:yaml.org,2002:";

// Python's plain types, which the loader builds without running code.
constexpr std::string_view kHarmless[] = {"none", "bool",  "str",  "unicode", "int",
                                          "long", "float", "list", "tuple",   "dict"};

static void check_tags(const doc::Document& document, diag::Sink& sink) {
  for (const doc::Node& node : document.nodes) {
    if (node.tag == "tag:yaml.org,2002:set" || node.tag == "tag:yaml.org,2002:binary") {
      sink.report(diag::value_not_of_its_type, node.tag_span,
                  "Distiller prints schedules as JSON, which does not support sets or bytes")
          .with_help("delete the tag");
    }
    if (node.tag.empty() || node.tag == "!" || doc::type_of_tag(node.tag) != doc::ScalarType::foreign) {
      continue;
    }
    const bool default_value = node.tag.starts_with(kYaml);
    const std::string_view name = node.tag.substr(default_value ? kYaml.size() : 0);
    const bool python = default_value && name.starts_with("python/");
    const bool harmless = python && std::ranges::find(kHarmless, name.substr(7)) != std::end(kHarmless);
    const std::string shown = (default_value ? "!!" : "") + std::string(name);
    sink.report(diag::unknown_tag, node.tag_span,
                python && !harmless ? fmt::format("`{}` makes Distiller run code while loading the file", shown)
                : harmless          ? fmt::format("only Python supports the tag `{}`", shown)
                                    : fmt::format("Distiller does not support the tag `{}`", shown))
        .with_severity(harmless ? diag::Severity::warning : diag::Severity::error);
  }
}

// Distiller prints the schedule as JSON before it uses it, and that fails on a date.
static void check_dates(const Value& value, diag::Sink& sink) {
  if (value.get<source::Timestamp>() != nullptr) {
    sink.report(diag::value_not_of_its_type, value.span,
                fmt::format("{}, and Distiller fails on dates", source::describe(value)))
        .with_help("put the date in quotes");
  } else if (const auto* list = value.get<source::List>()) {
    std::ranges::for_each(*list, [&](const Value& item) { check_dates(item, sink); });
  } else if (const auto* map = value.get<source::Map>()) {
    for (const auto& [key, item] : *map) {
      check_dates(key, sink);
      check_dates(item, sink);
    }
  }
}

// Reports ignored keys. Returns false if one of them looks like a misspelled section. A key that only holds anchors is
// not reported.
static bool check_sections(const doc::Document& document, Flavor flavor, diag::Sink& sink) {
  bool complete = true;
  std::vector<std::string_view> known = {"policies"};
  for (const SectionSpec& section : sections(flavor.fork)) {
    known.push_back(section.name);
  }
  std::vector<std::uint32_t> anchored;
  for (const doc::Node& node : document.nodes) {
    if (!node.anchor_span.empty()) anchored.push_back(node.span.begin);
  }
  std::ranges::sort(anchored);
  for (const auto& [key, value, unused] : doc::entries(document, document.root, sink)) {
    const std::string_view name = document[document.resolve(key)].text;
    const source::Span span = document[value].span;
    const auto anchor = std::ranges::lower_bound(anchored, span.begin);
    const bool anchors = anchor != anchored.end() && (*anchor < span.end || *anchor == span.begin);
    if (std::ranges::find(known, name) == known.end() && name != "version" && !anchors) {
      if (name == "loss_lr_schedulers") {
        sink.report(diag::unknown_section, document[key].span, name)
            .with_help("pass `--distiller ai8x` if ai8x-training runs this schedule");
        continue;
      }
      if (name == "qat_policy" || name == "qat" || name == "nas_policy") {
        const bool nas = name.starts_with("nas");
        sink.report(diag::unknown_section, document[key].span, name)
            .with_severity(diag::Severity::error)
            .with_help(
                fmt::format("move its entries to a separate file, and pass it to ai8x-training with `--{}-policy FILE`",
                            nas ? "nas" : "qat"));
        continue;
      }
      const auto guess = base::nearest(name, known);
      sink.report(diag::unknown_section, document[key].span, name)
          .with_severity(guess == "loss_lr_schedulers" ? diag::Severity::warning : diag::Severity::error)
          .with_help(base::did_you_mean(guess, "delete it"))
          .with_fix(guess ? diag::Fix::unsafe().content(document[key].span, std::string(*guess)) : diag::Fix());
      complete &= !guess;
    }
  }
  return complete;
}

// The loader passes the optimizer to the classes of only two sections. Elsewhere, a scheduler or a quantizer for
// training cannot be built, also if no policy uses it.
static bool lacks_optimizer(const Component& component) {
  const bool quantizes = component.spec->section == Section::quantizers && component.spec->kind == ClassKind::quantizer;
  return (component.spec->section == Section::lr_schedulers || quantizes) &&
         (component.section == Section::pruners || component.section == Section::regularizers ||
          component.section == Section::extensions);
}

DIAGNOSTIC(SP124, class_not_buildable, error, (Text, Text), "`{}` cannot be built from a file: {}",
           "The class needs an argument that YAML cannot express. It fails when it is built or first used.",
           "build it in the training script")

static void check_values(const Context& context, Component& component) {
  for (Field& field : component.fields.fields) {
    if (field.spec != nullptr) check_value(context, component.spec->name, component.fields, field, component.acts);
  }
  const bool supported = check_unsupported(component.fields, context.sink);
  component.valid &= supported && std::ranges::all_of(component.fields.fields, &Field::valid);
}

static void check_component(const Context& context, Component& component, const Component* quantizer) {
  const bool own = component.spec->section == class_section(component.section);
  if (component.spec->kind == ClassKind::unusable || (has(*component.spec, kAbstract) && component.used)) {
    component.valid = false;
    context.sink.report(diag::class_not_buildable, component.fields.key, component.spec->name,
                        component.spec->criterion);
  } else if (!component.acts && lacks_optimizer(component)) {
    component.valid = false;
    report_section(component, context.sink);
  } else if (own) {
    switch (component.section) {
      case Section::pruners: check_pruner(component, context); break;
      case Section::regularizers: check_regularizer(component, quantizer, context); break;
      case Section::quantizers:
        component.spec->kind == ClassKind::post_training ? check_post_training(context, component)
                                                         : check_quantizer(context, component);
        break;
      case Section::extensions: break;
      case Section::lr_schedulers:
      case Section::loss_lr_schedulers: check_scheduler(component, context); break;
    }
  }
}

// Returns the policy that implies the longest training, with the span that defines its length.
static std::optional<ir::TrainingLength> length_of(const std::vector<Policy>& policies,
                                                   const std::vector<ir::Action>& actions) {
  std::optional<ir::TrainingLength> longest;
  for (const Policy& policy : policies) {
    if (!policy.valid || (longest && policy.over() <= longest->epochs)) {
      continue;
    }
    const auto action =
        std::ranges::find_if(actions, [&](const ir::Action& each) { return each.origin.ordinal == policy.ordinal; });
    const Span place = policy.lists ? policy.place_of_epochs() : policy.end.span;
    longest = {policy.over(), place, static_cast<std::size_t>(action - actions.begin())};
  }
  return longest;
}

// Returns the fraction of the epochs from the first to the last active one that have passed when the run ends.
static double reached_by(const Policy& policy, const ReadOptions& options) {
  const double all = last_active_before(policy, policy.over()) - policy.start.value;
  return all > 0 ? (last_active_before(policy, options.epochs) - policy.start.value) / all : 1;
}

// Events after the end of the run can't fail. If the steps per epoch are unknown, an epoch is long enough for every
// step that makes up for a skipped one.
static void find_active(std::vector<Policy>& policies, const ReadOptions& options) {
  const std::uint64_t steps = options.steps_per_epoch.value_or(ir::kMaxStepsPerEpoch);
  const auto comes = [&](std::uint64_t step) {
    return step != ir::kNever && (!options.epochs || static_cast<double>(step / steps) < *options.epochs);
  };
  for (Policy& policy : policies) {
    const ir::Cadence cadence = policy.valid ? policy.cadence() : ir::Cadence{};
    const std::uint64_t step = ir::Trigger(cadence, steps).next().step;
    policy.acts = comes(step);
    if (policy.component != nullptr) {
      const bool skips = policy.valid && step / steps != ir::Epochs(cadence).peek();
      policy.component->acts |= policy.acts || policy.kind->section == Section::quantizers;
      policy.component->starts |= !skips && policy.acts;
      if (policy.acts) policy.component->reached = std::max(policy.component->reached, reached_by(policy, options));
    }
  }
}

// Levels set by a policy stay in force for its pruner, so the pruner's own levels may never be used.
static void find_levels(const std::vector<Policy>& policies) {
  const auto place_of = [](const Policy& policy) {
    const auto epochs = policy.valid ? policy.active(1) : std::vector<std::int64_t>();
    return std::pair(epochs.empty() ? INT64_MAX : epochs.front(), policy.ordinal);
  };
  const auto gives = [](const Policy& policy) { return policy.args.levels.given() != nullptr; };
  for (const Policy& policy : policies) {
    if (policy.component == nullptr || gives(policy) || !policy.acts) {
      continue;
    }
    policy.component->shows_levels |= std::ranges::none_of(policies, [&](const Policy& other) {
      return other.component == policy.component && gives(other) && place_of(other) < place_of(policy);
    });
  }
}

static ir::Recipe read_schedule(const Context& context, const ReadOptions& options) {
  const bool complete = check_sections(context.document, context.flavor, context.sink);
  Components components = read_components(context);
  components.detected &= complete;
  std::vector<Policy> policies = read_policies(context, components, complete);
  find_active(policies, options);
  find_levels(policies);
  for (Component& component : components.all) {
    if (component.spec != nullptr) check_values(context, component);
    if (component.spec != nullptr) component.course = course_of(component);
    component.arguments.emplace(component.fields);
    if (component.spec != nullptr) check_component(context, component, running_quantizer(policies));
  }
  for (std::size_t at = 0; at < policies.size(); ++at) {
    Policy& policy = policies[at];
    if (policy.kind != nullptr) check_arguments(policy, context);
    if (policy.component != nullptr) check_run(policy, options, std::span(policies).subspan(at + 1), context);
  }
  if (context.is_ai8x()) {
    check_steps(policies, options, context.sink);
    check_with_qat(policies, options, context);
    check_ai8x_names(components, context);
  } else {
    check_late_decay(policies, context.sink);
    if (!context.flavor.chosen) check_meaning(components, policies, context.sink);
  }
  check_stepping(components, policies, options, context.sink);
  check_fit(policies, context);
  check_together(components, policies, options, context);
  ir::Recipe recipe{"distiller", lower(components, policies, context), {}, {}, std::nullopt};
  recipe.framework = context.is_ai8x() ? "ai8x" : "";
  recipe.overlap = ir::Overlap::last_update;
  recipe.incomplete = std::ranges::any_of(components.all, [](const Component& component) {
    return component.spec == nullptr || component.spec->kind == ClassKind::opaque;
  });
  recipe.rounding = ir::Rounding::down;
  check_small_sparsities(recipe, options, context);
  if (options.parameters != nullptr) selected::check_output_layer(recipe, *options.parameters, {}, context.sink);
  recipe.length = length_of(policies, recipe.actions);
  return recipe;
}

// Distiller strips the first `module.` from a name before it matches patterns.
static std::optional<std::vector<std::string>> layers_of(const ReadOptions& options) {
  if (options.modules == nullptr) {
    return std::nullopt;
  }
  std::vector<std::string> names;
  for (const auto& module : *options.modules) {
    constexpr std::string_view kParallel = "module.";
    std::string name = module.name;
    const std::size_t at = name.find(kParallel);
    names.push_back(at == std::string::npos ? name : name.erase(at, kParallel.size()));
  }
  return names;
}

ir::Recipe read(const Source& source, const ReadOptions& options, diag::Sink& sink) {
  const std::optional<std::vector<std::string>> layers = layers_of(options);
  const Context context{
      source.file,           source.document,    layers ? &*layers : nullptr,         sink,
      options.modules.get(), options.parameters, flavor_of(options, source.document), options.custom.get()};
  const Value whole = doc::construct(source.document, source.document.root, sink);
  check_tags(source.document, sink);
  check_dates(whole, sink);
  if (whole.get<source::Map>() == nullptr) {
    sink.report(diag::wrong_type, whole.span, "schedule", "a mapping with `policies`", source::describe(whole));
    ir::Recipe broken{"distiller", {}, {}, {}, std::nullopt};
    broken.trains = false;
    return broken;
  }
  return is_post_training(whole) ? read_post_training(context) : read_schedule(context, options);
}

}  // namespace sparsecfg::dialect::distiller
