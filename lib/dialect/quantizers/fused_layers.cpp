#include "dialect/quantizers/fused_layers.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "architecture/family.h"
#include "base/text.h"
#include "dialect/quantizers/selection.h"
#include "model/matcher.h"
#include "regex/alternatives.h"

namespace sparsecfg::dialect::quantizers {

namespace {

using architecture::PackedLayer;
using architecture::usual_packed_layers;

constexpr std::string_view kRouters[] = {"gate", "shared_expert_gate"};
constexpr std::string_view kHead = "lm_head";
constexpr std::string_view kExperts = ".experts";

const PackedLayer* fusion_of(std::string_view part) {
  const std::vector<PackedLayer>& layers = usual_packed_layers();
  const auto found = std::ranges::find_if(
      layers, [&](const PackedLayer& each) { return std::ranges::find(each.parts, part) != each.parts.end(); });
  return found == layers.end() ? nullptr : &*found;
}

// Returns the name of the experts of a block for one of them: "a.experts" for "a.experts.3.up_proj". Empty for others.
std::string_view experts_of(std::string_view name) {
  const std::size_t at = name.rfind(".experts.");
  const std::size_t number = at + kExperts.size() + 1;
  const bool is_expert = at != std::string_view::npos && number < name.size() && base::is_digit(name[number]);
  return is_expert ? name.substr(0, at + kExperts.size()) : std::string_view();
}

}  // namespace

std::string layer_of(std::string_view name) {
  if (const std::string_view experts = experts_of(name); !experts.empty()) return std::string(experts);
  const std::string_view part = base::last_part(name);
  const PackedLayer* fusion = fusion_of(part);
  return fusion == nullptr ? std::string(name) : std::string(name.substr(0, name.size() - part.size())) + fusion->name;
}

namespace {

bool is_built(const model::Module& module, FusedOptions options) {
  const bool router = base::contains(kRouters, base::last_part(module.name));
  const bool head = module.name == kHead && !options.head;
  return is_linear(module) && !router && !head && (options.experts || experts_of(module.name).empty());
}

}  // namespace

void add_rows(model::Module& layer, const model::Module& part) {
  const bool joins = layer.shape && part.shape && layer.shape->size() == 2 && part.shape->size() == 2;
  if (!joins) return;
  layer.shape->front() += part.shape->front() * part.shape->back() / std::max<std::uint64_t>(layer.shape->back(), 1);
}

// Returns the names of layers for which the model has only some of the parts. They are not joined: the attention of
// DeepSeek has `q_proj`, but no `k_proj`.
static std::unordered_set<std::string> incomplete_layers(std::span<const model::Module> modules, FusedOptions options) {
  std::unordered_map<std::string, std::size_t> counts;
  for (const model::Module& module : modules) {
    const PackedLayer* fusion = is_built(module, options) ? fusion_of(base::last_part(module.name)) : nullptr;
    if (fusion != nullptr && experts_of(module.name).empty()) ++counts[layer_of(module.name)];
  }
  std::unordered_set<std::string> out;
  for (const auto& [layer, count] : counts) {
    if (count < parts_of(layer).size()) out.insert(layer);
  }
  return out;
}

std::vector<model::Module> fused_layers(std::span<const model::Module> modules, FusedOptions options) {
  std::vector<model::Module> out;
  std::unordered_map<std::string, std::size_t> known(modules.size());
  const std::unordered_set<std::string> incomplete = incomplete_layers(modules, options);
  for (const model::Module& module : modules) {
    if (!is_built(module, options)) continue;
    std::string name = layer_of(module.name);
    if (incomplete.contains(name)) name = module.name;
    const auto [layer, added] = known.try_emplace(name, out.size());
    if (added) {
      out.push_back({std::move(name), module.type, module.shape});
    } else {
      add_rows(out[layer->second], module);
    }
  }
  return out;
}

std::vector<std::string> parts_of(std::string_view layer) {
  const std::string_view last = base::last_part(layer);
  const auto fusion = std::ranges::find(usual_packed_layers(), last, &PackedLayer::name);
  std::vector<std::string> out;
  if (fusion == usual_packed_layers().end()) return out;
  for (const std::string& part : fusion->parts) {
    out.push_back(std::string(layer.substr(0, layer.size() - last.size())) + part);
  }
  return out;
}

std::string pattern_of_parts(std::string_view layer, bool joined) {
  std::string out;
  for (const std::string& part : parts_of(layer)) out += (out.empty() ? "" : "|") + std::string(base::last_part(part));
  if (joined) out += (out.empty() ? "" : "|") + std::string(base::last_part(layer));
  return fmt::format("({})", out);
}

std::string with_parts(std::string pattern) {
  for (const PackedLayer& fusion : usual_packed_layers()) {
    const std::string parts = pattern_of_parts(fusion.name, false);
    const std::size_t at = pattern.find(fusion.name);
    if (at != std::string::npos) pattern.replace(at, fusion.name.size(), parts);
  }
  return pattern;
}

// GPTQModel writes `+:` and `-:` before patterns.
static std::string_view mark_of(std::string_view entry) {
  return entry.starts_with("+:") || entry.starts_with("-:") ? entry.substr(0, 2) : std::string_view();
}

std::string entry_for_joined(std::string_view entry, const std::string& layer, std::string_view prefix) {
  const std::string_view begin = prefix.empty() ? mark_of(entry) : prefix;
  if (!entry.starts_with(begin)) return {};
  const std::string_view pattern = entry.substr(begin.size());
  const std::vector<std::string> parts = parts_of(layer);
  std::vector<std::string> words;
  for (const std::string& part : parts) words.emplace_back(base::last_part(part));
  words.emplace_back(base::last_part(layer));
  const model::Matcher written{std::string(pattern)};
  for (const std::string& candidate : regex::with_alternatives(pattern, words)) {
    const model::Matcher matcher(candidate);
    const auto same = [&](const std::string& part) { return matcher.match(part) == written.match(part); };
    if (!matcher.error() && matcher.match(layer) == regex::Match::yes && std::ranges::all_of(parts, same)) {
      return fmt::format("{}{}", begin, candidate);
    }
  }
  return {};
}

std::vector<selectors::Module> runtime_modules(std::span<const model::Module> layers) {
  std::vector<selectors::Module> out;
  out.reserve(layers.size());
  for (const model::Module& layer : layers) {
    selectors::Module module{layer.name, layer.type, parts_of(layer.name)};
    if (layer.name == kHead) module.facts.add(selectors::Fact::head);
    if (layer.name.ends_with(kExperts)) module.facts.add(selectors::Fact::experts);
    out.push_back(std::move(module));
  }
  return out;
}

}  // namespace sparsecfg::dialect::quantizers
