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

// Arguments that change a preset.
struct Variant {
  Fields fields;
  std::vector<PresetMeant::Change> changes;
};

// Returns each variant with each value of one more argument, and without it.
template <class T, class V>
static std::vector<Variant> with_argument(const std::vector<Variant>& variants, std::string_view name,
                                          std::optional<T> Fields::*field, const std::vector<V>& values) {
  std::vector<Variant> out = variants;
  for (const Variant& variant : variants) {
    for (const V& value : values) {
      Variant& changed = out.emplace_back(variant);
      changed.fields.*field = T{value};
      changed.changes.push_back({name, {value, {}}});
    }
  }
  return out;
}

// Returns the variants of presets that can have the scheme.
static std::vector<Variant> variants_for(const ir::Scheme& wanted) {
  using Numbers = std::vector<std::int64_t>;
  std::vector<Variant> out(1);
  const std::int64_t size = wanted.weights.front().group_size;
  out = with_argument(out, "group_size", &Fields::group_size, size > 0 ? Numbers{-1, size} : Numbers{-1, 0});
  out = with_argument(out, "sym", &Fields::sym, std::vector<bool>{true, false});
  if (wanted.inputs.empty()) return with_argument(out, "act_bits", &Fields::act_bits, Numbers{16});
  out = with_argument(out, "act_group_size", &Fields::act_group_size, Numbers{-1, 0});
  return with_argument(out, "act_dynamic", &Fields::act_dynamic, std::vector<bool>{true, false});
}

static PresetMeant nearest(const ir::Scheme& wanted, const std::vector<std::string_view>& near) {
  const std::string names = fmt::format("`{}`", fmt::join(near, "` or `"));
  return {"", {}, fmt::format("AutoRound has no preset for {}; the nearest ones are {}", ir::describe(wanted), names)};
}

std::optional<PresetMeant> preset_meant_by(const std::string& word) {
  const auto wanted = scheme_in_others(word);
  if (!wanted || wanted->weights.empty()) return std::nullopt;
  const std::vector<Variant> variants = variants_for(*wanted);
  std::optional<PresetMeant> best;
  std::vector<std::string_view> near;
  for (const std::string_view name : preset_names()) {
    const Fields own = *preset(name);
    for (const Variant& each : variants) {
      const bool fewer = !best || each.changes.size() < best->changes.size();
      if (fewer && scheme_of(merged(own, each.fields)) == *wanted) best = PresetMeant{name, each.changes, {}};
    }
    const ir::Scheme scheme = scheme_of(own);
    const bool similar =
        have_same_numbers(scheme.weights, wanted->weights) && have_same_numbers(scheme.inputs, wanted->inputs);
    if (similar) near.push_back(name);
  }
  return best || near.empty() ? best : std::optional(nearest(*wanted, near));
}

}  // namespace sparsecfg::dialect::autoround
