#include "dialect/ai8x/table.h"

#include <algorithm>
#include <iterator>

#include "diag/rule.h"
#include "dialect/ai8x/codes.h"
#include "source/value.h"

namespace sparsecfg::dialect::ai8x {

constexpr Bounds kFractions{.min = 0, .max = 1};

constexpr FieldSpec kOverrideFields[] = {
    {.name = "weight_bits",
     .type = Type::number,
     .default_value = "that of the policy",
     .phase = Moment::step,
     .doc = "Bit width of the weights and the bias of this layer: 1, 2, 4 or 8."},
    {.name = "shift_quantile",
     .type = Type::number,
     .default_value = "that of the policy",
     .bounds = kFractions,
     .phase = Moment::step,
     .doc = "Quantile of the activations of this layer. Releases before 2025 ignore it."},
};

constinit const ClassSpec kOverride{.name = "override",
                                    .fields = kOverrideFields,
                                    .doc = "Settings of one layer. The key is the full name of the layer."};

DIAGNOSTIC(AX205, all_outliers, error, (Text, Text, Text), "a z-score of {2} removes all activations as outliers",
           "When quantization starts, ai8x.py drops activations that are further from the mean than this many "
           "deviations. If none is left, it stops with a RuntimeError.",
           "write a score such as 8.0, or `.inf` to keep all activations")

// Almost no activation is that close to the mean.
static bool removes_all(const source::Value& score) { return score.number().value_or(1) < 0.1; }

constexpr Unsupported kScores[] = {{removes_all, diag::all_outliers}};
constexpr FieldSpec kQatFields[] = {
    {.name = "start_epoch",
     .type = Type::number,
     .required = true,
     .phase = Moment::step,
     .doc = "Epoch at which quantization starts. It must be equal to an epoch of the run above 0.",
     .unit = Unit::epochs},
    {.name = "weight_bits",
     .type = Type::number,
     .required = true,
     .phase = Moment::step,
     .doc = "Bit width of weights and biases: 1, 2, 4 or 8. Checked only when quantization starts."},
    {.name = "shift_quantile",
     .type = Type::number,
     .default_value = "1.0",
     .bounds = kFractions,
     .phase = Moment::step,
     .doc = "Quantile of the activations that sets the output shift. 1.0 uses their maximum."},
    {.name = "outlier_removal_z_score",
     .type = Type::number,
     .default_value = "8.0",
     .phase = Moment::step,
     .unsupported = kScores,
     .doc = "Activations further from the mean than this many deviations are ignored. Since 2025."},
    {.name = "overrides",
     .type = Type::named_records,
     .default_value = "{}",
     .record = &kOverride,
     .phase = Moment::step,
     .doc = "Settings of single layers by their full names."},
};

constinit const ClassSpec kQatPolicy{
    .name = "qat_policy",
    .fields = kQatFields,
    .doc = "QAT policy of ai8x-training, passed with `--qat-policy`. A file with a YAML error switches QAT off."};

constexpr FieldSpec kElasticFields[] = {
    {.name = "leveling",
     .type = Type::truth,
     .required = true,
     .phase = Moment::initialize,
     .doc = "true adds one level after the other, false adds all levels at once."},
    {.name = "num_epochs",
     .type = Type::number,
     .required = true,
     .phase = Moment::initialize,
     .doc = "Epochs of each level with `leveling`, otherwise of the whole stage. 0 skips the stage.",
     .unit = Unit::epochs},
};

constinit const ClassSpec kElastic{
    .name = "elastic", .fields = kElasticFields, .doc = "Stage of a NAS policy that shrinks one dimension."};

constexpr FieldSpec kDistillationFields[] = {
    {.name = "teacher_model",
     .type = Type::any,
     .default_value = "absent",
     .phase = Moment::step,
     .doc = "`full_model` or `prev_stage_model`. Any other value disables distillation silently."},
    {.name = "distill_loss",
     .type = Type::number,
     .required = true,
     .phase = Moment::step,
     .doc = "Weight of the distillation loss."},
    {.name = "student_loss",
     .type = Type::number,
     .required = true,
     .phase = Moment::step,
     .doc = "Weight of the loss of the network itself."},
    {.name = "temperature",
     .type = Type::number,
     .required = true,
     .phase = Moment::step,
     .doc = "Divisor of the outputs of teacher and network."},
};

constinit const ClassSpec kDistillation{
    .name = "kd_params", .fields = kDistillationFields, .doc = "Knowledge distillation in the stages of a NAS policy."};

constexpr FieldSpec kConstraintFields[] = {
    {.name = "max_num_weights", .type = Type::number, .default_value = "none", .doc = "Maximum number of weights."},
    {.name = "min_num_weights", .type = Type::number, .default_value = "none", .doc = "Minimum number of weights."},
    {.name = "width_options", .type = Type::list, .default_value = "any", .doc = "List of allowed layer widths."},
};

constinit const ClassSpec kConstraints{
    .name = "constraints",
    .fields = kConstraintFields,
    .doc = "Limits for the networks that the search accepts. They replace the default `{max_num_weights: 450000}`."};

constexpr FieldSpec kSearchFields[] = {
    {.name = "population_size", .type = Type::number, .default_value = "100", .doc = "Networks in a generation."},
    {.name = "prob_mutation", .type = Type::number, .default_value = "0.1", .doc = "Probability of each mutation."},
    {.name = "ratio_mutation", .type = Type::number, .default_value = "0.5", .doc = "Fraction of mutated networks."},
    {.name = "ratio_parent", .type = Type::number, .default_value = "0.25", .doc = "Fraction of kept networks."},
    {.name = "num_iter", .type = Type::number, .default_value = "500", .doc = "Number of generations."},
    {.name = "constraints",
     .type = Type::record,
     .default_value = "{max_num_weights: 450000}",
     .record = &kConstraints,
     .doc = "Limits for the networks that the search accepts."},
};

constinit const ClassSpec kSearch{
    .name = "evolution_search",
    .fields = kSearchFields,
    .doc = "Search for a small network after the training. Only `run_nas_network_search.py` reads it."};

constexpr FieldSpec kNasFields[] = {
    {.name = "start_epoch",
     .type = Type::number,
     .required = true,
     .phase = Moment::initialize,
     .doc = "Epoch at which the first stage starts. Before it the full network trains.",
     .unit = Unit::epochs},
    {.name = "validation_freq",
     .type = Type::number,
     .required = true,
     .phase = Moment::step,
     .doc = "Epochs between validations from `start_epoch` on. Checkpoints are saved only then.",
     .unit = Unit::epochs_between},
    {.name = "elastic_kernel",
     .type = Type::record,
     .required = true,
     .record = &kElastic,
     .phase = Moment::initialize,
     .doc = "First stage: smaller kernels."},
    {.name = "elastic_depth",
     .type = Type::record,
     .required = true,
     .record = &kElastic,
     .phase = Moment::initialize,
     .doc = "Second stage: fewer layers."},
    {.name = "elastic_width",
     .type = Type::record,
     .required = true,
     .record = &kElastic,
     .phase = Moment::initialize,
     .doc = "Third stage: fewer channels. Its last level continues to the end of the run."},
    {.name = "kd_params",
     .type = Type::record,
     .default_value = "null",
     .record = &kDistillation,
     .phase = Moment::step,
     .nullable = true,
     .doc = "Knowledge distillation in the stages."},
    {.name = "evolution_search",
     .type = Type::record,
     .default_value = "{}",
     .record = &kSearch,
     .doc = "Settings of the search after the training."},
};

constinit const ClassSpec kNasPolicy{.name = "nas_policy",
                                     .fields = kNasFields,
                                     .doc = "NAS policy of ai8x-training, passed with `--nas --nas-policy`."};

constexpr const ClassSpec* kClasses[] = {&kQatPolicy,    &kOverride, &kNasPolicy,  &kElastic,
                                         &kDistillation, &kSearch,   &kConstraints};

std::span<const ClassSpec* const> classes() { return kClasses; }

// The names are composed: a pooling step, a layer and an activation. Not every combination exists.
constexpr std::string_view kLayers[] = {
    "Conv1d", "Conv2d", "ConvTranspose2d", "DepthwiseConv2d", "DepthwiseConvTranspose2d", "Linear"};
constexpr std::string_view kPools[] = {"FusedMaxPool", "FusedAvgPool", "Fused"};
constexpr std::string_view kEndings[] = {"BNReLU", "BNAbs", "BN", "ReLU", "Abs", ""};
constexpr std::string_view kPlainPools[] = {"MaxPool1d", "MaxPool2d", "AvgPool1d", "AvgPool2d"};

static std::string_view without_pool(std::string_view type) {
  for (const std::string_view pool : kPools) {
    if (type.starts_with(pool)) return type.substr(pool.size());
  }
  return type;
}

bool is_quantized_type(std::string_view type) {
  if (std::ranges::find(kPlainPools, type) != std::end(kPlainPools)) {
    return true;
  }
  const std::string_view layer = without_pool(type);
  return std::ranges::any_of(kLayers, [&](std::string_view name) {
    return layer.starts_with(name) && std::ranges::find(kEndings, layer.substr(name.size())) != std::end(kEndings);
  });
}

}  // namespace sparsecfg::dialect::ai8x
