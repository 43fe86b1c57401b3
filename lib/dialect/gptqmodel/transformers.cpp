#include <fmt/format.h>

#include "diag/rule.h"
#include "dialect/gptqmodel/codes.h"
#include "dialect/gptqmodel/read.h"
#include "dialect/runtime_option.h"

// How transformers reads a file of GPTQModel (docs/semantics/gptqmodel.md#d1-4).
namespace sparsecfg::dialect::gptqmodel {

DIAGNOSTIC(
    GQ305, gptq_transformers_ignores_dynamic, error, (Text, Text), "transformers ignores `{}`, whose layers {}",
    "transformers gives all layers the settings of the file. The tensors of a layer with other bits or groups, or "
    "of a layer that is not quantized, then do not fit.",
    "load the model with `--runtime vllm`, or quantize it again without `dynamic`")

// Returns how the layers of an entry differ from those of the file; empty if they do not.
static std::string difference_of(const Entry& entry, const Layer& base) {
  if (entry.is_negative()) return "are not quantized";
  const Layer own = layer_of(entry, base);
  if (own.bits != base.bits) return fmt::format("have {} bits", own.bits);
  if (own.group_size != base.group_size) return fmt::format("have groups of {}", own.group_size);
  return {};
}

void check_for_transformers(const Context& context, const Config& config, const ReadOptions& options) {
  if (runtime_name(options) != "transformers" || !config.saved) return;
  for (const Entry& entry : config.as_written) {
    const std::string difference = difference_of(entry, config.base);
    if (difference.empty()) continue;
    context.sink.report(diag::gptq_transformers_ignores_dynamic, entry.span, entry.pattern, difference);
    return;
  }
}

}  // namespace sparsecfg::dialect::gptqmodel
