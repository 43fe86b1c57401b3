#include "dialect/llmcompressor/oneshot_call.h"

#include <vector>

#include "dialect/quantizers/rows.h"

namespace sparsecfg::dialect::llmcompressor {

using enum Type;
using quantizers::optional;
using quantizers::required;

// From the parameters of `oneshot` and the dataclasses in `args/` of release 0.14.
static constexpr FieldSpec kArguments[] = {
    required("model", any, "A model object, or the folder or id of a model."),
    optional("config_name", any, "null", "Name or path of the configuration, if it differs from that of the model."),
    optional("tokenizer", any, "null", "Tokenizer, or its name or path, if it differs from that of the model."),
    optional("processor", any, "null", "Processor, or its name or path, if it differs from that of the model."),
    optional("precision", any, "auto", "Data type to which the weights are cast when the model is loaded."),
    optional("tie_word_embeddings", any, "true",
             "true keeps shared weights of the input and output embeddings shared."),
    optional("trust_remote_code_model", any, "false",
             "true executes the modeling code in the repository of the model."),
    optional("model_revision", any, "main", "Branch, tag or commit of the model."),
    optional("save_compressed", any, "true", "true compresses the weights when the model is saved."),
    optional("recipe", any, "null", "A modifier, a list of modifiers, a recipe as a string, or the path of a recipe."),
    optional("recipe_args", any, "null", "Values for the variables of the recipe."),
    optional("clear_sparse_session", any, "false", "true discards the state of earlier calls."),
    optional("stage", any, "null", "The stage of the recipe to run. Without it, all stages run."),
    optional("output_dir", any, "null", "Folder to which the compressed model is saved."),
    optional("log_dir", any, "null", "Folder of the log files."),
    optional("dataset", any, "null", "Calibration data: a name, a dataset object, or a `DataLoader`."),
    optional("dataset_config_name", any, "null", "Configuration of the dataset."),
    optional("dataset_path", any, "null", "Path of a dataset in JSON, CSV or DVC."),
    optional("dvc_data_repository", any, "null", "Repository of a DVC dataset."),
    optional("splits", any, "null", "Part of the dataset, such as `train[:50%]`."),
    optional("raw_kwargs", any, "{}", "Further arguments of the function that loads the dataset."),
    optional("streaming", any, "false", "true streams the dataset instead of downloading it."),
    optional("text_column", any, "text", "Column that the tokenizer reads."),
    optional("remove_columns", any, "null", "Columns that are removed after preprocessing. Deprecated."),
    optional("preprocessing_func", any, "null",
             "Function that prepares each sample, such as one that applies a chat template."),
    optional("preprocessing_num_workers", any, "null", "Processes that prepare the samples."),
    optional("overwrite_cache", any, "false", "true replaces the cached result of the preprocessing."),
    optional("num_calibration_samples", any, "512", "Number of calibration samples."),
    optional("shuffle_calibration_samples", any, "true", "true shuffles the dataset before the samples are selected."),
    optional("max_seq_length", any, "null", "Longest sequence in tokens. Longer samples are cut off."),
    optional("pad_to_max_length", any, "true", "true pads samples to `max_seq_length`."),
    optional("concatenate_data", any, "false", "true joins samples up to `max_seq_length`."),
    optional("batch_size", any, "1", "Samples in a calibration batch."),
    optional("data_collator", any, "truncation",
             "How samples of unequal length form a batch: `truncation`, `padding`, or a function."),
    optional("dataloader_num_workers", any, "0", "Processes that load the batches."),
    optional("use_loss_mask", any, "false", "true lets AWQ count only tokens whose `loss_mask` is 1."),
    optional("min_tokens_per_module", any, "null",
             "Fraction of the tokens that each expert must receive, or else a warning is logged."),
    optional("moe_calibrate_all_experts", any, "true",
             "true calibrates each expert with all tokens, false only with those routed to it."),
    optional("pipeline", any, "independent",
             "How the calibration runs: `basic`, `datafree`, `sequential` or `independent`."),
    optional("sequential_targets", any, "null",
             "Classes of the layers that are calibrated one after another. Default: the decoder layers."),
    optional("sequential_targets_per_subgraph", any, "1",
             "Layers that are calibrated together. More layers need more memory."),
    optional("sequential_offload_device", any, "cpu", "Device that keeps the activations between layers."),
    optional("sequential_prefetch", any, "false",
             "true loads the next batch while the layer runs, which needs memory for two batches."),
    optional("propagate_error", any, "true", "true feeds a layer the outputs of the quantized layers before it."),
    optional("tracing_ignore", any, "[]",
             "Further functions that tracing does not enter. The default has twelve functions of masks."),
    optional("enable_compile", any, "false", "true uses compiled functions where they exist."),
    optional("quantization_aware_calibration", any, "true", "Deprecated. It has no effect."),
};

static constexpr FieldSpec kFormerArguments[] = {
    {.name = "cache_dir", .type = any, .doc = "Folder of downloaded models."},
    {.name = "calibrate_moe_context", .type = any, .doc = "Older name of `moe_calibrate_all_experts`."},
    {.name = "distill_teacher", .type = any, .doc = "Teacher of a distillation."},
    {.name = "do_oneshot", .type = any, .doc = "true runs the calibration in a training script."},
    {.name = "max_eval_samples", .type = any, .doc = "Samples of the evaluation."},
    {.name = "max_predict_samples", .type = any, .doc = "Samples of the prediction."},
    {.name = "max_train_samples", .type = any, .doc = "Samples of the training."},
    {.name = "oneshot_device", .type = any, .doc = "Device of the calibration."},
    {.name = "run_stages", .type = any, .doc = "true runs all stages of the recipe in turn."},
    {.name = "save_safetensors", .type = any, .doc = "true saves tensors in safetensors."},
    {.name = "trust_remote_code_data", .type = any, .doc = "true executes the code of the dataset."},
    {.name = "use_auth_token", .type = any, .doc = "true uses the token of the logged-in user."},
    {.name = "use_fast_tokenizer", .type = any, .doc = "true uses a tokenizer in Rust."},
};

const ClassSpec kOneshotCall{
    .name = "oneshot",
    .fields = kArguments,
    .doc = "Calibrates a model and applies a recipe to it. Other arguments raise a ValueError.",
    .former = kFormerArguments,
};

std::span<const std::string_view> oneshot_arguments() {
  static const std::vector<std::string_view> kNames = [] {
    std::vector<std::string_view> names;
    for (const std::span<const FieldSpec> rows : {kOneshotCall.fields, kOneshotCall.former}) {
      for (const FieldSpec& row : rows) names.push_back(row.name);
    }
    return names;
  }();
  return kNames;
}

}  // namespace sparsecfg::dialect::llmcompressor
