#include <fmt/format.h>

#include <algorithm>

#include "base/number.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/mlx/codes.h"
#include "dialect/mlx/conversion.h"

// The programs of mlx-lm that tune a quantized model (docs/semantics/mlx.md#c3-1).
namespace sparsecfg::dialect::mlx {

using source::Entry;

DIAGNOSTIC(MX124, mlx_student_bits, silent_warning, (Text), "`{}` has no effect beside `--quantized-model`",
           "`mlx_lm.dwq` trains the quantized model as it is. Its own bits and group size remain.",
           "delete `--quantized-model`, or the value")

DIAGNOSTIC(MX125, mlx_awq_model, error, (Text), "`mlx_lm.awq` does not support models with `{}`",
           "It has settings for llama, mistral, qwen2, qwen3, gemma3 and deepseek_v2, and raises a NotImplementedError "
           "for other models.",
           "use `mlx_lm.dwq`")

DIAGNOSTIC(MX126, mlx_gptq_bits, error, (std::int64_t), "`mlx_lm.gptq` cannot pack {} bits",
           "It packs 2, 4 or 8 bits, and stops with an AssertionError for others after it has processed all samples. "
           "`--fallback-bits` has no such limit.",
           "write `--bits 4`")

DIAGNOSTIC(
    MX127, mlx_target_bits, warning, (Text, Text), "{} bits per weight cannot be reached: {}",
    "`mlx_lm.dynamic_quant` gives each layer `--low-bits` or `--high-bits`. Each group also stores a scale and a "
    "bias, which add 32 bits. It does not report a target outside of this range, and gives all layers the "
    "same bits.",
    "change `--low-bits` or `--high-bits`")

static bool check_student(const Context& context, const Call& call) {
  if (call.find("quantized_model") == nullptr) return false;
  for (const std::string_view name : {"bits", "group_size"}) {
    const Entry* entry = call.find(name);
    if (entry == nullptr) continue;
    const Entry& student = *call.find("quantized_model");
    const std::string text = context.is_unknown(student.second) ? "--quantized-model" : call.text(student);
    const bool unknown = context.is_unknown(entry->second);
    context.sink
        .report(diag::mlx_student_bits, call.place(*entry),
                unknown ? fmt::format("--{}", name == "bits" ? "bits" : "group-size") : call.text(*entry))
        .with_help(fmt::format("delete `{}` to quantize with the value, or delete the value", text));
    break;
  }
  return true;
}

// Returns the class of the layers of a model that AWQ does not support; empty if it supports one, or none is known.
static std::string unsupported_layers(const std::vector<model::Module>& modules) {
  constexpr std::string_view kSupported[] = {"LlamaDecoderLayer", "MistralDecoderLayer", "Qwen2DecoderLayer",
                                             "Qwen3DecoderLayer", "Gemma3DecoderLayer",  "DeepseekV2DecoderLayer"};
  std::string out;
  for (const model::Module& module : modules) {
    if (base::contains(kSupported, module.type)) return {};
    if (module.type.ends_with("DecoderLayer")) out = module.type;
  }
  return out;
}

static bool check_awq_model(const Context& context, const Call& call) {
  if (context.options.modules == nullptr) return true;
  const std::string type = unsupported_layers(*context.options.modules);
  if (type.empty()) return true;
  context.sink.report(diag::mlx_awq_model, call.name, type);
  return false;
}

static bool check_packing(const Context& context, const Call& call, const CallFormat& format) {
  constexpr std::int64_t kPacked[] = {2, 4, 8};
  const bool fits = std::ranges::find(kPacked, format.format.bits) != std::end(kPacked);
  if (format.unknown || format.bits == nullptr || fits) return true;
  context.sink.report(diag::mlx_gptq_bits, call.place(*format.bits), format.format.bits)
      .with_help(format.format.bits < 4 ? "write `--bits 4`, or `--bits 2`" : "write `--bits 8`, or `--bits 4`");
  return false;
}

// Returns the bits of a weight with the scale and bias of its group.
static double stored_bits(const Format& format) {
  return static_cast<double>(format.bits) + 32.0 / static_cast<double>(format.group_size);
}

// Returns the bits with which a target can be reached; 0 if none can.
static std::int64_t bits_for(double target, const Format& format, bool low) {
  const Mode& mode = *find_mode(kAffine);
  std::int64_t out = 0;
  for (const std::int64_t bits : mode.bit_counts) {
    const double stored = stored_bits({format.mode, format.group_size, bits});
    if (low ? stored <= target : stored >= target && out == 0) out = bits;
  }
  return out;
}

// Returns a target that gives a tenth of the weights the other bits.
static std::string reachable_target(double least, double most, bool below) {
  const double step = (most - least) / 10;
  return fmt::format("write `--target-bpw {:.4g}`", below ? least + step : most - step);
}

static void check_target(const Context& context, const Call& call, const CallFormat& low, const CallFormat& high) {
  constexpr double kUsual = 5.0;
  const Entry* entry = call.find("target_bpw");
  if (low.unknown || high.unknown || (entry != nullptr && context.is_unknown(entry->second))) return;
  const double target = entry == nullptr ? kUsual : entry->second.number().value_or(kUsual);
  const double least = stored_bits(low.format);
  const double most = stored_bits(high.format);
  if (target >= least && target <= most) return;
  const bool below = target < least;
  const Entry* cause = entry != nullptr ? entry : below ? low.bits : high.bits;
  const std::int64_t bits = bits_for(target, below ? low.format : high.format, below);
  const Format& format = below ? low.format : high.format;
  const std::string end = base::python_repr(below ? least : most);
  context.sink
      .report(diag::mlx_target_bits, cause == nullptr ? call.name : call.place(*cause), base::python_repr(target),
              fmt::format("{} bits in groups of {} are {}", format.bits, format.group_size, end))
      .with_help(reachable_target(least, most, below) +
                 (bits == 0 ? "" : fmt::format(", or `--{}-bits {}`", below ? "low" : "high", bits)));
}

bool check_tuning(const Context& context, const Call& call, const std::vector<CallFormat>& formats) {
  bool valid = true;
  if (call.program->task == Task::dwq && check_student(context, call)) return true;
  if (call.program->task == Task::awq) valid = check_awq_model(context, call);
  for (const CallFormat& each : formats) valid = check_format(context, call, each) && valid;
  if (valid && call.program->task == Task::gptq) valid = check_packing(context, call, formats.front());
  if (valid && call.program->task == Task::dynamic) check_target(context, call, formats[0], formats[1]);
  return valid;
}

}  // namespace sparsecfg::dialect::mlx
