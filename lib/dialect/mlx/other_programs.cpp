#include "diag/rule.h"
#include "dialect/mlx/codes.h"
#include "dialect/mlx/config.h"
#include "dialect/runtime_option.h"

namespace sparsecfg::dialect::mlx {

DIAGNOSTIC(
    MX112, mlx_weights_in_other_program, error, (Text), "{} cannot load weights that mlx-lm has packed",
    "Only mlx-lm reads `quantization`. transformers and vLLM read `quantization_config`, and none of their methods "
    "has the layout of MLX.",
    "load the model with mlx-lm, or a checkpoint in a format of the program, such as GPTQ")

bool report_other_program(const ReadOptions& options, source::Span place, diag::Sink& sink) {
  const std::string_view runtime = runtime_name(options);
  if (runtime != "transformers" && !runtime.starts_with("vllm")) return false;
  sink.report(diag::mlx_weights_in_other_program, place, runtime == "transformers" ? "transformers" : "vLLM");
  return true;
}

}  // namespace sparsecfg::dialect::mlx
