#include "dialect/llmcompressor/mappings.h"

#include <algorithm>

#include "dialect/llmcompressor/schemes.h"

namespace sparsecfg::dialect::llmcompressor {

using model::Module;
using source::Value;

namespace {

void add_leaves(const Value& value, std::vector<std::string>& out, bool& known) {
  if (const auto* list = value.get<source::List>()) {
    for (const Value& item : *list) add_leaves(item, out, known);
  } else if (const auto* text = value.get<std::string>()) {
    out.push_back(*text);
  } else {
    known = false;
  }
}

std::vector<Mapping> lists_of(Items list) {
  std::vector<Mapping> out;
  for (const Value& item : list) {
    std::vector<std::string> leaves;
    bool known = true;
    add_leaves(item, leaves, known);
    if (known && !leaves.empty()) {
      std::string scaled = std::move(leaves.back());
      leaves.pop_back();
      out.push_back({std::move(leaves), std::move(scaled), item.span});
    }
  }
  return out;
}

std::vector<Mapping> awq_mappings(Items list) {
  std::vector<Mapping> out;
  for (const Value& item : list) {
    const Value* smooth = item.find("smooth_layer");
    const auto* scaled = smooth == nullptr ? nullptr : smooth->get<std::string>();
    std::vector<std::string> balanced;
    for (const Entry& entry : entries_of(item.find("balance_layers"))) balanced.push_back(entry.text);
    const Value* hooked = item.find("activation_hook_target");
    const auto* target = hooked == nullptr ? nullptr : hooked->get<std::string>();
    if (scaled != nullptr) {
      out.push_back({std::move(balanced), *scaled, item.span, target == nullptr ? std::string() : *target});
    }
  }
  return out;
}

}  // namespace

std::vector<Mapping> mappings_of(const Modifier& modifier, const std::vector<Module>& modules) {
  const auto* awq = modifier.as<Awq>();
  if (awq != nullptr && awq->mappings) return awq_mappings(*awq->mappings);
  const auto* smoothing = modifier.as<Smoothing>();
  if (smoothing != nullptr && smoothing->mappings) return lists_of(*smoothing->mappings);
  const auto root = std::ranges::find(modules, "", &Module::name);
  return root == modules.end() ? std::vector<Mapping>() : usual_mappings(kind_of(modifier), root->type, modifier.key);
}

}  // namespace sparsecfg::dialect::llmcompressor
