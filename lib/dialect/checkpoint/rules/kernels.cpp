#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

#include "base/text.h"
#include "diag/rule.h"
#include "dialect/checkpoint/check.h"
#include "dialect/checkpoint/codes.h"
#include "dialect/checkpoint/values.h"

// Checks that a runtime has kernels for the bits, groups and types of a config.
namespace sparsecfg::dialect::checkpoint {

DIAGNOSTIC(
    QC312, quant_states_not_split, error, (Text, std::uint64_t),
    "{0} does not split a `bitsandbytes` checkpoint over {1} GPUs",
    "The constants of a stored `bitsandbytes` weight belong to the whole matrix, so that runtimes can't split them. "
    "They stop with ValueError before they load the weights. Pipeline parallelism works.",
    "use `--tensor-parallel 1`, or pipeline parallelism, which keeps each layer on one GPU")

DIAGNOSTIC(QC314, method_in_package, warning, (),
           "vLLM 0.28 and later load `bitsandbytes` only with the package `vllm-bnb-plugin`",
           "vLLM 0.28 moved its code for bitsandbytes to a separate package. Without the package, vLLM stops with "
           "ValueError and names `bitsandbytes` as an unknown method.",
           "`pip install vllm-bnb-plugin`, or use vLLM 0.27")

DIAGNOSTIC(QC315, experts_of_eight_bits, error, (), "vLLM does not load experts of 8-bit `bitsandbytes`",
           "vLLM has code for experts with 4-bit weights of bitsandbytes only. It stops with ValueError.",
           "quantize the model again with `load_in_4bit=True`")

DIAGNOSTIC(QC316, group_without_kernel, error, (std::int64_t),
           "vLLM has GPTQ kernels for groups of 32, 64 and 128 and for whole rows, not for {}",
           "vLLM runs GPTQ weights with the Marlin kernel, which has code for these sizes only. It stops with "
           "ValueError at the first layer.",
           "quantize the model again with `group_size=128`")

DIAGNOSTIC(QC317, type_without_kernel, error, (Text, Text, Text), "{0} runs this `{1}` model only in {2}",
           "Each kernel accepts some types of 16-bit values. Runtimes use the type in `config.json` unless an option "
           "names another one, and stop with ValueError if the kernel does not accept it.",
           "write `\"dtype\": \"{2}\"`, or pass `--dtype {2}`")

DIAGNOSTIC(
    QC318, order_not_read, error, (), "vLLM 0.30 ignores the order of the columns that `desc_act: true` has stored",
    "With `desc_act`, a group contains columns from anywhere in the matrix, and the tensor `g_idx` assigns them. "
    "vLLM 0.30 removed this order from its kernels and does not read `g_idx`. The model loads, and its weights "
    "get scales of other groups.",
    "quantize the model again with `desc_act=False`, or use vLLM 0.29")

namespace {

// docs/semantics/checkpoint.md#a2-11
constexpr int kPluginForBitsandbytes = 28;
// docs/semantics/checkpoint.md#a2-13
constexpr int kGptqByMarlin = 29;

bool is_group_of_marlin(const Value* size) { return is_number_in(size, {-1, 32, 64, 128}); }

// Returns true if SGLang runs the weights with the Marlin kernel, which accepts both types.
bool is_gptq_of_marlin(const Value& config) {
  return is_number_in(config.find("bits"), {4, 8}) && is_set(config, "sym") &&
         is_group_of_marlin(config.find("group_size"));
}

bool is_awq_of_marlin(const Value& config) {
  return is_group_of_marlin(first_of(config, {"group_size", "q_group_size"}));
}

bool never(const Value& /*config*/) { return false; }

// A type of parameters that a kernel of a method rejects.
struct TypeRow {
  Program program;
  std::string_view method;
  bool (*accepts_both)(const Value& config);  // true if the config selects a kernel for both types
  std::string_view rejected;
  std::string_view accepted;
};

// docs/semantics/checkpoint.md#a2-14
constexpr TypeRow kTypeRows[] = {{Program::vllm, "mxfp4", never, "float16", "bfloat16"},
                                 {Program::vllm, "gpt_oss_mxfp4", never, "float16", "bfloat16"},
                                 {Program::sglang, "gptq", is_gptq_of_marlin, "bfloat16", "float16"},
                                 {Program::sglang, "awq", is_awq_of_marlin, "bfloat16", "float16"}};

void check_type(const Context& context, const Reading& reading) {
  const auto& type = context.input.type;
  const auto rejects = [&](const TypeRow& row) {
    return row.program == reading.program && row.method == reading.method->name && row.rejected == type.value;
  };
  const auto* row = std::ranges::find_if(kTypeRows, rejects);
  if (row == std::end(kTypeRows) || row->accepts_both(context.input.config)) return;
  context.sink
      .report(diag::type_without_kernel, type.span, std::string(title_of(reading.program)), std::string(row->method),
              std::string(row->accepted))
      .with_fix(diag::Fix::unsafe().content(type.span, std::string(row->accepted)));
}

void check_group(const Context& context, const Reading& reading) {
  const bool marlin = reading.program == Program::vllm && reading.method->name == "gptq";
  const Value* size = context.input.config.find("group_size");
  const auto number = size == nullptr ? std::nullopt : size->number();
  if (!marlin || context.release < kGptqByMarlin || !number || is_group_of_marlin(size)) return;
  context.sink.report(diag::group_without_kernel, size->span, static_cast<std::int64_t>(*number));
}

// A row is one group in any order, and static groups keep the original one.
void check_column_order(const Context& context, const Reading& reading) {
  const Value& config = context.input.config;
  const bool gptq = reading.program == Program::vllm && reading.method->name == "gptq";
  const Value* size = config.find("group_size");
  const auto group = size == nullptr ? std::nullopt : size->number();
  const bool ordered = is_set(config, "desc_act") && !is_set(config, "static_groups") && group && *group > 0;
  if (!gptq || !ordered || context.release < kNoColumnOrder) return;
  auto& report = context.sink.report(diag::order_not_read, context.place_of("desc_act"));
  if (!context.names_release) report.with_severity(diag::Severity::warning);  // older ones may be in use
}

bool has_experts(const Reading& reading) {
  return std::ranges::any_of(reading.units->modules, [](const selectors::Module& module) {
    return module.facts.has(selectors::Fact::experts);
  });
}

void check_bitsandbytes(const Context& context, const Reading& reading) {
  const bool vllm = reading.program == Program::vllm;
  if (reading.method->name != "bitsandbytes" || (!vllm && reading.program != Program::sglang)) return;
  if (vllm && context.release >= kPluginForBitsandbytes) {
    context.sink.report(diag::method_in_package, context.place_of("quant_method"));
  } else if (context.gpus > 1) {
    context.sink.report(diag::quant_states_not_split, context.place_of("quant_method"),
                        std::string(title_of(reading.program)), context.gpus);
  } else if (vllm && is_set(context.input.config, kEightBits) && has_experts(reading)) {
    context.sink.report(diag::experts_of_eight_bits, context.place_of(kEightBits));
  }
}

}  // namespace

void check_kernels(const Context& context) {
  const Reading& reading = context.printed();
  if (!context.selected || reading.method == nullptr || !reading.known()) return;
  check_bitsandbytes(context, reading);
  check_group(context, reading);
  check_column_order(context, reading);
  check_type(context, reading);
}

}  // namespace sparsecfg::dialect::checkpoint
