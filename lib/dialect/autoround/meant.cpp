#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "dialect/autoround/schemes.h"
#include "dialect/schemes/meant.h"

// Presets of AutoRound for the names of formats in other systems.
namespace sparsecfg::dialect::autoround {

using Formats = std::vector<ir::TensorFormat>;

// Returns the scheme that a name means in llm-compressor, or in a system whose names describe the format.
static std::optional<ir::Scheme> scheme_in_others(const std::string& word) {
  if (auto preset = schemes::preset_scheme_named(word)) return preset;
  auto named = schemes::scheme_named(word);
  return named ? std::optional(std::move(named->scheme)) : std::nullopt;
}

static bool have_same_numbers(const Formats& one, const Formats& other) {
  return std::ranges::equal(one, other, [](const ir::TensorFormat& a, const ir::TensorFormat& b) {
    return a.type == b.type && a.bits == b.bits && a.scale_type == b.scale_type;
  });
}

// Returns the arguments that change the integers of a preset to others with as many bits.
static std::string integer_changes(const ir::TensorFormat& wanted, const ir::TensorFormat& preset) {
  std::string out;
  const bool grouped = wanted.granularity == ir::Granularity::group;
  if (wanted.granularity != preset.granularity || wanted.group_size != preset.group_size)
    out += fmt::format(", and add `group_size={}`", grouped ? wanted.group_size : -1);
  if (wanted.symmetric != preset.symmetric)
    out += fmt::format(", and add `sym={}`", *wanted.symmetric ? "True" : "False");
  return out;
}

// Returns the preset for a scheme of weights that are integers, with other arguments.
static std::optional<PresetMeant> weight_only(const ir::Scheme& wanted, std::string_view name,
                                              const ir::Scheme& preset) {
  const ir::TensorFormat& weights = wanted.weights.front();
  const bool supports =
      weights.type == ir::NumberType::integer && weights.symmetric &&
      (weights.granularity == ir::Granularity::group || weights.granularity == ir::Granularity::channel);
  if (!wanted.inputs.empty() || !preset.inputs.empty() || !supports) return std::nullopt;
  return PresetMeant{"", fmt::format("write `{}`{}", name, integer_changes(weights, preset.weights.front()))};
}

static PresetMeant nearest(const ir::Scheme& wanted, const std::vector<std::string_view>& near) {
  const std::string names = fmt::format("`{}`", fmt::join(near, "` or `"));
  return {"", fmt::format("AutoRound has no preset for {}; the nearest ones are {}", ir::describe(wanted), names)};
}

std::optional<PresetMeant> preset_meant_by(const std::string& word) {
  const auto wanted = scheme_in_others(word);
  if (!wanted || wanted->weights.empty()) return std::nullopt;
  std::vector<std::string_view> near;
  for (const std::string_view name : preset_names()) {
    const ir::Scheme own = scheme_of(*preset(name));
    if (own == *wanted) return PresetMeant{name, fmt::format("write `{}`, the AutoRound name of this format", name)};
    if (!have_same_numbers(own.weights, wanted->weights) || !have_same_numbers(own.inputs, wanted->inputs)) continue;
    if (auto found = weight_only(*wanted, name, own)) return found;
    near.push_back(name);
  }
  return near.empty() ? std::nullopt : std::optional(nearest(*wanted, near));
}

}  // namespace sparsecfg::dialect::autoround
