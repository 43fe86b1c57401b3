#include <algorithm>

#include "diag/rule.h"
#include "dialect/compressed_tensors/codes.h"
#include "dialect/compressed_tensors/config.h"

namespace sparsecfg::dialect::compressed_tensors {

// Returns true if the configuration of the model or of its language model sets `tie_word_embeddings`.
static bool ties_head(const doc::Document& document) {
  const auto inner = member(document, document.root, "text_config");
  const auto tied = member(document, inner.value_or(document.root), "tie_word_embeddings");
  const auto outer = tied ? tied : member(document, document.root, "tie_word_embeddings");
  return outer && document[*outer].text == "true";
}

DIAGNOSTIC(CT218, tied_head_quantized, warning, (Text), "`{}` is quantized, but shares the weight of the embedding",
           "With `tie_word_embeddings`, the runtimes use the embedding as the output head. They do not read the "
           "tensors of a quantized `lm_head`, or stop because the embedding has no packed weights.",
           "add `lm_head` to `ignore`")

void check_tied(const Context& context, const Config& config, const doc::Document& document) {
  if (!ties_head(document)) {
    return;
  }
  const auto is_head = [](const Entry& entry) { return entry.text.ends_with("lm_head"); };
  const auto group = groups_in({{"lm_head", "Linear", std::nullopt}}, config).front();
  if (!group || config.groups[*group].is_empty() || std::ranges::any_of(config.ignore, is_head)) {
    return;
  }
  context.sink.report(diag::tied_head_quantized, config.groups[*group].span, "lm_head");
}

}  // namespace sparsecfg::dialect::compressed_tensors
