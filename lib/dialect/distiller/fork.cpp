#include "dialect/distiller/fork.h"

#include <algorithm>

namespace sparsecfg::dialect::distiller {

// Layers of ai8x-training store their parameters in the submodule `op`. No Distiller has the quantizer, but older
// schedules of ai8x-training name it. A QAT policy, even if it is in the wrong file, exists only there.
static bool names_ai8x(std::string_view text) {
  return text == "loss_lr_schedulers" || text == "loss_lr_scheduler" || text.ends_with(".op.weight") ||
         text.ends_with(".op.bias") || text == "QuantAwareTrainRangeLinearQuantizerAI84" || text == "qat_policy";
}

bool is_of_ai8x(const doc::Document& document) {
  return std::ranges::any_of(
      document.nodes, [](const doc::Node& node) { return node.kind == doc::Kind::scalar && names_ai8x(node.text); });
}

Flavor flavor_of(const ReadOptions& options, const doc::Document& document) {
  Flavor out;
  const bool given = options.given(kReaderOptions[0]).has_value();
  const bool detected = !given && (options.qat_start || is_of_ai8x(document));
  out.fork = detected ? Fork::ai8x : static_cast<Fork>(options.choice(kReaderOptions[0]));
  out.chosen = given || detected;
  const auto dr = options.given(kReaderOptions[1]);
  out.loss_rates = out.fork == Fork::ai8x && dr != "0";
  return out;
}

}  // namespace sparsecfg::dialect::distiller
