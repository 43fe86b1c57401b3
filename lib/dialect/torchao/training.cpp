#include "dialect/torchao/training.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "diag/rule.h"
#include "dialect/torchao/codes.h"
#include "dialect/torchao/exported.h"
#include "dialect/torchao/serialized.h"
#include "dialect/torchao/short_line.h"

namespace sparsecfg::dialect::torchao {

using source::Value;

DIAGNOSTIC(TA110, torchao_not_simulated, error, (Text, Text), "`QATConfig` cannot simulate `{}`: {}",
           "Only some configurations have a simulation of their numbers for training. The call raises a ValueError or "
           "an AssertionError at the first layer.",
           "write a configuration such as `Int8DynamicActivationIntxWeightConfig`")

DIAGNOSTIC(TA225, torchao_trained_otherwise, warning, (Text, Text),
           "the layers are converted with {}, but were trained with {}",
           "The step `convert` applies its own base and does not compare it with that of the training. The weights "
           "were trained for another quantization, so the training is partly lost.",
           "write the same base in both calls")

namespace {

// A field and the words that the simulation supports; an absent field is supported.
struct Simulated {
  std::string_view name;  // of the class
  std::string_view field;
  std::array<std::string_view, 2> words;  // the first one is the default
};

constexpr Simulated kSimulated[] = {
    {"Int4WeightOnlyConfig", "int4_packing_format", {"plain", "preshuffled"}},
    {"Int8DynamicActivationIntxWeightConfig", "intx_packing_format", {"unpacked_to_int8", "unpacked_to_int8"}},
    {"Int8DynamicActivationIntxWeightConfig", "weight_mapping_type", {"symmetric", "symmetric"}},
    {"Int8DynamicActivationIntxWeightConfig", "act_mapping_type", {"asymmetric", "asymmetric"}},
    {"Int8DynamicActivationIntxWeightConfig", "weight_scale_dtype", {"none", "none"}},
    {"IntxWeightOnlyConfig", "intx_packing_format", {"unpacked_to_int8", "unpacked_to_int8"}},
    {"IntxWeightOnlyConfig", "mapping_type", {"symmetric", "symmetric"}},
    {"IntxWeightOnlyConfig", "scale_dtype", {"none", "none"}},
};

constexpr std::string_view kSimulatedClasses[] = {
    "Int4WeightOnlyConfig",
    "Float8DynamicActivationFloat8WeightConfig",
    "Float8DynamicActivationInt4WeightConfig",
    "NVFP4DynamicActivationNVFP4WeightConfig",
    "MXDynamicActivationMXWeightConfig",
    "Int8DynamicActivationIntxWeightConfig",
    "IntxWeightOnlyConfig",
};

// Classes that the simulation lacks, and the construction of one with the same numbers.
constexpr std::pair<std::string_view, std::string_view> kCounterparts[] = {
    {"Int8DynamicActivationInt8WeightConfig",
     "Int8DynamicActivationIntxWeightConfig(weight_dtype=torch.int8, weight_granularity=PerAxis(0))"},
    {"Int8WeightOnlyConfig", "IntxWeightOnlyConfig(weight_dtype=torch.int8, granularity=PerAxis(0))"},
};

// Fields that change the numbers, and not only how they are stored or computed.
constexpr std::string_view kNumeric[] = {"group_size",       "block_size",          "weight_dtype",
                                         "activation_dtype", "granularity",         "weight_granularity",
                                         "mapping_type",     "weight_mapping_type", "act_mapping_type",
                                         "scale_dtype",      "weight_scale_dtype"};

}  // namespace

bool check_simulated(const Context& context, const Config& config) {
  if (config.unknown || config.spec == nullptr || config.wrapper != &kQatConfig) return true;
  const std::string_view name = config.spec->name;
  if (!base::contains(kSimulatedClasses, name)) {
    const auto* other = std::ranges::find(kCounterparts, name, &std::pair<std::string_view, std::string_view>::first);
    context.sink.report(diag::torchao_not_simulated, config.base, name, "it has no simulation of this class")
        .with_help(other == std::end(kCounterparts)
                       ? std::string()
                       : fmt::format("write {}", code_for(context.file, other->second).shown()));
    return false;
  }
  for (const Simulated& row : kSimulated) {
    const Value* value = row.name == name ? config.data.find(row.field) : nullptr;
    const std::string word = value == nullptr ? std::string() : word_in(config.data, row.field);
    if (value == nullptr || context.is_unknown(*value) || base::contains(row.words, word)) continue;
    context.sink
        .report(diag::torchao_not_simulated, value->span, name,
                fmt::format("`{}` must be `{}`", row.field, row.words.front()))
        .with_help(fmt::format("delete `{}`", row.field));
    return false;
  }
  if (type_in(config.data, "weight_dtype") != "int1") return true;
  context.sink
      .report(diag::torchao_not_simulated, config.data.find("weight_dtype")->span, name, "it requires 2 bits or more")
      .with_help(fmt::format("write {}", code_for(context.file, "torch.int2").shown()));
  return false;
}

// Returns an argument as it is written: "`group_size=32`".
static std::string argument_text(const Context& context, const Config& config, std::string_view field) {
  constexpr std::size_t kMost = 60;
  const Value* value = config.data.find(field);
  if (value == nullptr) {
    const FieldSpec* spec = config.spec->find(field);
    return fmt::format("`{}={}`", field, spec == nullptr ? std::string_view("None") : spec->default_value);
  }
  const std::string_view written = context.file.text(value->span);
  return fmt::format("`{}={}`", field,
                     is_short_line(written, kMost) ? std::string(written) : source::python_str(*value));
}

void check_trained(const Context& context, const Config& trained, source::Span prepared, const Config& config) {
  const bool known = !trained.unknown && !config.unknown && trained.spec != nullptr && config.spec != nullptr;
  if (!known || config.wrapper != &kQatConfig) return;
  if (trained.spec != config.spec) {
    context.sink
        .report(diag::torchao_trained_otherwise, config.base, fmt::format("`{}`", config.spec->name),
                fmt::format("`{}`", trained.spec->name))
        .with_label(trained.base.empty() ? prepared : trained.base, "trained with this base");
    return;
  }
  const auto differs = [&](std::string_view field) {
    const Value* one = trained.data.find(field);
    const Value* other = config.data.find(field);
    const bool both = one != nullptr && other != nullptr;
    return both ? !(*one == *other) : argument_text(context, trained, field) != argument_text(context, config, field);
  };
  const auto* field = std::ranges::find_if(kNumeric, differs);
  if (field == std::end(kNumeric)) return;
  const Value* own = config.data.find(*field);
  const Value* other = trained.data.find(*field);
  const std::string before = argument_text(context, trained, *field);
  context.sink
      .report(diag::torchao_trained_otherwise, own == nullptr ? config.base : own->span,
              argument_text(context, config, *field), before)
      .with_label(other == nullptr ? trained.base : other->span, "trained with this")
      .with_help(fmt::format("write {}", before));
}

}  // namespace sparsecfg::dialect::torchao
