#include "dialect/mlx/programs.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace sparsecfg::dialect::mlx {

using Type = Option::Type;

constexpr std::string_view kModeNames[] = {"affine", "mxfp4", "nvfp4", "mxfp8"};
constexpr std::string_view kMethods[] = {"rtn", "awq"};
constexpr std::string_view kCalibrations[] = {"text", "multimodal"};
constexpr std::string_view kAccumulations[] = {"float32", "bfloat16"};
constexpr std::string_view kRecipes[] = {"mixed_2_6", "mixed_3_4", "mixed_3_6", "mixed_4_6"};
constexpr std::string_view kVisionRecipes[] = {"mixed_2_6", "mixed_3_4", "mixed_3_5", "mixed_3_6",
                                               "mixed_3_8", "mixed_4_6", "mixed_4_8"};

constexpr Option kConvertOptions[] = {{"hf-path"},
                                      {"model", Type::text, {}, "hf_path"},
                                      {"mlx-path"},
                                      {"quantize", Type::flag, "q"},
                                      {"q-group-size", Type::whole},
                                      {"q-bits", Type::whole},
                                      {"q-mode", Type::text, {}, {}, kModeNames},
                                      {"quant-predicate", Type::text, {}, {}, kRecipes},
                                      {"dtype", Type::text, {}, {}, kTypeNames},
                                      {"upload-repo"},
                                      {"dequantize", Type::flag, "d"},
                                      {"trust-remote-code", Type::flag},
                                      {"help", Type::flag, "h"}};

constexpr Option kVisionConvertOptions[] = {{"hf-path"},
                                            {"model", Type::text, {}, "hf_path"},
                                            {"revision"},
                                            {"mlx-path"},
                                            {"quantize", Type::flag, "q"},
                                            {"q-group-size", Type::whole},
                                            {"q-bits", Type::whole},
                                            {"q-mode", Type::text, {}, {}, kModeNames},
                                            {"quant-method", Type::text, {}, {}, kMethods},
                                            {"calibration", Type::text, {}, {}, kCalibrations},
                                            {"calibration-data"},
                                            {"dtype", Type::text, {}, {}, kTypeNames},
                                            {"quant-predicate", Type::text, {}, {}, kVisionRecipes},
                                            {"upload-repo"},
                                            {"dequantize", Type::flag, "d"},
                                            {"trust-remote-code", Type::flag},
                                            {"mtp", Type::flag},
                                            {"mtp-output"},
                                            {"help", Type::flag, "h"}};

constexpr Option kDwqOptions[] = {{"model", Type::text, "m"},
                                  {"quantized-model"},
                                  {"mlx-path"},
                                  {"bits", Type::whole},
                                  {"group-size", Type::whole},
                                  {"num-samples", Type::whole},
                                  {"max-seq-length", Type::whole},
                                  {"seed", Type::whole},
                                  {"learning-rate", Type::real},
                                  {"batch-size", Type::whole},
                                  {"data-path"},
                                  {"grad-checkpoint", Type::flag},
                                  {"target-dir"},
                                  {"targets-only", Type::flag},
                                  {"pipeline", Type::flag},
                                  {"trust-remote-code", Type::flag},
                                  {"help", Type::flag, "h"}};

constexpr Option kAwqOptions[] = {{"model", Type::text, "m"},
                                  {"mlx-path"},
                                  {"bits", Type::whole},
                                  {"group-size", Type::whole},
                                  {"embed-bits", Type::whole},
                                  {"embed-group-size", Type::whole},
                                  {"num-samples", Type::whole},
                                  {"sequence-length", Type::whole},
                                  {"n-grid", Type::whole},
                                  {"seed", Type::whole},
                                  {"trust-remote-code", Type::flag},
                                  {"help", Type::flag, "h"}};

constexpr Option kGptqOptions[] = {{"model", Type::text, "m"},     {"mlx-path"},
                                   {"bits", Type::whole},          {"group-size", Type::whole},
                                   {"fallback-bits", Type::whole}, {"fallback-group-size", Type::whole},
                                   {"num-samples", Type::whole},   {"sequence-length", Type::whole},
                                   {"seed", Type::whole},          {"trust-remote-code", Type::flag},
                                   {"help", Type::flag, "h"}};

constexpr Option kDynamicOptions[] = {{"model", Type::text, "m"},
                                      {"mlx-path"},
                                      {"seed", Type::whole},
                                      {"sensitivities"},
                                      {"target-bpw", Type::real},
                                      {"low-bits", Type::whole},
                                      {"low-group-size", Type::whole},
                                      {"high-bits", Type::whole},
                                      {"high-group-size", Type::whole},
                                      {"report-ppl", Type::flag},
                                      {"grad-checkpoint", Type::flag},
                                      {"accumulation-dtype", Type::text, {}, {}, kAccumulations},
                                      {"trust-remote-code", Type::flag},
                                      {"help", Type::flag, "h"}};

constexpr Option kFuseOptions[] = {{"model"},
                                   {"save-path"},
                                   {"adapter-path"},
                                   {"upload-repo"},
                                   {"dequantize", Type::flag},
                                   {"export-gguf", Type::flag},
                                   {"gguf-path"},
                                   {"trust-remote-code", Type::flag},
                                   {"help", Type::flag, "h"}};

constexpr FormatArguments kConvertFormats[] = {{"q_group_size", "q_bits", "q_mode"}};
constexpr FormatArguments kQuantizeFormats[] = {{"group_size", "bits", "mode"}};
constexpr FormatArguments kDwqFormats[] = {{"group_size", "bits", {}, 64, 4}};
constexpr FormatArguments kAwqFormats[] = {{"group_size", "bits", {}, 64, 4},
                                           {"embed_group_size", "embed_bits", {}, 32, 4}};
constexpr FormatArguments kGptqFormats[] = {{"group_size", "bits", {}, 64, 4},
                                            {"fallback_group_size", "fallback_bits", {}, 64, 6}};
constexpr FormatArguments kDynamicFormats[] = {{"low_group_size", "low_bits", {}, 64, 4},
                                               {"high_group_size", "high_bits", {}, 64, 5}};

constexpr Program kPrograms[] = {
    {"mlx_lm.convert", Task::convert, false, kConvertOptions, kConvertFormats, kRecipes},
    {"mlx_lm.dwq", Task::dwq, false, kDwqOptions, kDwqFormats},
    {"mlx_lm.awq", Task::awq, false, kAwqOptions, kAwqFormats},
    {"mlx_lm.gptq", Task::gptq, false, kGptqOptions, kGptqFormats},
    {"mlx_lm.dynamic_quant", Task::dynamic, false, kDynamicOptions, kDynamicFormats},
    {"mlx_lm.fuse", Task::fuse, false, kFuseOptions},
    {"mlx_vlm.convert", Task::convert, true, kVisionConvertOptions, kConvertFormats, kVisionRecipes},
    {"mlx.nn.quantize", Task::quantize, false, {}, kQuantizeFormats},
};

const Program* find_program(std::string_view name) {
  const auto* found = std::ranges::find(kPrograms, name, &Program::name);
  return found == std::end(kPrograms) ? nullptr : found;
}

const source::Entry* Call::find(std::string_view parameter) const {
  const auto found = std::ranges::find_if(arguments, [&](const source::Entry& entry) {
    const auto* key = entry.first.get<std::string>();
    return key != nullptr && *key == parameter;
  });
  return found == arguments.end() || found->second.is_null() ? nullptr : &*found;
}

std::string Call::text(std::string_view parameter, std::string_view value) const {
  if (!command) return fmt::format("{}={}", parameter, value);
  std::string option(parameter);
  std::ranges::replace(option, '_', '-');
  return fmt::format("--{} {}", option, value);
}

std::string Call::text(const source::Entry& entry) const {
  const auto* string = entry.second.get<std::string>();
  const std::string value = string != nullptr && !command ? fmt::format("\"{}\"", base::printable(*string))
                                                          : base::printable(source::python_str(entry.second));
  return text(source::python_str(entry.first), value);
}

source::Span Call::place(const source::Entry& entry) const {
  const source::Span first = entry.first.span;
  const source::Span last = entry.second.span;
  const bool together = first.begin <= last.begin && first.end <= last.end;
  return command && together ? source::Span{first.begin, last.end} : last;
}

}  // namespace sparsecfg::dialect::mlx
