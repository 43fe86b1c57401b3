#include <fmt/format.h>

#include <algorithm>

#include "base/edit_distance.h"
#include "base/number.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/modelopt/codes.h"
#include "dialect/modelopt/read.h"
#include "dialect/record/check.h"
#include "dialect/record/types.h"

// The calibration, whose settings are checked only after the model is loaded (docs/semantics/modelopt.md#d3).
namespace sparsecfg::dialect::modelopt {

using source::Value;

DIAGNOSTIC(MO401, unknown_algorithm, error, (Text), "there is no calibration algorithm `{}`",
           "ModelOpt checks `algorithm` only when the calibration starts, after the model is loaded. Names are "
           "case-sensitive.",
           "write `max`, `mse`, `smoothquant`, `awq_lite`, `awq_clip`, `awq_full`, `svdquant` or `gptq`")
DIAGNOSTIC(MO402, algorithm_without_method, error, (), "`algorithm` has no `method`",
           "A mapping must name its algorithm. The calibration stops with KeyError.", "add `method: max`")
DIAGNOSTIC(MO403, invalid_layerwise, error, (Text), "`layerwise` {}",
           "The settings of the calibration layer by layer depend on each other. They are checked when it starts.",
           "write `layerwise: {{enable: true}}`")

DIAGNOSTIC(
    MO405, histogram_without_method, error, (Text),
    "the calibration `{}` stops: it does not say how to get a range from the histogram",
    "A histogram needs a method, `entropy`, `mse` or `percentile`, and no calibration algorithm passes one. After "
    "all batches, ModelOpt stops with TypeError. Only a script that calls `load_calib_amax` itself can use it.",
    "delete `calibrator`, or write `algorithm: null` and load the ranges with `load_calib_amax(\"percentile\")`")

DIAGNOSTIC(MO408, empty_search, error, (Text, Text), "the search from {} to {} has no multiplier",
           "The tested multipliers rise from `start_multiplier` to `stop_multiplier`. Otherwise the script stops with "
           "RuntimeError, after the calibration by maxima.",
           "write a larger `stop_multiplier`")

static void check_name(const Context& context, const std::string& name, source::Span span) {
  if (name.empty() || find_algorithm(name) != nullptr) return;
  std::vector<std::string_view> names;
  for (const ClassSpec* each : algorithms()) names.push_back(each->name);
  std::string plain = base::to_lower(name);
  std::erase(plain, '_');
  const auto same = std::ranges::find_if(names, [&](std::string_view each) {
    std::string other(each);
    std::erase(other, '_');
    return other == plain;
  });
  const auto guess = name == "awq" || name == "AWQ" ? std::optional<std::string_view>("awq_lite")
                     : same != names.end()          ? std::optional(*same)
                                                    : base::nearest(name, names);
  auto& report = context.sink.report(diag::unknown_algorithm, span, name);
  if (guess) {
    report.with_help(fmt::format("write `{}`", *guess))
        .with_fix(diag::Fix::unsafe().content(span, std::string(*guess)));
  }
}

static void check_layerwise(const Context& context, const Value& value, bool mutates) {
  const auto* map = value.get<source::Map>();
  if (map == nullptr) {
    if (!is_at_least(context.release(), Release::v0_47) || value.get<bool>() == nullptr) return;
    context.sink.report(diag::invalid_layerwise, value.span, "is a mapping since 0.47")
        .with_help(fmt::format("write `layerwise: {{enable: {}}}`", *value.get<bool>() ? "true" : "false"));
    return;
  }
  const Value* enable = value.find("enable");
  const bool on = enable != nullptr && as_boolean(*enable).value_or(false);
  const Value* folder = value.given("checkpoint_dir");
  if (folder != nullptr && !on) {
    context.sink.report(diag::invalid_layerwise, folder->span, "needs `enable: true` for `checkpoint_dir`");
  }
  const Value* stores = value.find("calib_mutates_weights");
  if (mutates && stores != nullptr && !as_boolean(*stores).value_or(true)) {
    context.sink.report(diag::invalid_layerwise, stores->span, "must store the weights that this algorithm changes")
        .with_help("delete `calib_mutates_weights`");
  }
}

static void check_range(const Context& context, const Value& value) {
  constexpr double kUsualStart = 0.25;
  constexpr double kUsualStop = 4;
  const Value* start = value.given("start_multiplier");
  const Value* stop = value.given("stop_multiplier");
  if ((start == nullptr && stop == nullptr) || (start != nullptr && context.is_unknown(*start)) ||
      (stop != nullptr && context.is_unknown(*stop)))
    return;
  const auto first = start == nullptr ? std::optional(kUsualStart) : start->number();
  const auto last = stop == nullptr ? std::optional(kUsualStop) : stop->number();
  if (!first || !last || *first <= *last) return;
  auto& report = context.sink.report(diag::empty_search, (start == nullptr ? stop : start)->span,
                                     base::python_repr(*first), base::python_repr(*last));
  if (start != nullptr && stop != nullptr) {
    report.with_help(fmt::format("swap them: `start_multiplier` {}, `stop_multiplier` {}", base::python_repr(*last),
                                 base::python_repr(*first)));
  }
}

static void check_mapping(const Context& context, const Value& value, const source::Map& map) {
  const Value* method = value.find("method");
  if (method == nullptr) {
    context.sink.report(diag::algorithm_without_method, value.span);
    return;
  }
  const auto* name = method->get<std::string>();
  if (name == nullptr) return;
  check_name(context, *name, method->span);
  const ClassSpec* spec = find_algorithm(*name);
  if (spec == nullptr) return;
  (void)read_record(context, *spec, map, value.span);
  static constexpr std::string_view kKeepsWeights[] = {"max", "mse", "local_hessian", "nvfp4_act_headroom"};
  if (*name == "mse" || *name == "local_hessian") check_range(context, value);
  const Value* layerwise = value.find("layerwise");
  const Value* enable = layerwise == nullptr ? nullptr : layerwise->find("enable");
  const bool on = enable != nullptr && !context.is_unknown(*enable) && as_boolean(*enable).value_or(false);
  if (*name == "svdquant" && on) {
    context.sink.report(diag::invalid_layerwise, layerwise->span, "does not work with `svdquant`")
        .with_help("delete `layerwise`: svdquant needs the whole model");
  }
  if (layerwise != nullptr) check_layerwise(context, *layerwise, !base::contains(kKeepsWeights, *name));
}

void check_algorithm(const Context& context, const Value& algorithm) {
  if (context.is_unknown(algorithm)) return;
  if (const auto* name = algorithm.get<std::string>()) {
    check_name(context, *name, algorithm.span);
  } else if (const auto* map = algorithm.get<source::Map>()) {
    check_mapping(context, algorithm, *map);
  } else if (const auto* list = algorithm.get<source::List>()) {
    for (const Value& each : *list) check_algorithm(context, each);
  }
}

void check_histogram(const Context& context, const Config& config) {
  const auto* name = config.algorithm.get<std::string>();
  if (name == nullptr || context.is_unknown(config.algorithm)) return;
  for (const Entry& entry : config.entries) {
    const auto replaces = [&](const Entry& later) {
      return &later > &entry && later.pattern == entry.pattern && (later.cfg || !later.enable);
    };
    if (!entry.enable || !entry.cfg || std::ranges::any_of(config.entries, replaces)) continue;
    for (const Attributes& each : *entry.cfg) {
      if (each.histogram.empty()) continue;
      auto& report = context.sink.report(diag::histogram_without_method, each.histogram, *name);
      if (!config.algorithm.span.empty()) report.with_label(config.algorithm.span, "passes no method");
      return;
    }
  }
}

}  // namespace sparsecfg::dialect::modelopt
