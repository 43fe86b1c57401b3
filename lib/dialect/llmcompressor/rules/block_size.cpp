#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>

#include "diag/rule.h"
#include "dialect/llmcompressor/codes.h"
#include "dialect/llmcompressor/rules/rules.h"
#include "dialect/schemes/meant.h"

// Checks the `block_size` of GPTQModifier against the groups of its scheme.
namespace sparsecfg::dialect::llmcompressor {

DIAGNOSTIC(
    LC147, block_is_no_group, silent_warning, (std::int64_t, std::int64_t),
    "`block_size` {} does not set the size of the groups, which is {}",
    "`block_size` is the number of columns that GPTQ compresses in one pass. It changes the speed and hardly the "
    "result. The scheme sets the number of columns that share a scale.",
    "write the size as `group_size` in `config_groups`, and delete `block_size`")

// Returns the advice to replace the preset by groups of another size; empty without a preset.
static std::string groups_with_size(const Modifier& modifier, std::int64_t size) {
  const Field* preset = modifier.find("scheme");
  const auto* name = preset == nullptr ? nullptr : preset->value.get<std::string>();
  auto scheme = name == nullptr ? std::nullopt : schemes::preset_scheme_named(*name);
  if (!scheme || !schemes::set_argument(*scheme, "group_size", {size, {}})) return {};
  const Field* targets = modifier.find("targets");
  std::vector<std::string> names;
  for (const Entry& entry : schemes::entries_of(targets == nullptr ? nullptr : &targets->value)) {
    names.push_back(entry.text);
  }
  return fmt::format("write `config_groups: {{group_0: {}}}` in place of {}", schemes::group_text(*scheme, names),
                     targets == nullptr ? "`scheme` and `block_size`" : "`targets`, `scheme` and `block_size`");
}

void check_block_size(const Context& context, const Modifier& modifier, const Quantization& quantization) {
  const Field* field = modifier.as<Gptq>() == nullptr ? nullptr : modifier.find("block_size");
  const auto* size = field == nullptr ? nullptr : field->value.get<std::int64_t>();
  constexpr std::int64_t kUsualGroups[] = {16, 32, 64};
  if (size == nullptr || std::ranges::find(kUsualGroups, *size) == std::end(kUsualGroups)) return;
  for (const Group& group : quantization.groups) {
    const QuantizationArgs& weights = group.weights.args;
    const bool smaller = weights.present && weights.strategy == Strategy::group && *size < weights.group_size;
    if (!smaller) continue;
    auto& report = context.sink.report(diag::block_is_no_group, field->value.span, *size, weights.group_size);
    const std::string help = groups_with_size(modifier, *size);
    if (!help.empty()) report.with_help(help);
    return;
  }
}

}  // namespace sparsecfg::dialect::llmcompressor
