#include "dialect/pytorch/entry_parts.h"

#include <fmt/format.h>

#include "dialect/pytorch/entries.h"
#include "ir/describe.h"

namespace sparsecfg::dialect::pytorch {

Entry EntryParts::made(std::string_view function, Text when, std::vector<Text> rest) const {
  parts_.emplace(function);
  rest.insert(rest.begin(), {quoted(ir::numbered_name(action_.origin)), std::move(when)});
  return {call(function, std::move(rest)), ""};
}

std::string EntryParts::refused_arguments() const {
  static constexpr std::string_view kNames[] = {"mask_on_forward_only", "use_double_copies", "mask_gradients",
                                                "discard_masks_at_minibatch_end", "fold_batchnorm"};
  const ir::OriginField* given = action_.origin.find("policy.args");
  for (const std::string_view name : kNames) {
    const source::Value* value = given == nullptr ? nullptr : given->value.find(name);
    if (value != nullptr && value->number().value_or(0) != 0) {
      return fmt::format("`{}` is not supported", name);
    }
  }
  const ir::OriginField* noise = action_.origin.find("noise");
  return noise != nullptr && noise->value.number().value_or(0) != 0 ? "noise in the ranking is not supported" : "";
}

std::vector<Text> with_strictness(Text names, const model::Selector& selector) {
  std::vector<Text> out = {std::move(names)};
  if (!stops_without(selector)) out.push_back(named("strict", boolean(false)));
  return out;
}

}  // namespace sparsecfg::dialect::pytorch
