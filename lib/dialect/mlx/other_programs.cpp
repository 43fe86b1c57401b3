#include <fmt/format.h>

#include "diag/rule.h"
#include "dialect/mlx/codes.h"
#include "dialect/mlx/config.h"
#include "dialect/runtime_option.h"
#include "emit/literal.h"

namespace sparsecfg::dialect::mlx {

DIAGNOSTIC(
    MX112, mlx_weights_in_other_program, error, (Text), "{} cannot load weights that mlx-lm has packed",
    "Only mlx-lm reads `quantization`. transformers and vLLM read `quantization_config`, and none of their methods "
    "has the layout of MLX.",
    "load the model with mlx-lm, or a checkpoint in a format of the program, such as GPTQ")

// Returns the command that serves the model as it is.
static std::string server_of(const PackedModel& model) {
  return fmt::format("{}.server --model {}", model.vision ? "mlx_vlm" : "mlx_lm",
                     model.folder.empty() ? "FOLDER" : emit::literal(emit::Syntax::shell, model.folder));
}

// Returns the Python code that quantizes the original model to a format of vLLM and transformers.
static std::string code_for_original(const PackedModel& model) {
  const std::string_view id = model.original;
  const std::string folder = id.empty() ? "W4A16" : fmt::format("{}-W4A16", id.substr(id.rfind('/') + 1));
  return fmt::format(
      R"(oneshot(model={}, recipe=QuantizationModifier(targets=["Linear"], scheme="W4A16", ignore=["lm_head"]), output_dir={}))",
      id.empty() ? "..." : emit::literal(emit::Syntax::python, id), emit::literal(emit::Syntax::python, folder));
}

bool report_other_program(const ReadOptions& options, const PackedModel& model, source::Span place, diag::Sink& sink) {
  const std::string_view runtime = runtime_name(options);
  if (runtime != "transformers" && !runtime.starts_with("vllm")) return false;
  const std::string_view title = runtime == "transformers" ? "transformers" : "vLLM";
  sink.report(diag::mlx_weights_in_other_program, place, std::string(title))
      .with_help(fmt::format("run `{}` on a Mac. For {}, quantize the original model with llm-compressor: `{}`{}",
                             server_of(model), title, code_for_original(model),
                             model.original.empty() ? ", or load its release in AWQ or GPTQ" : ""));
  return true;
}

}  // namespace sparsecfg::dialect::mlx
