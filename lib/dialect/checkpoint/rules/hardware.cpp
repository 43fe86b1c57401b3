#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "diag/rule.h"
#include "dialect/checkpoint/check.h"
#include "dialect/checkpoint/codes.h"
#include "dialect/runtime_option.h"

// Checks that vLLM has kernels for a method on the GPU of the option `gpu`.
namespace sparsecfg::dialect::checkpoint {

DIAGNOSTIC(
    QC310, method_with_wider_inputs, warning, (Text, Text), "on {1}, vLLM runs `{0}` with 16-bit inputs",
    "Kernels for 8-bit floats need compute capability 8.9. On an older GPU, vLLM keeps the weights quantized and "
    "multiplies in 16 bits. The model loads, but it is slower than on a newer GPU.",
    "use a GPU of compute capability 8.9 or later, such as L4, L40S or H100")

DIAGNOSTIC(QC311, method_without_kernel, error, (Text, Text, Text),
           "vLLM does not run `{0}` on {1}, which has capability {2}",
           "Each method states the least compute capability that its kernels need. vLLM stops on an older GPU.",
           "use a newer GPU, or a checkpoint of a method without this requirement")

DIAGNOSTIC(QC313, layout_not_read, error, (Text), "vLLM reads the weights of version `{}` in the layout of `gemm`",
           "AutoAWQ stores the weights of each version with other shapes and another order. vLLM ignores `version`, so "
           "the stored tensors do not fit its layers.",
           "quantize the model again with `version: gemm`. Another `version` alone does not change the tensors")

// The least compute capability of a method in vLLM, and the one from which its inputs are quantized too. Methods
// without a row run on all GPUs of the option.
struct Requirement {
  std::string_view method;
  int least;
  int full;
};

// docs/semantics/checkpoint.md#a2-6
constexpr Requirement kRequirements[] = {{"fp8", 75, 89}, {"mxfp4", 80, 80}, {"awq", 75, 75}};

// Returns the advice to use a GPU with at least this compute capability.
static std::string newer_gpu(int capability) {
  return fmt::format("use a GPU of compute capability {} or later, such as `--gpu {}`", capability_text(capability),
                     gpu_with(capability));
}

// Checks what vLLM can't do with the stored tensors of a method.
static void check_layout(const Context& context, const Reading& reading) {
  const source::Value* version = reading.method->name == "awq" ? context.input.config.given("version") : nullptr;
  const auto* text = version == nullptr ? nullptr : version->get<std::string>();
  static constexpr std::string_view kOther[] = {"gemv", "gemv_fast"};
  if (text != nullptr && base::contains(kOther, base::to_lower(*text))) {
    context.sink.report(diag::layout_not_read, version->span, *text);
  }
}

void check_hardware(const Context& context) {
  const Reading& reading = context.printed();
  if (context.selected && reading.program == Program::vllm && reading.method != nullptr) check_layout(context, reading);
  if (!context.gpu || !context.selected || reading.program != Program::vllm || reading.method == nullptr) return;
  const auto* needed = std::ranges::find(kRequirements, reading.method->name, &Requirement::method);
  if (needed == std::end(kRequirements) || context.gpu->capability >= needed->full) return;
  const source::Span place = context.place_of("quant_method");
  if (context.gpu->capability >= needed->least) {
    context.sink.report(diag::method_with_wider_inputs, place, needed->method, context.gpu->title)
        .with_help(newer_gpu(needed->full));
  } else {
    context.sink
        .report(diag::method_without_kernel, place, needed->method, context.gpu->title,
                capability_text(context.gpu->capability))
        .with_help(newer_gpu(needed->least));
  }
}

}  // namespace sparsecfg::dialect::checkpoint
