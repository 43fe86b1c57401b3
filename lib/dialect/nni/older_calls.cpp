#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "base/edit_distance.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/nni/codes.h"
#include "dialect/nni/policy.h"
#include "dialect/nni/script_calls.h"
#include "dialect/nni/speedup.h"

// Checks the constructors of pruners of NNI 2.x (docs/semantics/nni.md#c2).
namespace sparsecfg::dialect::nni {

using source::Map;
using source::Value;

namespace is {

// The first iteration has the ratio 0, and the pruner stops after `total_iteration`.
static bool below_one(const Value& value) { return value.number().value_or(1) < 1; }

}  // namespace is

DIAGNOSTIC(SP333, too_few_iterations, error, (Text, Text, Text),
           "`{1}` never prunes: `{0}` is {2}, and the first iteration has a ratio of 0",
           "The iterative pruners of NNI 2.x multiply the ratio by a function of i / `total_iteration`, where i counts "
           "from 0 and does not exceed `total_iteration`. At 0, NNI stops with a ZeroDivisionError.",
           "write the number of iterations, such as `{0}=10`")

DIAGNOSTIC(SP334, older_window, error, (Text, Text),
           "`warm_up_step` {} and `cool_down_beginning_step` {} are no window in steps",
           "MovementPruner of NNI 2.x raises the sparsity between these two optimizer steps. It stops with an "
           "AssertionError if the first is not below the second. In a window of at most one step, all weights are "
           "removed at once.",
           "write a `warm_up_step` below `cool_down_beginning_step`")

constexpr Unsupported kOlderIterations[] = {{is::below_one, diag::too_few_iterations}};
constexpr std::string_view kOlderAlgorithms[] = {"level",           "l1",       "l2",  "fpgm", "slim", "apoz",
                                                 "mean_activation", "taylorfo", "admm"};
constexpr FieldSpec kOlderIterative[] = {
    {.name = "pruning_algorithm", .type = Type::choice, .default_value = "level", .choices = kOlderAlgorithms},
    {.name = "total_iteration", .type = Type::number, .default_value = "1", .unsupported = kOlderIterations}};
constexpr FieldSpec kOlderMovement[] = {
    {.name = "warm_up_step", .type = Type::number, .default_value = "0"},
    {.name = "cool_down_beginning_step", .type = Type::number, .default_value = "1"}};
constexpr FieldSpec kOlderSteps[] = {{.name = "training_steps", .type = Type::number, .default_value = "1"},
                                     {.name = "training_epochs", .type = Type::number, .default_value = "1"},
                                     {.name = "training_batches", .type = Type::number, .default_value = "1"}};

constexpr ClassSpec kOlderClasses[] = {
    {.name = "AGPPruner", .fields = kOlderIterative},
    {.name = "LinearPruner", .fields = kOlderIterative},
    {.name = "LotteryTicketPruner", .fields = kOlderIterative},
    {.name = "MovementPruner", .fields = kOlderMovement},
    {.name = "SlimPruner", .fields = kOlderSteps},
    {.name = "TaylorFOWeightPruner", .fields = kOlderSteps},
    {.name = "ActivationAPoZRankPruner", .fields = kOlderSteps},
    {.name = "ActivationMeanRankPruner", .fields = kOlderSteps},
};

// The packages of the pruners with these arguments. `nni.algorithms.compression.pytorch` has older ones.
static bool is_second(const ScriptCall& call) {
  return call.path.starts_with("nni.compression.pytorch.") || call.path.find(".compression.v2.") != std::string::npos;
}

static const ClassSpec* older_class(const ScriptCall& call) {
  const auto* const found = std::ranges::find(kOlderClasses, base::last_part(call.path), &ClassSpec::name);
  return is_second(call) && found != std::end(kOlderClasses) ? found : nullptr;
}

// Only the arguments of the table are checked, because releases have different other ones.
class OlderPolicy : public SchemaPolicy {
 public:
  using SchemaPolicy::SchemaPolicy;

  bool report_unknown(const Record& /*record*/, const Field& /*field*/, FieldNames& /*names*/) const override {
    return true;
  }
};

static void check_older_window(const Record& record, const Context& context) {
  const Field* warmup = record.find("warm_up_step");
  const Field* cooldown = record.find("cool_down_beginning_step");
  const auto first = warmup == nullptr ? std::nullopt : warmup->value.number();
  const auto last = cooldown == nullptr ? std::nullopt : cooldown->value.number();
  if (!first || !last) return;
  const bool swapped = *first >= *last;
  const bool fractions = !swapped && *first >= 0 && *last <= 1;
  if (!swapped && !fractions) return;
  auto& report = context.sink.report(diag::older_window, warmup->value.span, source::python_str(warmup->value),
                                     source::python_str(cooldown->value));
  report.with_label(cooldown->value.span, "the sparsity stops rising here");
  if (swapped && *first > *last) {
    report.with_help(fmt::format("write `warm_up_step={:.15g}` and `cool_down_beginning_step={:.15g}`", *last, *first))
        .with_fix(diag::Fix::unsafe().swap(warmup->value.span, cooldown->value.span));
  } else if (fractions) {
    report.with_severity(diag::Severity::warning)
        .with_help(fmt::format("the unit is optimizer steps, not fractions of the run: with 10000 steps write "
                               "`warm_up_step={:.0f}` and `cool_down_beginning_step={:.0f}`",
                               *first * 10000, *last * 10000));
  }
}

// The pruners that wrap the model that they get. The others work with a copy, or return the unwrapped model.
constexpr std::string_view kOlderWrappers[] = {"LevelPruner",
                                               "L1NormPruner",
                                               "L2NormPruner",
                                               "FPGMPruner",
                                               "SlimPruner",
                                               "ActivationAPoZRankPruner",
                                               "ActivationMeanRankPruner",
                                               "TaylorFOWeightPruner",
                                               "ADMMPruner",
                                               "MovementPruner"};
// Those of NNI 1.x, which 2.x has in the package `nni.algorithms.compression.pytorch`.
constexpr std::string_view kFirstWrappers[] = {"LevelPruner",
                                               "SlimPruner",
                                               "L1FilterPruner",
                                               "L2FilterPruner",
                                               "FPGMPruner",
                                               "TaylorFOWeightFilterPruner",
                                               "ActivationAPoZRankFilterPruner",
                                               "ActivationMeanRankFilterPruner",
                                               "AGPPruner",
                                               "AGP_Pruner"};

static void check_older_speedup(const ScriptCall& call, const Value& name, const Context& context) {
  const std::string text = source::python_str(name);
  const bool wraps = is_second(call) ? base::contains(kOlderWrappers, text) : base::contains(kFirstWrappers, text);
  if (wraps) check_wrapped({call.speedup, call.compress_call, {text, name.span}}, context);
}

static void check_older_arguments(const ScriptCall& call, const Value& name, const Context& context) {
  const ClassSpec* spec = older_class(call);
  if (spec == nullptr) return;
  std::vector<Field> fields = fields_of(*call.part.get<Map>());
  std::erase_if(fields, [](const Field& field) { return field.name == "class"; });
  Record record{spec, name.span, std::move(fields), true, {}, {}, 0};
  check_fields(OlderPolicy(context), record);
  check_unsupported(record, context.sink);
  check_older_window(record, context);
}

void check_older_calls(const Map& lists, const Context& context) {
  std::set<source::Span> seen;
  for (const source::Entry& list : lists) {
    for (const ScriptCall& call : script_calls_of(lists, name_of(list))) {
      if (!seen.insert(call.part.span).second) continue;
      const Value& name = *call.part.find("class");
      check_older_arguments(call, name, context);
      check_older_speedup(call, name, context);
    }
  }
}

}  // namespace sparsecfg::dialect::nni
