#include <fmt/format.h>

#include <algorithm>

#include "base/edit_distance.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/llmcompressor/codes.h"
#include "dialect/llmcompressor/parts.h"
#include "dialect/llmcompressor/table.h"
#include "script/trace.h"

// Checks the arguments of `oneshot`.
namespace sparsecfg::dialect::llmcompressor {

DIAGNOSTIC(
    LC126, unknown_argument, error, (Text), "`oneshot` has no argument `{}`",
    "`oneshot` passes all arguments to a parser of transformers. It raises a ValueError for names that no release "
    "knows, before the model is loaded.",
    "delete the argument")

// The parameters and dataclasses of all releases.
static constexpr std::string_view kArguments[] = {
    "batch_size",
    "cache_dir",
    "calibrate_moe_context",
    "clear_sparse_session",
    "concatenate_data",
    "config_name",
    "data_collator",
    "dataloader_num_workers",
    "dataset",
    "dataset_config_name",
    "dataset_path",
    "distill_teacher",
    "do_oneshot",
    "dvc_data_repository",
    "enable_compile",
    "log_dir",
    "max_eval_samples",
    "max_predict_samples",
    "max_seq_length",
    "max_train_samples",
    "min_tokens_per_module",
    "model",
    "model_revision",
    "moe_calibrate_all_experts",
    "num_calibration_samples",
    "oneshot_device",
    "output_dir",
    "overwrite_cache",
    "pad_to_max_length",
    "pipeline",
    "precision",
    "preprocessing_func",
    "preprocessing_num_workers",
    "processor",
    "propagate_error",
    "quantization_aware_calibration",
    "raw_kwargs",
    "recipe",
    "recipe_args",
    "remove_columns",
    "run_stages",
    "save_compressed",
    "save_safetensors",
    "sequential_offload_device",
    "sequential_prefetch",
    "sequential_targets",
    "sequential_targets_per_subgraph",
    "shuffle_calibration_samples",
    "splits",
    "stage",
    "streaming",
    "text_column",
    "tie_word_embeddings",
    "tokenizer",
    "tracing_ignore",
    "trust_remote_code_data",
    "trust_remote_code_model",
    "use_auth_token",
    "use_fast_tokenizer",
    "use_loss_mask",
};

static bool is_field_of_modifiers(std::string_view name) {
  return std::ranges::any_of(table().modifiers, [&](const ClassSpec& spec) {
    return std::ranges::find(spec.fields, name, &FieldSpec::name) != spec.fields.end();
  });
}

static void report_argument(const source::Located<std::string>& name, diag::Sink& sink) {
  auto& report = sink.report(diag::unknown_argument, name.span, name.value);
  if (is_field_of_modifiers(name.value)) {
    report.with_help(fmt::format("move `{}` to the modifier", name.value));
  } else if (const auto guess = base::nearest(name.value, kArguments)) {
    report.with_help(fmt::format("did you mean `{}`?", *guess))
        .with_fix(diag::Fix::unsafe().replace(name.span, std::string(*guess)));
  }
}

void check_oneshot_arguments(const script::Trace& trace, diag::Sink& sink) {
  for (const script::Ref& call : trace.objects) {
    const bool ours = call->imported && call->path.starts_with("llmcompressor.") &&
                      base::last_part(call->path) == "oneshot" && call->function == nullptr;
    for (const auto& name : ours ? call->names : decltype(call->names)()) {
      if (name.value.starts_with('*') || base::contains(kArguments, name.value)) continue;
      report_argument(name, sink);
    }
  }
}

}  // namespace sparsecfg::dialect::llmcompressor
