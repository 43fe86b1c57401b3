#include <fmt/format.h>

#include <algorithm>

#include "base/edit_distance.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/llmcompressor/codes.h"
#include "dialect/llmcompressor/rules/rules.h"
#include "dialect/record/suggest.h"
#include "dialect/record/types.h"
#include "dialect/schemes/codes.h"
#include "dialect/schemes/records.h"

// Checks smoothing, AWQ and rotations.
namespace sparsecfg::dialect::llmcompressor {

using source::Value;

// --- smoothing ----------------------------------------------------------------------------------------------------

// Returns the leaves of nested lists, in order.
static void flatten(const Value& value, std::vector<const Value*>& out) {
  if (const auto* list = value.get<source::List>()) {
    for (const Value& item : *list) flatten(item, out);
  } else {
    out.push_back(&value);
  }
}

static bool names_norm(const Value& value) {
  const auto* text = value.get<std::string>();
  return text != nullptr && base::to_lower(*text).find("norm") != std::string::npos;
}

DIAGNOSTIC(LC405, mapping_shape, error, (), "the last entry of a mapping must be the norm whose output is scaled",
           "A SmoothQuant mapping is a list of the layers to balance followed by the norm that is scaled: `[[q, k, v], "
           "norm]`. An AWQ mapping has the keys `smooth_layer` and `balance_layers`.",
           "write the norm last: `[[layers to balance], norm]`")

DIAGNOSTIC(
    LC417, mapping_entry_type, error, (Text), "a mapping must contain names or patterns, not {}",
    "SmoothQuant compares each entry of a mapping with the names of the modules. It stops at a value that is not "
    "a string.",
    "write `[[layers to balance], norm]`")

// Returns true if the norm is the first entry of a mapping instead of the last one. Reports entries that are no
// strings.
static bool is_reversed(const Context& context, const Value& mapping) {
  std::vector<const Value*> leaves;
  flatten(mapping, leaves);
  const auto not_text =
      std::ranges::find_if(leaves, [](const Value* leaf) { return leaf->get<std::string>() == nullptr; });
  if (not_text != leaves.end()) {
    context.sink.report(diag::mapping_entry_type, (*not_text)->span, source::describe(**not_text));
    return false;
  }
  return leaves.size() > 1 && !names_norm(*leaves.back()) && names_norm(*leaves.front());
}

// Reports the first reversed mapping, with a label for each other one: whoever swaps one swaps all of them.
static void report_reversed(const Context& context, const std::vector<const source::List*>& mappings) {
  const source::List& first = *mappings.front();
  auto& report =
      context.sink.report(diag::mapping_shape, first.back().span).with_label(first.front().span, "probably the norm");
  diag::Fix fix = diag::Fix::unsafe();
  std::vector<std::string> texts;
  for (const source::List* items : mappings) {
    if (items->size() != 2) return;
    if (items != &first) report.with_label(items->back().span, "also before its norm");
    texts.push_back(fmt::format("`[{}, {}]`", flow_text(items->back()), flow_text(items->front())));
    fix.swap(items->front().span, items->back().span);
  }
  report.with_help(fmt::format("write the norm last: {}", base::join_and(texts))).with_fix(std::move(fix));
}

static void check_smoothing(const Context& context, const Smoothing& smoothing) {
  std::vector<const source::List*> reversed;
  for (const Value& mapping : smoothing.mappings.value_or({})) {
    if (is_reversed(context, mapping)) reversed.push_back(mapping.get<source::List>());
  }
  if (!reversed.empty()) report_reversed(context, reversed);
}

// --- AWQ ----------------------------------------------------------------------------------------------------------

constexpr std::string_view kDevices[] = {"cpu",    "cuda", "ipu",  "xpu",  "mkldnn", "opengl",       "opencl",
                                         "ideep",  "hip",  "ve",   "fpga", "ort",    "xla",          "lazy",
                                         "vulkan", "mps",  "meta", "hpu",  "mtia",   "privateuseone"};

static void check_device(const Context& context, const Setting<std::string>& device) {
  const std::string_view kind = std::string_view(*device).substr(0, device->find(':'));
  if (!base::contains(kDevices, kind)) {
    const auto guess = base::nearest(kind, kDevices);
    context.sink.report(diag::unknown_torch_name, device.place(), *device, "device")
        .with_help(guess ? fmt::format("did you mean `{}`?", *guess) : "write `cpu` or `cuda`, or delete it")
        .with_fix(guess ? diag::Fix::unsafe().content(device.place(), std::string(*guess)) : diag::Fix());
  }
}

// Returns the fault of the grid search, or an empty string.
static std::string_view fault_of_grid(std::int64_t grid, DuoScaling duo) {
  switch (duo) {
    case DuoScaling::both: return grid == 2 || grid == 3 ? "divides by zero" : grid <= 1 ? "leaves nothing to try" : "";
    case DuoScaling::off: return grid == 1 ? "divides by zero" : grid <= 0 ? "leaves nothing to try" : "";
    case DuoScaling::on: break;
  }
  return grid == 2 ? "divides by zero" : "";
}

DIAGNOSTIC(LC403, awq_grid, error, (Text, Text), "`n_grid` {} {}",
           "The grid search divides by the number of its steps. 2 fails with `duo_scaling: true`, 2 and 3 fail with "
           "`both`, and 1 fails with false. The default is 20.",
           "write `n_grid: 20`, or delete the field")

static void check_grid(const Context& context, const Awq& awq) {
  const auto& grid = awq.n_grid;
  const std::string_view fault = grid ? fault_of_grid(*grid, awq.duo_scaling.value_or(DuoScaling::on)) : "";
  if (!fault.empty()) {
    context.sink.report(diag::awq_grid, grid.place(), source::python_str(*grid.given()), fault)
        .with_help("write 20")
        .with_fix(diag::Fix::unsafe().replace(grid.place(), "20"));
  }
}

static void check_awq(const Context& context, const Awq& awq) {
  check_grid(context, awq);
  if (awq.offload_device.given() != nullptr) check_device(context, awq.offload_device);
}

// --- rotations ----------------------------------------------------------------------------------------------------

DIAGNOSTIC(LC416, unknown_rotation, error, (Text), "`{}` is not a rotation type",
           "The name is looked up when the run starts. `_` and blanks count as `-`.",
           "write `hadamard`, `random-hadamard` or `random-matrix`")

static void check_rotation_type(const Context& context, const Value& scheme) {
  const Value* type = scheme.find("type");
  const auto* text = type == nullptr ? nullptr : type->get<std::string>();
  std::string plain = text == nullptr ? "" : base::to_lower(*text);
  std::ranges::replace_if(
      plain, [](char c) { return c == '_' || c == ' '; }, '-');
  if (text != nullptr && !base::contains(schemes::kRotations, plain)) {
    const auto guess = base::nearest(plain, schemes::kRotations);
    context.sink.report(diag::unknown_rotation, type->span, *text)
        .with_help(guess ? fmt::format("did you mean `{}`?", *guess)
                         : "write `hadamard`, `random-hadamard` or `random-matrix`");
  }
}

DIAGNOSTIC(
    LC420, zero_rotation_block, error, (), "`transform_block_size` must not be 0",
    "The rotations `v`, `u`, `R1` and `R4` divide the width of each layer into blocks of this size, and stop with "
    "a ZeroDivisionError when the run starts.",
    "delete `transform_block_size` to rotate the whole width")

// R2 and R3 rotate whole heads. A `transform_config` replaces the rotations.
static void check_block_size(const Context& context, const Rotation& rotation) {
  constexpr std::string_view kInBlocks[] = {"V", "U", "R1", "R4"};
  const auto& size = rotation.transform_block_size;
  const bool in_blocks =
      std::ranges::any_of(kInBlocks, [&](std::string_view name) { return rotation.rotates_by(name); });
  if (size && *size == 0 && in_blocks && rotation.transform_config.given() == nullptr) {
    context.sink.report(diag::zero_rotation_block, size.place());
  }
}

static void check_rotations(const Context& context, const Rotation& rotation) {
  check_block_size(context, rotation);
  const Value* config = rotation.transform_config.given();
  const Value* groups = config == nullptr ? nullptr : config->find("config_groups");
  const auto* map = groups == nullptr ? nullptr : groups->get<source::Map>();
  for (std::size_t at = 0; map != nullptr && at < map->size(); ++at) {
    check_rotation_type(context, (*map)[at].second);
  }
}

DIAGNOSTIC(LC406, inferred_mappings_replace, warning, (Text), "`{}` is overwritten with values inferred from the model",
           "SpinQuantModifier validates its mappings when the recipe is loaded, but always uses the mappings of the "
           "model family.",
           "delete `{0}`")

static void report_inferred(const Context& context, const Field& field) {
  context.sink.report(diag::inferred_mappings_replace, field.key, field.name)
      .with_fix(diag::Fix::safe().remove(field.key));
}

static void check_inferred(const Context& context, const SpinQuant& spin) {
  if (spin.mappings.given() != nullptr) report_inferred(context, *spin.mappings.field());
  if (spin.norm_mappings.given() != nullptr) report_inferred(context, *spin.norm_mappings.field());
  if (spin.transform_config.given() != nullptr) {
    context.sink.report(diag::inferred_mappings_replace, spin.transform_config.field()->key, "transform_config")
        .with_severity(diag::Severity::error)
        .with_help("delete it; `SpinQuantModifier` crashes in calibration with it");
  }
}

// If AWQ scales no layer, its other fields do not matter.
void check_transform(const Context& context, const Modifier& modifier, bool idle) {
  if (const auto* smoothing = modifier.as<Smoothing>()) check_smoothing(context, *smoothing);
  if (const auto* awq = idle ? nullptr : modifier.as<Awq>()) check_awq(context, *awq);
  if (const auto* rotation = modifier.as<Rotation>()) check_rotations(context, *rotation);
  if (const auto* spin = modifier.as<SpinQuant>()) check_inferred(context, *spin);
}

}  // namespace sparsecfg::dialect::llmcompressor
