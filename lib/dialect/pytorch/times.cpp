#include "dialect/pytorch/entries.h"

#include <fmt/format.h>

#include <cmath>

#include "base/overloaded.h"

namespace sparsecfg::dialect::pytorch {

static Text whole(double value) { return {fmt::format("{:.0f}", value)}; }

Text epochs_of(const ir::Cadence& cadence) {
  if (cadence.listed().empty()) {
    return call("range", {whole(cadence.start.value), whole(cadence.end.value), whole(cadence.every_or(1))});
  }
  std::vector<Text> epochs;
  for (const auto& epoch : cadence.listed()) {
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
  const bool updates = cadence.every() != nullptr;
  if (updates || cadence.ends()) arguments.push_back(number(cadence.end_or(-1)));
  if (updates) arguments.push_back(number(cadence.every()->value));
  return call("Every", std::move(arguments));
}

static Text in_epochs(const ir::Cadence& cadence, const ir::WholeEpochs& epochs) {
  std::vector<Text> arguments = {epochs_of(cadence)};
  if (epochs.within > 0) arguments.push_back(named("within", {std::to_string(epochs.within)}));
  if (epochs.skips_first) arguments.push_back(named("late", boolean(true)));
  return call("Epochs", std::move(arguments));
}

Text when(const ir::Cadence& cadence, Parts& parts) {
  const auto with = [&](std::string_view part, Text text) {
    parts.insert(std::string(part));
    return text;
  };
  return std::visit(
      base::Overloaded{
          [&](const ir::SinceLastUpdate&) { return with("Every", drifting(cadence)); },
          [&](const ir::PerBatch&) {
            return with("EachStep", call("EachStep", {number(cadence.start.value), number(cadence.end_or(-1))}));
          },
          [&](const ir::WholeEpochs& epochs) { return with("Epochs", in_epochs(cadence, epochs)); },
          [&](const ir::Counted& steps) { return with("Steps", counted(steps.schedule)); },
          [](const ir::WholeSteps&) { return Text(); },
      },
      cadence.rhythm);
}

ir::Cadence at_every_step(ir::Cadence cadence) {
  if (cadence.is<ir::SinceLastUpdate>()) cadence.rhythm = ir::SinceLastUpdate{{{-1, {}}}};
  return cadence;
}

Text phase(const ir::Cadence& cadence, bool ends, Parts& parts) {
  ir::Cadence window = cadence.as_phase();
  if (!ends) window.end.value = ir::Cadence::kEndless;
  return when(window, parts);
}

}  // namespace sparsecfg::dialect::pytorch
