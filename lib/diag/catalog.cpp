#include "diag/catalog.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "base/text.h"
#include "diag/rule.h"

namespace sparsecfg::diag {

std::string_view to_string(Severity severity) {
  switch (severity) {
    case Severity::error: return "error";
    case Severity::warning: return "warning";
    case Severity::info: return "info";
  }
  return {};
}

#include "diag/catalog/all.def"

}  // namespace sparsecfg::diag

#include "diag/rule_list.h"

namespace sparsecfg::diag {

std::span<const Info* const> catalog() { return kCatalog; }

const Info* find(std::string_view code_or_name) {
  const std::string code = base::to_upper(code_or_name);
  const std::string name = base::to_lower(code_or_name);
  const auto* const* found =
      std::ranges::find_if(kCatalog, [&](const Info* info) { return info->code == code || info->name == name; });
  return found == std::end(kCatalog) ? nullptr : *found;
}

static constexpr Family kFamilies[] = {
    {"SP0", "input", "Files, encodings, YAML syntax, limits and settings."},
    {"SP1", "schema", "Names of classes, fields and keys, and the types of their values."},
    {"SP2", "epochs", "Starts, ends and the length of the training."},
    {"SP3", "schedule", "Update frequencies, policies and what happens at each step."},
    {"SP4", "sparsity", "Sparsity levels, masks and ramps."},
    {"SP5", "learning rate", "Learning rates and their schedulers."},
    {"SP6", "selectors", "Names, patterns and types that select parameters or modules."},
    {"SP7", "order", "Modifiers that depend on each other or disturb each other."},
    {"SP8", "quantization", "Bit widths, schemes, observers and quantizers."},
    {"SP9", "variables", "Recipe variables and expressions."},
    {"DP", "deprecations", "Classes and fields that are deprecated or were removed."},
    {"MD", "model", "Selectors and shapes, compared with the names of a model."},
    {"PT", "portability", "Conversions to other dialects."},
    {"LC", "llm-compressor", "Recipes of llm-compressor."},
    {"AX", "ai8x", "Policies and schedules of ai8x-training."},
    {"QC", "quantized checkpoints", "The `quantization_config` in `config.json` of other methods, and its readers."},
    {"GG", "llama.cpp", "Tensor types and commands of llama-quantize."},
    {"MX", "MLX", "The key `quantization` in a `config.json` of MLX."},
    {"AR", "AutoRound", "Calls, command lines and saved configurations of AutoRound."},
    {"TA", "torchao", "Calls of `quantize_` and saved configurations of torchao."},
    {"GQ", "GPTQModel", "Calls of `QuantizeConfig` and saved files of GPTQModel."},
    {"MO", "modelopt", "Recipes, scripts and checkpoints of NVIDIA Model Optimizer."},
    {"CT", "compressed-tensors", "The `quantization_config` in `config.json`, its readers and the weights."},
};

std::span<const Family> families() { return kFamilies; }

const Family* family_of(std::string_view code) {
  const auto* found =
      std::ranges::find_if(kFamilies, [&](const Family& each) { return code.starts_with(each.prefix); });
  return found == std::end(kFamilies) ? nullptr : found;
}

}  // namespace sparsecfg::diag
