#include "outcome/words.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace sparsecfg::outcome {

std::string pruned_amount(const ir::PruneOnce& prune) {
  if (!prune.sparsity) return prune.mask.empty() ? "a sparsity for each layer" : prune.mask;
  const std::string amount = fmt::format("{:.4g} %", *prune.sparsity * 100);
  return prune.mask.empty() ? amount : fmt::format("{} in {}", amount, prune.mask);
}

std::string pruning_text(const Outcome& outcome, const State& state) {
  const auto* prune = state.pruned ? outcome.as<ir::PruneOnce>(*state.pruned) : nullptr;
  return prune == nullptr ? "not pruned"
                          : fmt::format("pruned to {} by {}", pruned_amount(*prune), prune->method.text());
}

std::string cache_text(const ir::CacheScheme& cache) {
  const auto text = [](const std::optional<ir::TensorFormat>& format) {
    return format ? ir::describe(*format) : std::string("16 bits");
  };
  return cache.keys == cache.values ? text(cache.keys)
                                    : fmt::format("keys {}, values {}", text(cache.keys), text(cache.values));
}

std::string cache_text(const Outcome& outcome, const State& state) {
  const auto* cache = state.cached ? outcome.as<ir::CacheScheme>(*state.cached) : nullptr;
  return cache == nullptr ? "16 bits" : cache_text(*cache);
}

std::string transform_text(const Outcome& outcome, const Step& step) {
  static constexpr std::string_view kVerbs[] = {"smoothed", "rotated", "changed"};
  const auto* transform = outcome.as<ir::Transform>(step);
  return fmt::format("{} by {}", kVerbs[static_cast<std::size_t>(transform->kind)], transform->method.text());
}

ir::Scheme stored_part(ir::Scheme scheme) {
  for (auto* formats : {&scheme.weights, &scheme.inputs, &scheme.outputs}) {
    for (ir::TensorFormat& format : *formats) {
      format.observer.clear();
      format.order.clear();
    }
  }
  return scheme;
}

std::string layers_text(const std::vector<std::uint32_t>& names, const std::vector<model::Module>& modules) {
  if (names.size() == 1) return base::printable(modules[names.front()].name);
  const auto last = [&](std::uint32_t name) { return base::last_part(modules[name].name); };
  const bool alike = std::ranges::all_of(names, [&](std::uint32_t name) { return last(name) == last(names.front()); });
  return fmt::format("{} {}", names.size(), alike ? base::printable(last(names.front())) : "layers");
}

}  // namespace sparsecfg::outcome
