#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/text.h"
#include "diag/rule.h"
#include "dialect/modelopt/calls.h"
#include "dialect/modelopt/codes.h"

// What the calls of a script calibrate (docs/semantics/modelopt.md#d3).
namespace sparsecfg::dialect::modelopt {

using script::Ref;
using Form = script::Value::Kind;

DIAGNOSTIC(MO504, inputs_not_calibrated, silent_warning, (Text),
           "`mtq.quantize` gets no `forward_loop`, so `{}` is not calibrated",
           "Without a forward loop, ModelOpt calibrates only the weights. Static inputs then have no range, and the "
           "exported checkpoint lacks the `input_scale` that runtimes read.",
           "pass `forward_loop=calibrate`, where `calibrate(model)` runs batches of calibration data through `model`")

DIAGNOSTIC(MO540, nothing_is_calibrated, silent_warning, (),
           "the dictionary has no `algorithm`, so `mtq.quantize` calibrates nothing",
           "The default `max` of `algorithm` applies only to recipes in YAML. A dictionary without the key means None: "
           "`forward_loop` is never called, and no quantizer gets a range. The export then stops.",
           "add `\"algorithm\": \"max\",` to the dictionary")

DIAGNOSTIC(MO541, algorithm_needs_data, error, (Text, Text), "`{}` gets no `forward_loop`, {}",
           "Only `max` and `mse` calibrate weights without data.",
           "pass `forward_loop=calibrate`, where `calibrate(model)` runs batches of calibration data through `model`")

namespace {

bool is_text(const Ref& value, std::string_view text) {
  const std::string* own = value == nullptr ? nullptr : value->string();
  return own != nullptr && *own == text;
}

bool is_boolean(const Ref& value, bool expected) {
  const bool* own = value == nullptr ? nullptr : std::get_if<bool>(&value->data);
  return own != nullptr && *own == expected;
}

// Returns true for a pair of numbers such as `(8, 0)`.
bool is_pair(const Ref& value, std::int64_t first, std::int64_t second) {
  if (value == nullptr || value->items.size() != 2 || value->items[0] == nullptr || value->items[1] == nullptr)
    return false;
  const auto* one = std::get_if<std::int64_t>(&value->items[0]->data);
  const auto* two = std::get_if<std::int64_t>(&value->items[1]->data);
  return one != nullptr && two != nullptr && *one == first && *two == second;
}

// Returns true for attributes of a quantizer whose range calibration determines. NVFP4 scales its dynamic blocks by a
// static number for the whole tensor; MX formats do not.
bool is_calibrated(const Ref& attributes) {
  if (attributes == nullptr || attributes->kind != Form::dictionary || attributes->open) return false;
  const Ref blocks = value_in(*attributes, "block_sizes");
  const bool dynamic_blocks = blocks != nullptr && is_text(value_in(*blocks, "type"), "dynamic");
  return value_in(*attributes, "num_bits") != nullptr && !is_text(value_in(*attributes, "type"), "dynamic") &&
         !(dynamic_blocks && is_pair(value_in(*blocks, "scale_bits"), 8, 0));
}

// Returns the first pattern of a configuration that sets calibrated quantizers of a tensor, such as "input_quantizer";
// empty if there is none, or if it is unknown.
std::string calibrated(const Ref& config, std::string_view tensor) {
  const Ref list = entries_of(config);
  if (list == nullptr) return {};
  for (const Ref& entry : list->items) {
    const Ref pattern = entry == nullptr ? nullptr : value_in(*entry, "quantizer_name");
    const std::string* name = pattern == nullptr ? nullptr : pattern->string();
    const bool fits = name != nullptr && name->find(tensor) != std::string::npos;
    if (fits && !is_boolean(value_in(*entry, "enable"), false) && is_calibrated(value_in(*entry, "cfg"))) return *name;
  }
  return {};
}

// What happens to an algorithm that gets no data.
struct Need {
  std::string_view method;
  std::string_view result;
  bool stops;  // false: it is skipped
};

constexpr Need kNeeds[] = {
    {"smoothquant", "so the script stops", true},
    {"awq_clip", "so the script stops", true},
    {"awq_full", "so the script stops", true},
    {"gptq", "so the script stops", true},
    {"awq_lite", "so it is skipped, and no weight gets a scale", false},
    {"local_hessian", "so it is skipped, and no weight gets a scale", false},
};

bool is_layerwise(const Algorithm& algorithm) {
  const Ref layerwise = algorithm.value == nullptr || algorithm.value->kind != Form::dictionary
                            ? nullptr
                            : value_in(*algorithm.value, "layerwise");
  if (layerwise == nullptr) return false;
  return is_boolean(layerwise, true) ||
         (layerwise->kind == Form::dictionary && is_boolean(value_in(*layerwise, "enable"), true));
}

// Functions that calibrate a quantized model again.
constexpr std::string_view kCalibrations[] = {"calibrate", "quantize"};

// Returns true if a known call after `call` has the same model and one of these names.
bool follows(const Program& program, const script::Value& call, std::span<const std::string_view> names) {
  return std::ranges::any_of(program.models.calls_after(call),
                             [&](const PlacedCall& each) { return calls_any(*each.call, names); });
}

// Reports an algorithm that can't work without data. Returns true if it is reported.
bool check_needs(const Program& program, const script::Value& call, const Algorithm& algorithm) {
  const auto* need = std::ranges::find(kNeeds, algorithm.method, &Need::method);
  const bool layers = is_layerwise(algorithm);
  if (need == std::end(kNeeds) && !layers) return false;
  const bool no_weights = calibrated(call.argument("config", 1), "weight_quantizer").empty();
  if (!layers && !need->stops && (no_weights || follows(program, call, kCalibrations))) return false;
  auto& report =
      program.sink.report(diag::algorithm_needs_data, call.span, algorithm.method,
                          layers ? std::string("so the calibration layer by layer stops") : std::string(need->result));
  if (!layers && !need->stops && !follows(program, call, kExports)) report.with_severity(diag::Severity::warning);
  if (calibrated(call.argument("config", 1), "input_quantizer").empty()) {
    report.with_help(
        "pass `forward_loop=calibrate`, where `calibrate(model)` runs batches of calibration data through "
        "`model`, or write `\"algorithm\": \"max\"`, which needs no data for weights");
  }
  return true;
}

// Reports a dictionary that calibrates nothing. Only the first call on a model needs ranges.
void check_algorithm_is_given(const Program& program, const script::Value& call, bool has_loop) {
  const Ref config = call.argument("config", 1);
  const bool known = config != nullptr && script::is_closed_mapping(*config) && !config->escaped &&
                     value_in(*config, "quant_cfg") != nullptr;
  if (!known || script::find(*config, "algorithm") != nullptr || call.owner != nullptr) return;
  const Ref model = call.argument("model", 0);
  const bool again = model != nullptr && call_of(*model) != Call::none;
  if (again || calibrated(config, "weight_quantizer").empty() || follows(program, call, kCalibrations)) return;
  const bool exported = follows(program, call, kExports);
  if (!exported && !has_loop) return;
  auto& report = program.sink.report(diag::nothing_is_calibrated, config->span);
  if (exported) report.with_severity(diag::Severity::error);
}

}  // namespace

void check_calibration(const Program& program) {
  for (const Ref& each : program.trace.objects) {
    const script::Value& call = *each;
    if (call_of(call) != Call::quantize || call.open || call.argument("**") != nullptr) continue;
    static constexpr std::string_view kNames[] = {"model", "config", "forward_loop"};
    const bool fits = std::ranges::all_of(
        call.names, [&](const auto& name) { return base::contains(kNames, std::string_view(name.value)); });
    if (!fits) continue;
    const bool has_loop = script::is_given(call.argument("forward_loop", 2));
    check_algorithm_is_given(program, call, has_loop);
    if (has_loop) continue;
    const Ref config = call.argument("config", 1);
    if (check_needs(program, call, algorithm_of(config))) continue;
    const std::string inputs = calibrated(config, "input_quantizer");
    if (!inputs.empty()) program.sink.report(diag::inputs_not_calibrated, call.span, inputs);
  }
}

}  // namespace sparsecfg::dialect::modelopt
