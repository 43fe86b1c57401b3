#include "dialect/foreign.h"

#include <algorithm>

#include "ir/clock.h"

namespace sparsecfg::dialect {

using source::Value;

// Update k has gone k - lag of the parts, so the way begins at update lag.
std::optional<Way> way_of(const ir::Counted& counted) {
  constexpr std::uint64_t kMostUpdates = 1'000'000;
  if (counted.times == 0 || counted.times > kMostUpdates || counted.times - counted.lag != counted.parts) {
    return std::nullopt;
  }
  const std::uint64_t last = counted.first + (counted.times - 1) * counted.every;
  const auto begin = static_cast<std::int64_t>(counted.first) + (static_cast<std::int64_t>(counted.lag) - 1) * static_cast<std::int64_t>(counted.every);
  if (counted.times == 1) {
    return Way{last, counted.every, last, true};
  }
  return begin < 0 ? std::nullopt : std::optional(Way{static_cast<std::uint64_t>(begin), counted.every, last, false});
}

bool ends_with_run(const ir::Cadence& cadence, const WriteOptions& options) {
  if (!cadence.counted || !options.epochs) {
    return false;
  }
  const std::uint64_t steps = cadence.counted->in_epochs ? 1 : options.read.steps_per_epoch.value_or(1);
  return cadence.counted->first + (cadence.counted->times - 1) * cadence.counted->every >= ir::steps_of(*options.epochs, steps);
}

bool masks_biases(const ir::Origin& origin) {
  const ir::OriginField* tensors = origin.find("target_names");
  const auto* names = tensors == nullptr ? nullptr : tensors->value.get<source::List>();
  return names == nullptr || names->empty() || std::ranges::find(*names, Value{std::string("bias"), {}}) != names->end();
}

static bool aligns(const Value& settings) {
  const auto* targets = settings.get<source::Map>();
  return targets != nullptr && std::ranges::any_of(*targets, [](const source::Entry& target) { return target.second.find("align") != nullptr; });
}

bool masks_nothing(const ir::Recipe& recipe, const ir::Action& action) {
  const ir::OriginField* settings = action.origin.find("target_settings");
  return recipe.dialect == "nni" && std::holds_alternative<ir::Opaque>(action.effect) && action.origin.find("align") == nullptr &&
         (settings == nullptr || !aligns(settings->value));
}

}  // namespace sparsecfg::dialect
