#include <algorithm>
#include <set>
#include <string>

#include "dialect/ai8x/rules/rules.h"

// Reads QAT policies (docs/semantics/ai8x.md#c1).
namespace sparsecfg::dialect::ai8x {

class QatReader {
 public:
  QatReader(const Context& context, const source::Map& policy)
      : context_(context), record_(read_record(context, kQatPolicy, policy, place_of(policy), diag::Severity::error)) {}

  std::vector<ir::Action> read() {
    if (record_.fields.empty()) {
      return {};
    }
    valid_ = record_.valid;
    const double start = check_start(context_, record_);
    const Field* bits_field = record_.find("weight_bits");
    const auto bits = bits_field == nullptr ? std::nullopt : check_bits(context_, *bits_field);
    valid_ = check_activations(context_, record_) && valid_;
    ir::Quantize effect = quantize(bits.value_or(8));
    ir::Cadence cadence;
    cadence.start = {start, record_.place("start_epoch")};
    return {{std::move(effect), cadence, origin_of(kQatPolicy.name, record_, 1), valid_ && bits.has_value()}};
  }

 private:
  static source::Span place_of(const source::Map& policy) {
    return policy.empty() ? source::Span() : policy.front().first.span;
  }

  ir::Quantize quantize(std::int64_t bits) {
    ir::Quantize effect;
    effect.by_scheme = false;
    effect.grids = {weights_of(bits)};
    if (const Field* overrides = record_.find("overrides")) {
      effect.overrides = overrides->value;
      for (const Override& each : read_overrides(context_, overrides->value, bits, valid_)) {
        effect.layers.push_back(selector_of({{model::Term::Kind::exact, each.layer, each.span}}));
        effect.layer_grids.push_back({weights_of(each.bits)});
      }
    }
    if (context_.options.modules != nullptr) {
      std::set<std::string> overridden;
      for (const model::Selector& each : effect.layers) overridden.insert(each.terms.front().text);
      std::vector<model::Term> rest;
      for (const std::string& name : quantized_layers(*context_.options.modules)) {
        if (overridden.contains(name)) continue;
        rest.push_back({model::Term::Kind::exact, name, record_.place("weight_bits")});
      }
      effect.layers.push_back(selector_of(std::move(rest)));
      effect.layer_grids.push_back(effect.grids);
    }
    return effect;
  }

  static ir::Grid weights_of(std::int64_t bits) { return {"weights", bits, true, false}; }

  static model::Selector selector_of(std::vector<model::Term> terms) {
    model::Selector selector;
    selector.terms = std::move(terms);
    selector.over = model::Selector::Over::modules;
    selector.strict = false;
    selector.drops = true;
    return selector;
  }

  const Context& context_;
  Record record_;
  bool valid_ = true;
};

std::vector<ir::Action> read_qat(const Context& context, const source::Map& policy) {
  return QatReader(context, policy).read();
}

}  // namespace sparsecfg::dialect::ai8x
