#include "lsp/snippets.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "base/text.h"
#include "dialect/record/suggest.h"

namespace sparsecfg::lsp {

// Fields of one-shot modifiers that are optional in the table but set in nearly every recipe.
constexpr std::string_view kUsual[] = {"scheme", "targets", "ignore"};

// Fields that recipes write as a list, although a string is accepted too.
constexpr std::string_view kLists[] = {"targets", "ignore"};

// Returns a value to start with, as YAML.
static std::string starting_value(const SchemaPlace& value, const std::string& name) {
  const std::string example = dialect::example_of(name);
  std::vector<std::string> known = value.values();
  const bool is_token = example.ends_with("__");
  const bool accepts_token = std::ranges::any_of(known, [](const std::string& each) { return each.starts_with("__"); });
  if (is_token && !accepts_token) return "['re:.*weight']";
  if (!example.empty()) return example.substr(name.size() + 2);
  const std::vector<std::string> items = value.item().values();
  if (base::contains(kLists, name) && !items.empty()) return "[" + items.front() + "]";
  if (std::ranges::find(known, "W4A16") != known.end()) return "W4A16";
  std::erase(known, "null");
  return known.empty() ? value.empty_value() : known.front();
}

static std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '$' || c == '}' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

// Fields in the order in which recipes usually have them. Others come first.
constexpr std::string_view kLast[] = {"init_lr",     "final_lr",  "init_sparsity",   "final_sparsity",
                                      "start_epoch", "end_epoch", "update_frequency"};

std::string starting_fields(const SchemaPlace& place, std::size_t indent) {
  std::string out;
  std::size_t number = 0;
  std::vector<SchemaPlace::Field> fields = place.fields();
  std::ranges::stable_sort(fields, {}, [](const SchemaPlace::Field& field) {
    const auto* last = std::ranges::find(kLast, field.name);
    return last == std::end(kLast) ? 0 : 1 + std::distance(std::begin(kLast), last);
  });
  for (const SchemaPlace::Field& field : fields) {
    const bool is_usual = base::contains(kUsual, field.name) && !field.is_deprecated;
    if (!field.required && !is_usual) continue;
    out += fmt::format("\n{}{}: ${{{}:{}}}", std::string(indent, ' '), field.name, ++number,
                       escaped(starting_value(place.under(field.name), field.name)));
  }
  return out;
}

std::span<const std::string_view> usual_fields() {
  static constexpr std::string_view kFields[] = {
      "scheme",   "targets",       "ignore",         "config_groups", "params",    "sparsity",         "num_bits",
      "type",     "strategy",      "group_size",     "symmetric",     "weights",   "init_lr",          "final_lr",
      "lr_func",  "init_sparsity", "final_sparsity", "start_epoch",   "end_epoch", "update_frequency", "mask_structure",
      "op_types", "sparse_ratio"};
  return kFields;
}

bool needs_training_loop(std::string_view name, bool trains) {
  constexpr std::string_view kNames[] = {"ConstantPruningModifier", "MagnitudePruningModifier"};
  return !trains && base::contains(kNames, name);
}

std::string without_places(std::string_view snippet) {
  std::string out;
  bool in_place = false;
  for (std::size_t at = 0; at < snippet.size(); ++at) {
    const char c = snippet[at];
    if (c == '\\' && at + 1 < snippet.size()) {
      out += snippet[++at];
    } else if (c == '$' && snippet.substr(at).starts_with("${")) {
      at = snippet.find(':', at);
      in_place = true;
    } else if (c == '}' && in_place) {
      in_place = false;
    } else {
      out += c;
    }
  }
  return out;
}

// --- whole recipes ------------------------------------------------------------------------------------

constexpr std::string_view kSparseml = R"(num_epochs: ${1:30.0}

training_modifiers:
  - !EpochRangeModifier
    start_epoch: 0.0
    end_epoch: eval(num_epochs)
  - !LearningRateFunctionModifier
    lr_func: ${2:cosine}
    init_lr: ${3:0.01}
    final_lr: ${4:0.0001}
    start_epoch: 0.0
    end_epoch: eval(num_epochs)

pruning_modifiers:
  - !GMPruningModifier
    params: ${5:__ALL_PRUNABLE__}
    init_sparsity: ${6:0.05}
    final_sparsity: ${7:0.8}
    start_epoch: 0.0
    end_epoch: eval(num_epochs * 0.8)
    update_frequency: ${8:0.5}
)";

constexpr std::string_view kLlmCompressor = R"(quant_stage:
  quant_modifiers:
    GPTQModifier:
      targets: [${1:Linear}]
      scheme: ${2:W4A16}
      ignore: [${3:lm_head}]
)";

constexpr std::string_view kSparseGpt = R"(pruning_stage:
  pruning_modifiers:
    SparseGPTModifier:
      sparsity: ${1:0.5}
      mask_structure: ${2:"2:4"}
      targets: [${3:Linear}]
      ignore: ['${4:re:.*lm_head}']
)";

constexpr std::string_view kNni = R"(pruner:
  class: ${1:AGPPruner}
  pruner:
    class: ${2:L1NormPruner}
  interval_steps: ${3:100}
  total_times: ${4:10}
config_list:
  - op_types: [${5:Conv2d}]
    sparse_ratio: ${6:0.5}
)";

constexpr std::string_view kNniQuantizer = R"(quantizer:
  class: ${1:QATQuantizer}
config_list:
  - op_types: [${2:Conv2d, Linear}]
    target_names: [${3:_input_, weight, _output_}]
    quant_dtype: ${4:int8}
)";

constexpr std::string_view kDistiller = R"(version: 1

pruners:
  agp:
    class: AutomatedGradualPruner
    initial_sparsity: ${1:0.05}
    final_sparsity: ${2:0.8}
    weights: [${3:conv1.weight}]

lr_schedulers:
  lr:
    class: StepLR
    step_size: ${4:30}
    gamma: ${5:0.1}

policies:
  - pruner:
      instance_name: agp
    starting_epoch: 0
    ending_epoch: ${6:30}
    frequency: 1
  - lr_scheduler:
      instance_name: lr
    starting_epoch: 0
    ending_epoch: ${7:90}
    frequency: 1
)";

constexpr Template kTemplates[] = {
    {"SparseML recipe", "sparseml", "Gradual magnitude pruning with a cosine learning rate.", kSparseml},
    {"llm-compressor recipe: quantize", "llm-compressor", "GPTQ with a preset scheme.", kLlmCompressor},
    {"llm-compressor recipe: prune", "llm-compressor", "One-shot pruning with a 2:4 mask.", kSparseGpt},
    {"NNI config: prune", "nni", "Gradual pruning of channels.", kNni},
    {"NNI config: quantize", "nni", "Quantization-aware training.", kNniQuantizer},
    {"Distiller schedule", "distiller", "Automated gradual pruning with a step learning rate.", kDistiller},
};

std::span<const Template> templates() { return kTemplates; }

// --- mappings -----------------------------------------------------------------------------------------

constexpr Template kMappings[] = {
    {"q_proj, k_proj, v_proj after input_layernorm", "llm-compressor", "The layers that read the input of attention.",
     R"([["${1:re:.*q_proj}", "${2:re:.*k_proj}", "${3:re:.*v_proj}"], "${4:re:.*input_layernorm}"])"},
    {"gate_proj, up_proj after post_attention_layernorm", "llm-compressor",
     "The layers that read the input of the MLP.",
     R"([["${1:re:.*gate_proj}", "${2:re:.*up_proj}"], "${3:re:.*post_attention_layernorm}"])"},
};

std::span<const Template> usual_mappings() { return kMappings; }

constexpr std::string_view kNorms[] = {"re:.*input_layernorm", "re:.*post_attention_layernorm"};
constexpr std::string_view kLinears[] = {"re:.*q_proj", "re:.*k_proj", "re:.*v_proj", "re:.*gate_proj", "re:.*up_proj"};

std::span<const std::string_view> usual_patterns(std::string_view field) {
  if (field == "smooth_layer") return kNorms;
  return field == "balance_layers" ? std::span<const std::string_view>(kLinears) : std::span<const std::string_view>();
}

}  // namespace sparsecfg::lsp
