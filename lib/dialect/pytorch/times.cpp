#include "dialect/pytorch/entries.h"

#include <fmt/format.h>

#include <cmath>

namespace sparsecfg::dialect::pytorch {

static Text whole(double value) { return {fmt::format("{:.0f}", value)}; }

Text epochs_of(const ir::Cadence& cadence) {
  if (cadence.listed.empty()) {
    return call("range", {whole(cadence.start.value), whole(cadence.end.value),
                          whole(cadence.every ? cadence.every->value : 1)});
  }
  std::vector<Text> epochs;
  for (const auto& epoch : cadence.listed) {
    epochs.push_back(epoch.value == std::floor(epoch.value) ? whole(epoch.value) : number(epoch.value));
  }
  return list(std::move(epochs));
}

static Text counted(const ir::StepSchedule& steps) {
  std::vector<Text> arguments = {
      {std::to_string(steps.first)}, {std::to_string(steps.every)}, {std::to_string(steps.times)}};
  if (steps.lag != 0) arguments.push_back(named("lag", {std::to_string(steps.lag)}));
  if (steps.in_epochs) arguments.push_back(named("of_epochs", boolean(true)));
  return call("Steps", std::move(arguments));
}

static Text drifting(const ir::Cadence& cadence) {
  std::vector<Text> arguments = {number(cadence.start.value)};
  const bool updates = cadence.every.has_value();
  if (updates || cadence.end.value >= 0) arguments.push_back(number(cadence.end.value));
  if (updates) arguments.push_back(number(cadence.every->value));
  return call("Every", std::move(arguments));
}

static Text in_epochs(const ir::Cadence& cadence) {
  std::vector<Text> arguments = {epochs_of(cadence)};
  if (cadence.within > 0) arguments.push_back(named("within", {std::to_string(cadence.within)}));
  if (cadence.skips_first) arguments.push_back(named("late", boolean(true)));
  return call("Epochs", std::move(arguments));
}

Text when(const ir::Cadence& cadence, Parts& parts) {
  using Kind = ir::Cadence::Kind;
  switch (cadence.kind) {
    case Kind::since_last_update: parts.insert("Every"); return drifting(cadence);
    case Kind::per_batch:
      parts.insert("EachStep");
      return call("EachStep", {number(cadence.start.value), number(cadence.end.value)});
    case Kind::whole_epochs: parts.insert("Epochs"); return in_epochs(cadence);
    case Kind::counted: parts.insert("Steps"); return counted(*cadence.counted);
    case Kind::whole_steps: break;
  }
  return {};
}

Text phase(const ir::Cadence& cadence, bool ends, Parts& parts) {
  ir::Cadence window = cadence;
  window.kind = cadence.counted ? cadence.kind : ir::Cadence::Kind::since_last_update;
  window.every.reset();
  window.end.value = ends ? cadence.end.value : -1;
  return when(window, parts);
}

}  // namespace sparsecfg::dialect::pytorch
