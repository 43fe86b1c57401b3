#include "base/text.h"
#include "dialect/gptqmodel/config.h"
#include "dialect/gptqmodel/methods.h"
#include "dialect/gptqmodel/values.h"
#include "dialect/quantizers/selection.h"

// The schemes of layers.
namespace sparsecfg::dialect::gptqmodel {

using source::Value;

Layer layer_of(const Entry& entry, const Layer& base) {
  Layer out = base;
  const Value* bits = entry.values.find("bits");
  const Value* group = entry.values.find("group_size");
  if (bits != nullptr) {
    const auto* text = bits->get<std::string>();
    const std::string word = text == nullptr ? "" : base::to_lower(base::trim(*text));
    const bool type = is_gguf_type(word);
    if (const auto number = bits->number()) out.bits = static_cast<std::int64_t>(*number);
    if (!word.empty() && (type || base::is_digit(word.front()))) out.bits = word[type ? 1 : 0] - '0';
  }
  if (group != nullptr && group->number()) out.group_size = static_cast<std::int64_t>(*group->number());
  if (const Value* symmetric = entry.values.find("sym")) out.symmetric = is_true(symmetric);
  if (const Value* order = entry.values.find("desc_act")) out.desc_act = is_true(order);
  if (const Value* order = entry.values.find("act_group_aware")) out.group_aware = is_true(order);
  return out;
}

// The formats of bitsandbytes are codebooks, but for int8.
ir::Scheme scheme_of(const Config& config, const Layer& layer) {
  ir::Scheme out = quantizers::integer_weights(layer.bits, layer.group_size, layer.symmetric);
  ir::TensorFormat& weights = out.weights.front();
  if (config.method == Method::fp8) {
    weights.type = ir::NumberType::floating;
    weights.float_kind = config.format.find("e5m2") != std::string::npos ? ir::FloatKind::e5m2 : ir::FloatKind::e4m3;
  }
  weights.order = layer.desc_act ? "group" : layer.group_aware ? "static" : "";
  return out;
}

}  // namespace sparsecfg::dialect::gptqmodel
