#include <fmt/format.h>

#include <algorithm>

#include "diag/rule.h"
#include "dialect/llmcompressor/codes.h"
#include "dialect/llmcompressor/parts.h"
#include "dialect/llmcompressor/versions.h"
#include "script/trace.h"

// Imports that a release of llm-compressor does not have.
namespace sparsecfg::dialect::llmcompressor {

DIAGNOSTIC(LC114, import_gone, error, (Text, Text), "{} was removed in llm-compressor {}",
           "The script stops at this import. An older release still has the name: select it with `--llmc`.",
           "import the name that replaces it")

namespace {

using enum Release;

// A name that a release no longer has. An empty name means the whole module and those in it.
struct Gone {
  std::string_view module;
  std::string_view name;
  Release release;
  std::string_view instead;
};

constexpr std::string_view kDelete = "delete it; nothing replaces it";
constexpr std::string_view kTrain = "delete it; llm-compressor no longer trains";
constexpr std::string_view kOneshot = "write `from llmcompressor import oneshot`";
constexpr std::string_view kModel = "import `AutoModelForCausalLM` from `transformers`";
constexpr std::string_view kTraced = "import the class from `transformers`, without `Traceable` in its name";
constexpr std::string_view kExperts = "delete it; `oneshot` replaces the blocks of experts";
constexpr std::string_view kFromAwq = "import it from `llmcompressor.modifiers.transform.awq`";
constexpr std::string_view kFromGptq = "import it from `llmcompressor.modifiers.gptq`";
constexpr std::string_view kFromPruning = "import it from `llmcompressor.modifiers.pruning`";
constexpr std::string_view kDataset = "import `DatasetArguments` from `llmcompressor.args`";

// The first row that matches applies, so a name precedes its module.
// clang-format off
constexpr Gone kGone[] = {
    {"llmcompressor", "train", v0_9, kTrain},
    {"llmcompressor.args.training_arguments", "", v0_9, kTrain},
    {"llmcompressor.core.events.event_lifecycle", "", v0_5_0, kDelete},
    {"llmcompressor.core.events.lifecycle_callbacks", "", v0_5_0, kDelete},
    {"llmcompressor.core.events.lifecycle_optimizer", "", v0_5_0, kDelete},
    {"llmcompressor.core.helpers", "", v0_11, kDelete},
    {"llmcompressor.entrypoints.model_free.model_utils", "", v0_11, kDelete},
    {"llmcompressor.entrypoints.train", "", v0_9, kTrain},
    {"llmcompressor.metrics", "", v0_11, kDelete},
    {"llmcompressor.modeling", "replace_modules_for_calibration", v0_9, kExperts},
    {"llmcompressor.modeling.prepare", "", v0_9, kExperts},
    {"llmcompressor.modeling.afmoe", "", v0_12, kExperts},
    {"llmcompressor.modeling.deepseek_v3", "", v0_12, kExperts},
    {"llmcompressor.modeling.gemma4", "", v0_12, kExperts},
    {"llmcompressor.modeling.glm4_moe", "", v0_12, kExperts},
    {"llmcompressor.modeling.glm4_moe_lite", "", v0_12, kExperts},
    {"llmcompressor.modeling.glm_moe_dsa", "", v0_12, kExperts},
    {"llmcompressor.modeling.gpt_oss", "", v0_12, kExperts},
    {"llmcompressor.modeling.granite4", "", v0_12, kExperts},
    {"llmcompressor.modeling.llama4", "", v0_12, kExperts},
    {"llmcompressor.modeling.moe_context", "", v0_12, kExperts},
    {"llmcompressor.modeling.qwen3_5_moe", "", v0_12, kExperts},
    {"llmcompressor.modeling.qwen3_moe", "", v0_12, kExperts},
    {"llmcompressor.modeling.qwen3_next_moe", "", v0_12, kExperts},
    {"llmcompressor.modeling.qwen3_vl_moe", "", v0_12, kExperts},
    {"llmcompressor.modifiers.awq.base", "", v0_11, kFromAwq},
    {"llmcompressor.modifiers.awq.mappings", "", v0_11, kFromAwq},
    {"llmcompressor.modifiers.distillation", "", v0_9, kTrain},
    {"llmcompressor.modifiers.obcq.sgpt_mixin", "", v0_5_2, kFromPruning},
    {"llmcompressor.modifiers.obcq.utils", "", v0_4_1, kDelete},
    {"llmcompressor.modifiers.obcq.base", "", v0_8, kFromPruning},
    {"llmcompressor.modifiers.obcq.sgpt_sparsify", "", v0_8, kFromPruning},
    {"llmcompressor.modifiers.pruning.wanda.utils", "", v0_4_1, kDelete},
    {"llmcompressor.modifiers.quantization.cache", "", v0_9, kDelete},
    {"llmcompressor.modifiers.quantization.gptq.utils", "", v0_4_1, kDelete},
    {"llmcompressor.modifiers.quantization.gptq.base", "", v0_11, kFromGptq},
    {"llmcompressor.modifiers.quantization.gptq.gptq_quantize", "", v0_11, kFromGptq},
    {"llmcompressor.modifiers.stage", "", v0_7, kDelete},
    {"llmcompressor.modifiers.transform.imatrix", "", v0_13, "delete it; the observer `imatrix_mse` needs no modifier"},
    {"llmcompressor.modifiers.utils.compression_wrapper", "", v0_4_1, kDelete},
    {"llmcompressor.modifiers.utils.layer_compressor", "", v0_4_1, kDelete},
    {"llmcompressor.observers.moving_base", "", v0_11, kDelete},
    {"llmcompressor.pipelines.layer_sequential", "", v0_9, kDelete},
    {"llmcompressor.pytorch.model_load.helpers", "initialize_recipe", v0_5_0, kDelete},
    {"llmcompressor.recipe", "StageRunType", v0_5_0, kDelete},
    {"llmcompressor.recipe.args", "", v0_5_2, kDelete},
    {"llmcompressor.recipe.base", "", v0_7, kDelete},
    {"llmcompressor.recipe.container", "", v0_5_2, kDelete},
    {"llmcompressor.recipe.modifier", "", v0_7, kDelete},
    {"llmcompressor.recipe.recipe", "create_recipe_string_from_modifiers", v0_5_0, kDelete},
    {"llmcompressor.recipe.stage", "", v0_7, kDelete},
    {"llmcompressor.transformers", "DataTrainingArguments", v0_4_1, kDataset},
    {"llmcompressor.transformers", "SparseAutoModelForCausalLM", v0_8, kModel},
    {"llmcompressor.transformers", "TrainingArguments", v0_9, kTrain},
    {"llmcompressor.transformers", "oneshot", v0_8, kOneshot},
    {"llmcompressor.transformers", "train", v0_8, kTrain},
    {"llmcompressor.transformers.compression.compressed_tensors_utils", "untie_word_embeddings", v0_9, kDelete},
    {"llmcompressor.transformers.compression.helpers", "calculate_offload_device_map", v0_6, "delete it, and load the model with `device_map=\"auto\"`"},
    {"llmcompressor.transformers.compression.helpers", "custom_offload_device_map", v0_6, "delete it, and load the model with `device_map=\"auto\"`"},
    {"llmcompressor.transformers.compression.helpers", "", v0_11, kDelete},
    {"llmcompressor.transformers.compression.quantization_format", "", v0_8, kDelete},
    {"llmcompressor.transformers.compression.sparsity_config", "", v0_5_1, kDelete},
    {"llmcompressor.transformers.compression.sparsity_metadata_config", "", v0_11, kDelete},
    {"llmcompressor.transformers.finetune.data.data_args", "", v0_4_1, kDataset},
    {"llmcompressor.transformers.finetune.data.data_helpers", "format_calibration_data", v0_5_0, "import it from `llmcompressor.datasets`"},
    {"llmcompressor.transformers.finetune.data.ptb", "", v0_7, kDelete},
    {"llmcompressor.transformers.finetune.data", "", v0_9, "import it from `llmcompressor.transformers.data`"},
    {"llmcompressor.transformers.finetune.model_args", "", v0_4_1, "import `ModelArguments` from `llmcompressor.args`"},
    {"llmcompressor.transformers.finetune.runner", "", v0_5_0, kOneshot},
    {"llmcompressor.transformers.finetune.text_generation", "", v0_8, kOneshot},
    {"llmcompressor.transformers.finetune.training_args", "", v0_4_1, kTrain},
    {"llmcompressor.transformers.finetune", "oneshot", v0_8, kOneshot},
    {"llmcompressor.transformers.finetune", "", v0_9, kTrain},
    {"llmcompressor.transformers.sparsification.compressed_tensors_utils", "patch_tied_tensors_bug", v0_7, kDelete},
    {"llmcompressor.transformers.sparsification", "", v0_8, kModel},
    {"llmcompressor.transformers.tracing", "get_model_class", v0_5_2, kDelete},
    {"llmcompressor.transformers.tracing", "TraceableWhisperForConditionalGeneration", v0_5_1, kTraced},
    {"llmcompressor.transformers.tracing", "TraceableIdefics3ForConditionalGeneration", v0_5_2, kTraced},
    {"llmcompressor.transformers.tracing", "TraceableLlavaForConditionalGeneration", v0_5_2, kTraced},
    {"llmcompressor.transformers.tracing", "TraceableMllamaForConditionalGeneration", v0_5_2, kTraced},
    {"llmcompressor.transformers.tracing", "TraceableQwen2VLForConditionalGeneration", v0_5_2, kTraced},
    {"llmcompressor.transformers.tracing", "TraceableQwen2_5_VLForConditionalGeneration", v0_5_2, kTraced},
    {"llmcompressor.transformers.tracing.mistral", "", v0_4_1, kTraced},
    {"llmcompressor.transformers.tracing.whisper", "", v0_5_1, kTraced},
    {"llmcompressor.transformers.tracing.idefics3", "", v0_5_2, kTraced},
    {"llmcompressor.transformers.tracing.llava", "", v0_5_2, kTraced},
    {"llmcompressor.transformers.tracing.mllama", "", v0_5_2, kTraced},
    {"llmcompressor.transformers.tracing.qwen2_5_vl", "", v0_5_2, kTraced},
    {"llmcompressor.transformers.tracing.qwen2_vl", "", v0_5_2, kTraced},
    {"llmcompressor.transformers.utils.data_collator", "", v0_4_1, "write the data collator in the script"},
    {"llmcompressor.transformers.utils.preprocessing_functions", "", v0_11, kDelete},
    {"llmcompressor.utils.fsdp", "", v0_10, kDelete},
    {"llmcompressor.utils.pytorch.module", "get_layers", v0_11, "use `match_named_modules` of `compressed_tensors.utils`"},
};

// clang-format on

bool is_gone(const Gone& row, const script::Import& import) {
  if (!row.name.empty()) return import.module == row.module && import.name == row.name;
  const std::string whole = import.name.empty() ? import.module : import.module + "." + import.name;
  return whole.starts_with(row.module) && (whole.size() == row.module.size() || whole[row.module.size()] == '.');
}

}  // namespace

void check_imports(const script::Trace& trace, Release release, diag::Sink& sink) {
  for (const script::Import& import : trace.imports) {
    const auto* const row = std::ranges::find_if(
        kGone, [&](const Gone& each) { return is_gone(each, import) && is_at_least(release, each.release); });
    if (row == std::end(kGone)) continue;
    const bool fixable = import.name == "oneshot" && !import.statement.empty();
    const std::string what =
        row->name.empty() ? fmt::format("`{}`", row->module) : fmt::format("`{}` of `{}`", row->name, row->module);
    sink.report(diag::import_gone, import.span, what, to_string(row->release))
        .with_help(std::string(row->instead))
        .with_fix(fixable ? diag::Fix::unsafe().replace(import.statement, "from llmcompressor import oneshot")
                          : diag::Fix());
  }
}

}  // namespace sparsecfg::dialect::llmcompressor
