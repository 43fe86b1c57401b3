#include "dialect/distiller/read.h"

#include <algorithm>

#include "dialect/distiller/rules/rules.h"
#include "doc/construct.h"

namespace sparsecfg::dialect::distiller {

constexpr std::string_view kClassField = "PostTrainLinearQuantizer";

static bool is_one(const Value& component) {
  const Value* name = component.find("class");
  const auto* text = name == nullptr ? nullptr : name->get<std::string>();
  return text != nullptr && *text == kClassField;
}

static bool holds_one(const Value& section) {
  const auto* components = section.get<source::Map>();
  return components != nullptr &&
         std::ranges::any_of(*components, [](const source::Entry& entry) { return is_one(entry.second); });
}

bool is_post_training(const Value& file) {
  const auto* sections = file.get<source::Map>();
  const Value* policies = file.find("policies");
  const auto* list = policies == nullptr ? nullptr : policies->get<source::List>();
  const bool scheduled = list != nullptr && std::ranges::any_of(*list, [](const Value& policy) {
                           return policy.find("quantizer") != nullptr;
                         });
  return !scheduled && sections != nullptr &&
         std::ranges::any_of(*sections, [](const source::Entry& entry) { return holds_one(entry.second); });
}

// Visits all components before the quantizer, as the loader does. Returns the quantizer's section, or nullopt if the
// loader stops before it.
static std::optional<Section> walk(const Context& context) {
  for (const auto& [key, value, unused] : doc::entries(context.document, context.document.root, context.sink)) {
    const std::string_view name = context.document[context.document.resolve(key)].text;
    const Value section = doc::construct(context.document, value, context.sink);
    const auto* components = section.get<source::Map>();
    if (name == "policies") {
      continue;
    }
    if (components == nullptr) {
      context.sink
          .report(diag::wrong_type, section.span, name, "a mapping of names to components", source::describe(section))
          .with_help("move this key after the quantizer, where the loader ignores it");
      return std::nullopt;
    }
    for (const auto& [component, fields] : *components) {
      if (is_one(fields)) {
        const SectionSpec* found = find_section(name);
        return found == nullptr ? Section::quantizers : found->section;
      }
      if (fields.find("class") == nullptr) {
        context.sink.report(diag::missing_required, component.span, source::python_str(component), "class")
            .with_help("add `class`; the loader reads it from each component before the quantizer");
        return std::nullopt;
      }
    }
  }
  return std::nullopt;
}

// Reports a schedule in the same file as a post-training quantizer, since it never runs.
static void report_schedule(const Context& context) {
  for (const auto& [key, value, unused] : doc::entries(context.document, context.document.root, context.sink)) {
    const std::string_view name = context.document[context.document.resolve(key)].text;
    const bool schedules =
        name == "pruners" || name == "regularizers" || name == "lr_schedulers" || name == "extensions";
    if (schedules && context.document[context.document.resolve(value)].kind == doc::Kind::mapping) {
      context.sink.report(diag::unknown_section, context.document[key].span, name)
          .with_severity(diag::Severity::error)
          .with_help("move the schedule to another file; Distiller reads only the quantizer from this one");
    }
  }
}

ir::Recipe read_post_training(const Context& context) {
  ir::Recipe recipe{"distiller", {}, {}, {}, std::nullopt};
  recipe.trains = false;
  report_schedule(context);
  if (!walk(context)) {
    return recipe;
  }
  Components components = read_components(context);
  for (Component& component : components.all) {
    if (component.spec != nullptr && component.spec->kind == ClassKind::post_training) {
      component.used = true;
      for (Field& field : component.fields.fields) {
        if (field.spec != nullptr) check_value(context, kClassField, component.fields, field, true);
      }
      check_post_training(context, component);
      ir::Action action;
      action.effect = ir::Opaque{};
      action.origin = {std::string(kClassField), 1, "", component.name, component.fields.key, {}};
      action.valid = component.valid;
      recipe.actions.push_back(std::move(action));
      break;
    }
  }
  return recipe;
}

}  // namespace sparsecfg::dialect::distiller
