#include <fmt/format.h>

#include <algorithm>

#include "base/edit_distance.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/llmcompressor/codes.h"
#include "dialect/llmcompressor/model.h"
#include "dialect/llmcompressor/oneshot_call.h"
#include "dialect/llmcompressor/parts.h"
#include "dialect/llmcompressor/table.h"
#include "script/trace.h"

// Checks the arguments of `oneshot`.
namespace sparsecfg::dialect::llmcompressor {

DIAGNOSTIC(
    LC126, unknown_argument, error, (Text), "`oneshot` has no argument `{}`",
    "`oneshot` passes all arguments to a parser of transformers. It raises a ValueError for names that no release "
    "knows, before the model is loaded.",
    "delete the argument")

DIAGNOSTIC(
    LC132, sequential_target_unmatched, silent_warning, (Text),
    "`{}` in `sequential_targets` matches no module of the model",
    "The targets are classes, names or patterns after `re:` of the modules that are calibrated one after the "
    "other. If none matches, the whole model is calibrated at once, which needs more memory, and later layers do "
    "not see the outputs of quantized ones.",
    "delete `sequential_targets`: the default has the layers of the model")

DIAGNOSTIC(LC140, oneshot_without_recipe, warning, (), "`oneshot` receives no recipe, so it changes nothing",
           "`oneshot` accepts a call without `recipe`, or with `None` or an empty list. It then runs no modifier and "
           "saves the "
           "model as it was, without a warning.",
           "pass the modifiers with `recipe=[...]`")

// Returns the class of the layers of a model: the first item of a list of modules that is no single layer.
static std::string layer_class(const std::vector<model::Module>& modules) {
  const auto is_first = [](const model::Module& module) {
    return module.name.ends_with(".0") && !module.shape && module.type != "ModuleList";
  };
  const auto found = std::ranges::find_if(modules, is_first);
  return found == modules.end() ? std::string() : found->type;
}

void check_sequential_targets(const std::vector<source::Located<std::string>>& targets,
                              const std::vector<model::Module>& modules, diag::Sink& sink) {
  for (const auto& target : targets) {
    const model::Matcher matcher = matcher_of(target.value);
    const auto matches = [&](const model::Module& module) { return matcher.takes(module); };
    if (matcher.error() || std::ranges::any_of(modules, matches)) continue;
    auto& report = sink.report(diag::sequential_target_unmatched, target.span, target.value);
    const std::string layer = layer_class(modules);
    if (layer.empty() || targets.size() > 1) continue;
    report.with_help(fmt::format("write `{}`, the class of the layers, or delete `sequential_targets`", layer))
        .with_fix(diag::Fix::unsafe().replace(target.span, fmt::format("\"{}\"", layer)));
  }
}

static bool is_field_of_modifiers(std::string_view name) {
  return std::ranges::any_of(table().modifiers, [&](const ClassSpec& spec) {
    return std::ranges::find(spec.fields, name, &FieldSpec::name) != spec.fields.end();
  });
}

static void report_argument(const source::Located<std::string>& name, diag::Sink& sink) {
  auto& report = sink.report(diag::unknown_argument, name.span, name.value);
  if (is_field_of_modifiers(name.value)) {
    report.with_help(fmt::format("move `{}` to the modifier", name.value));
  } else if (const auto guess = base::nearest(name.value, oneshot_arguments())) {
    report.with_help(fmt::format("did you mean `{}`?", *guess))
        .with_fix(diag::Fix::unsafe().replace(name.span, std::string(*guess)));
  }
}

// Returns true if the call passes no modifier. An argument that is not known may pass some.
static bool has_no_recipe(const script::Value& call) {
  using Form = script::Value::Kind;
  const script::Ref recipe = call.argument(script::kRecipe);
  const auto is_placeholder = [](const script::Ref& item) { return item->text.starts_with("`...`"); };
  const bool omits = call.open || call.argument("**") != nullptr || std::ranges::any_of(call.items, is_placeholder);
  if (recipe == nullptr) return !omits;
  const bool is_none = recipe->kind == Form::scalar && std::holds_alternative<std::monostate>(recipe->data);
  return is_none || (recipe->kind == Form::list && recipe->items.empty() && !recipe->open);
}

void check_oneshot_arguments(const script::Trace& trace, diag::Sink& sink) {
  for (const script::Ref& call : trace.objects) {
    const bool ours = call->imported && call->path.starts_with("llmcompressor.") &&
                      base::last_part(call->path) == "oneshot" && call->function == nullptr;
    if (ours && has_no_recipe(*call)) sink.report(diag::oneshot_without_recipe, call->name_span);
    for (const auto& name : ours ? call->names : decltype(call->names)()) {
      if (name.value.starts_with('*') || base::contains(oneshot_arguments(), name.value)) continue;
      report_argument(name, sink);
    }
  }
}

}  // namespace sparsecfg::dialect::llmcompressor
