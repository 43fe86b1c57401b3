#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "diag/rule.h"
#include "dialect/llmcompressor/codes.h"
#include "dialect/llmcompressor/parts.h"

// Checks whether the calibration of `oneshot` reaches what the recipe quantizes.
namespace sparsecfg::dialect::llmcompressor {

DIAGNOSTIC(
    LC149, data_without_use, silent_warning, (Text), "no modifier uses the calibration data of `{}`",
    "Scales of weights and dynamic scales of inputs are computed without samples. `oneshot` then passes no sample "
    "through the model.",
    "delete the arguments for the data")

DIAGNOSTIC(
    LC150, experts_without_tokens, silent_warning, (), "an expert that receives none of the samples is not calibrated",
    "With `moe_calibrate_all_experts=False`, each expert sees only the tokens that the router sends to it. Static "
    "scales of the others keep the values of their initialization, and GPTQ and AWQ have no statistics of them.",
    "delete `moe_calibrate_all_experts`: by default, all experts see all tokens")

// A preset with dynamic inputs, and the one with static inputs of the same type.
struct StaticPreset {
  std::string_view dynamic;
  std::string_view with_data;
};

static constexpr StaticPreset kStaticPresets[] = {{"FP8_DYNAMIC", "FP8"}};

// The arguments of `oneshot` that select the samples.
static constexpr std::string_view kDataArguments[] = {
    "dataset",        "dataset_path", "dataset_config_name",    "splits",
    "max_seq_length", "text_column",  "num_calibration_samples"};

void check_unused_data(const std::vector<source::Located<std::string>>& arguments,
                       const source::Located<std::string>& scheme, diag::Sink& sink) {
  const auto dataset = std::ranges::find(arguments, "dataset", &source::Located<std::string>::value);
  if (dataset == arguments.end()) return;
  std::vector<std::string> names;
  for (const auto& argument : arguments) {
    if (base::contains(kDataArguments, argument.value)) names.push_back(fmt::format("`{}`", argument.value));
  }
  auto& report = sink.report(diag::data_without_use, dataset->span, dataset->value);
  const std::string remove = fmt::format("delete {}", base::join_and(names));
  const auto* row = std::ranges::find(kStaticPresets, base::to_upper(scheme.value), &StaticPreset::dynamic);
  if (row == std::end(kStaticPresets)) {
    report.with_help(remove);
    return;
  }
  report.with_label(scheme.span, "inputs get their scales at run time")
      .with_help(fmt::format("write `scheme=\"{}\"` for static scales of the inputs, or {}", row->with_data, remove));
}

void check_routed_calibration(source::Span argument, std::string_view needs_data,
                              const std::vector<model::Module>& modules, diag::Sink& sink) {
  if (needs_data.empty() || needs_data == "REAPPruningModifier") return;  // REAP needs the routing
  const auto is_expert = [](const model::Module& module) { return module.name.find(".experts") != std::string::npos; };
  if (argument.empty() || std::ranges::none_of(modules, is_expert)) return;
  sink.report(diag::experts_without_tokens, argument).with_fix(diag::Fix::unsafe().replace(argument, "True"));
}

}  // namespace sparsecfg::dialect::llmcompressor
