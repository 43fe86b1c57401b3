#include "dialect/nni/write.h"

#include <fmt/core.h>
#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "base/text.h"
#include "dialect/nni/config.h"

namespace sparsecfg::dialect::nni {

void drop(ActionStatus& status, const ir::Action& action, std::string reason, diag::Sink& sink) {
  dialect::drop(status, action, "NNI", std::move(reason), sink);
}

// Returns the number of entries in the list of a configuration, or nullopt if it has several lists.
static std::optional<std::size_t> length_of(const source::Value& configuration) {
  const source::Value* found = configuration.find("config_list");
  const auto* list = (found == nullptr ? configuration : *found).get<source::List>();
  return list == nullptr ? std::nullopt : std::optional(list->size());
}

// Returns the list of an entry: "first" for "first[3]".
static std::string_view list_of(const ir::Action& action) {
  return std::string_view(action.origin.group).substr(0, action.origin.group.rfind('['));
}

// A file has one list, but a script may have several. Which of them is passed to NNI is only known at run time.
static bool is_left_out(const ir::Recipe& recipe, std::size_t index, const source::Value& configuration) {
  const auto length = length_of(configuration);
  return length && index >= *length && list_of(recipe.actions[index]) != list_of(recipe.actions.front());
}

static WriteResult rewrite(const ir::Recipe& recipe, diag::Sink& sink) {
  WriteResult out;
  auto read = stored_configuration(recipe.metadata);
  for (std::size_t index = 0; index < recipe.actions.size(); ++index) {
    const ir::Action& action = recipe.actions[index];
    out.statuses.push_back({index, ActionStatus::Kind::kept, "", links_to(action.effect, action.origin.ordinal)});
    if (!read) {
      drop(out.statuses.back(), action, "the schedule does not contain its original configuration", sink);
    } else if (is_left_out(recipe, index, read->configuration)) {
      drop(out.statuses.back(), action,
           fmt::format("a file can hold only one list, here `{}` of the script",
                       base::printable(list_of(recipe.actions.front()))),
           sink);
    }
  }
  if (read) {
    out.text = print(std::move(read->configuration));
    out.read_with = {{kReleaseOption.name, name_of(read->release)}};
  }
  return out;
}

WriteResult write(const ir::Recipe& recipe, const WriteOptions& options, diag::Sink& sink) {
  return options.own && !options.by_effects ? rewrite(recipe, sink) : translate(recipe, options, sink);
}

// Returns a PyTorch scheduler that scales the initial learning rate of the optimizer, which must not be 0.
static std::vector<std::string> scheduler_lines(const RateSchedule& rates, std::uint64_t steps_per_epoch) {
  std::string table;
  double first = 1;
  for (const RateChange& change : rates.changes) {
    if (table.empty() && change.rate > 0) first = change.rate;
    const double at =
        rates.whole_epochs ? change.epoch : std::nearbyint(change.epoch * static_cast<double>(steps_per_epoch));
    table += fmt::format("{}{}: {}", table.empty() ? "" : ", ", at, base::python_repr(change.rate));
  }
  const std::string_view unit = rates.whole_epochs ? "epoch" : "step";
  return {
      fmt::format("  # learning rates: the optimizer starts with {}; call scheduler.step() after each {}",
                  base::python_repr(first), unit),
      fmt::format("  rates = {{{}}}", table),
      fmt::format("  scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda {}: rates[max(k for k in rates if "
                  "k <= {})] / {})",
                  unit, unit, base::python_repr(first))};
}

std::vector<std::string> rate_lines(const ir::Recipe& recipe, const WriteOptions& options) {
  constexpr std::size_t kMaxChanges = 100;
  const auto& changes = options.rates.changes;
  const bool moves = std::ranges::any_of(
      recipe.actions, [](const ir::Action& action) { return ir::moves_learning_rate(action.effect); });
  if (!moves) {
    return {};
  }
  if (!options.rates.known || changes.empty()) {
    return {"  # learning rates: unknown; pass the initial learning rate with `--initial-lr`"};
  }
  if (changes.size() > kMaxChanges || !options.rates.complete) {
    return {"  # learning rates: see `sparsecfg timeline --format csv` for the rate of every step"};
  }
  return scheduler_lines(options.rates, options.read.steps_per_epoch.value_or(1));
}

}  // namespace sparsecfg::dialect::nni
