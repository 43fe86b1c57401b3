#include <fmt/format.h>
#include <fmt/ranges.h>

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

DIAGNOSTIC(LC141, pipeline_without_calibration, silent_error, (Text, Text),
           "`{0}` skips the calibration that `{1}` needs",
           "`oneshot` runs the calibration of all modifiers in the given pipeline, and `datafree` passes no sample "
           "through the model, even with a dataset. The log only recommends another pipeline. Static scales then have "
           "no values, and the scales of GPTQ stay uninitialized memory. AWQ and SmoothQuant scale no layer, and "
           "SparseGPT and Wanda prune nothing.",
           "delete the argument `pipeline`")

bool is_oneshot(const script::Value& call) {
  return call.imported && call.path.starts_with("llmcompressor.") && base::last_part(call.path) == "oneshot" &&
         call.function == nullptr;
}

// The effect of a modifier on a model that is not calibrated.
struct Uncalibrated {
  std::string_view modifier;
  std::string_view effect;
  std::string_view without_data{};  // an edit that needs no data, and "or"
};

static constexpr Uncalibrated kUncalibrated[] = {
    {"AWQModifier", "AWQ scales no layer"},
    {"GPTQModifier", "the scales of the weights are never computed",
     "write `QuantizationModifier` in place of `GPTQModifier`, which rounds without data, or "},
    {"QuantizationModifier", "static scales are never computed",
     "write a scheme with dynamic inputs, such as `scheme=\"FP8_DYNAMIC\"`, or "},
    {"SmoothQuantModifier", "SmoothQuant scales no layer"},
    {"SparseGPTModifier", "no layer is pruned"},
    {"WandaPruningModifier", "no layer is pruned"},
};

bool skips_calibration(std::string_view pipeline) { return base::to_lower(pipeline) == "datafree"; }

void check_pipeline(const source::Located<std::string>& pipeline, std::string_view needs_data, bool with_data,
                    diag::Sink& sink) {
  if (needs_data.empty() || !skips_calibration(pipeline.value)) return;
  auto& report = sink.report(diag::pipeline_without_calibration, pipeline.span, pipeline.value, needs_data);
  const auto* row = std::ranges::find(kUncalibrated, needs_data, &Uncalibrated::modifier);
  if (row != std::end(kUncalibrated)) report.with_caret(std::string(row->effect));
  if (with_data) {
    report.with_help("write `pipeline=\"independent\"`, the default, which calibrates the model")
        .with_fix(diag::Fix::unsafe().replace(pipeline.span, "\"independent\""));
  } else {
    report.with_help(fmt::format("{}write `pipeline=\"independent\"`, the default, and pass a `dataset`",
                                 row == std::end(kUncalibrated) ? "" : row->without_data));
  }
}

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

// Returns the class of the first modifier of a call that has a field; empty if none is known.
static std::string modifier_with(const script::Value& call, std::string_view field) {
  const script::Ref recipe = call.argument("recipe");
  std::vector<script::Ref> modifiers = recipe == nullptr ? std::vector<script::Ref>() : recipe->items;
  if (recipe != nullptr && recipe->kind == script::Value::Kind::object) modifiers = {recipe};
  for (const script::Ref& modifier : modifiers) {
    const std::string name(base::last_part(modifier->path));
    const ClassSpec* spec = table().find(name);
    const bool has = spec != nullptr && std::ranges::find(spec->fields, field, &FieldSpec::name) != spec->fields.end();
    if (has) return name;
  }
  return {};
}

// Returns an argument as it is written for a modifier: `ignore=["lm_head"]`. Only the name of values that are no
// strings or lists of strings.
static std::string argument_text(const script::Value& call, const std::string& name) {
  const script::Ref value = call.argument(name);
  if (value == nullptr) return name;
  if (value->string() != nullptr) return fmt::format("{}=\"{}\"", name, *value->string());
  std::vector<std::string> items;
  for (const script::Ref& item : value->items) {
    if (item->string() == nullptr) return name;
    items.push_back(fmt::format("\"{}\"", *item->string()));
  }
  const bool is_list = value->kind == script::Value::Kind::list && !value->open;
  return is_list ? fmt::format("{}=[{}]", name, fmt::join(items, ", ")) : name;
}

static void report_argument(const script::Value& call, const source::Located<std::string>& name, diag::Sink& sink) {
  auto& report = sink.report(diag::unknown_argument, name.span, name.value);
  if (is_field_of_modifiers(name.value)) {
    const std::string modifier = modifier_with(call, name.value);
    report.with_help(fmt::format("move `{}` to {}", argument_text(call, name.value),
                                 modifier.empty() ? "the modifier" : fmt::format("`{}(...)`", modifier)));
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
  return script::is_none(*recipe) || (recipe->kind == Form::list && recipe->items.empty() && !recipe->open);
}

void check_oneshot_arguments(const script::Trace& trace, diag::Sink& sink) {
  for (const script::Ref& call : trace.objects) {
    const bool ours = call->imported && call->path.starts_with("llmcompressor.") &&
                      base::last_part(call->path) == "oneshot" && call->function == nullptr;
    if (ours && has_no_recipe(*call)) sink.report(diag::oneshot_without_recipe, call->name_span);
    for (const auto& name : ours ? call->names : decltype(call->names)()) {
      if (name.value.starts_with('*') || base::contains(oneshot_arguments(), name.value)) continue;
      report_argument(*call, name, sink);
    }
  }
}

}  // namespace sparsecfg::dialect::llmcompressor
