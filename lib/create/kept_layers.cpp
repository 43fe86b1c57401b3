#include "create/kept_layers.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "regex/literal.h"

namespace sparsecfg::create {

// Parts of names of modules that process images, audio or other inputs than text, in lower case.
constexpr std::string_view kOtherInputs[] = {
    "vision",  "visual", "image",     "audio",     "speech",      "video",      "projector", "tower",    "connector",
    "aligner", "merger", "perceiver", "resampler", "multi_modal", "multimodal", "mm_",       "sam_model"};

// Last parts of names of linear layers that choose the experts of a token.
constexpr std::string_view kRouters[] = {"gate", "router", "shared_expert_gate", "wg", "gate_network"};

constexpr std::string_view kOtherInput = "not text";

static bool is_number(std::string_view part) { return !part.empty() && std::ranges::all_of(part, base::is_digit); }

// Returns the pattern of a name in a list of `ignore`, in which each character matches only itself.
static std::string pattern_of(std::string_view name) { return "re:.*" + regex::literal(name); }

// Returns the index of the first part that names another input than text, or nullopt.
static std::optional<std::size_t> other_input_in(const std::vector<std::string_view>& parts) {
  for (std::size_t at = 0; at < parts.size(); ++at) {
    const std::string part = base::to_lower(parts[at]);
    const auto is_in = [&](std::string_view word) { return part.find(word) != std::string::npos; };
    if (std::ranges::any_of(kOtherInputs, is_in)) return at;
  }
  return std::nullopt;
}

static bool is_linear(const model::Module& module) { return module.type == "Linear"; }

static std::string router_entry(const std::vector<std::string_view>& parts) {
  const bool named = parts.size() > 1 && !is_number(parts[parts.size() - 2]);
  const std::string parent = named ? std::string(parts[parts.size() - 2]) + "." : std::string();
  return pattern_of(parent + std::string(parts.back())) + "$";
}

// Returns the number of inputs of a layer; 0: unknown.
static std::int64_t columns_of(const model::Module& module) {
  return module.shape && !module.shape->empty() ? static_cast<std::int64_t>(module.shape->back()) : 0;
}

// Returns the entry of `ignore` for a layer that keeps its precision; its entry is empty for others. Routers are
// ignored whatever their class is, because it depends on the release of transformers.
static KeptLayer kept(const model::Module& module, std::int64_t groups) {
  const std::vector<std::string_view> parts = base::parts_of(module.name, '.');
  const bool is_in_block = std::ranges::any_of(parts, is_number);
  if (is_linear(module)) {
    if (const auto at = other_input_in(parts)) return {pattern_of(parts[*at]) + ".*", kOtherInput};
    if (!is_in_block) return {module.name, "outside of the blocks"};
  }
  if (is_in_block && base::contains(kRouters, parts.back())) return {router_entry(parts), "router"};
  const bool divides = groups == 0 || columns_of(module) % groups == 0;
  return is_linear(module) && !divides ? KeptLayer{pattern_of(parts.back()) + "$", "columns not divisible"}
                                       : KeptLayer{};
}

KeptLayers kept_layers(const std::vector<model::Module>& modules, std::int64_t groups) {
  KeptLayers out;
  for (const model::Module& module : modules) {
    KeptLayer layer = kept(module, groups);
    out.quantized += layer.entry.empty() && is_linear(module) ? 1 : 0;
    out.has_other_inputs = out.has_other_inputs || layer.why == kOtherInput;
    if (layer.entry.empty()) continue;
    const auto known = std::ranges::find(out.entries, layer.entry, &KeptLayer::entry);
    KeptLayer& kept_before = known == out.entries.end() ? out.entries.emplace_back(std::move(layer)) : *known;
    kept_before.linear = kept_before.linear || is_linear(module);
  }
  return out;
}

std::int64_t fitting_groups(const std::vector<model::Module>& modules, std::int64_t preferred) {
  constexpr std::int64_t kSmallest = 32;
  const std::size_t all = kept_layers(modules, 0).quantized;
  for (std::int64_t size = preferred; size >= kSmallest; size /= 2) {
    if (kept_layers(modules, size).quantized == all) return size;
  }
  return preferred;
}

std::string entry_for_pruner(std::string_view entry) {
  constexpr std::string_view kPattern = "re:";
  if (!entry.starts_with(kPattern)) return pattern_of(entry) + "\\.";
  return entry.ends_with('$') ? std::string(entry.substr(0, entry.size() - 1)) + "\\." : std::string(entry);
}

}  // namespace sparsecfg::create
