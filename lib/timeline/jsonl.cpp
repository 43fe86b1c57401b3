#include "timeline/writers.h"

#include <algorithm>

#include "base/number.h"
#include "ir/describe.h"
#include "source/json_number.h"
#include "timeline/overall.h"

namespace sparsecfg::timeline {

using Json = nlohmann::ordered_json;

static std::string line_of(const Json& json) { return json.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n"; }

static Json header(const ir::Recipe& recipe, const Run& run, const Evaluator& evaluator, const Overall& overall) {
  Json columns = Json::array();
  for (const Column& column : evaluator.columns()) {
    const ir::Origin& origin = recipe.actions[column.action].origin;
    Json entry = {{"label", column.label}, {"class", origin.class_name}, {"ordinal", origin.ordinal}};
    if (!column.unknown.empty()) entry["unknown"] = column.unknown;
    columns.push_back(entry);
  }
  Json out = {{"format", 1},          {"dialect", recipe.dialect},
              {"epochs", run.epochs}, {"steps_per_epoch", run.steps_per_epoch},
              {"steps", run.steps()}, {"initial_lr", source::json_number(run.initial_rate)},
              {"columns", columns}};
  if (overall.known()) {
    out["weights"] = overall.elements();
  }
  return out;
}

// Returns the state at a step, with events only if an action acted there.
static Json row_of(const ir::Recipe& recipe, const Run& run, const Evaluator& evaluator, const Overall& overall,
                   std::uint64_t step, bool acted) {
  Json rates = Json::array();
  Json decays = Json::array();
  for (const Optimizer::Group& group : evaluator.optimizer().groups()) {
    rates.push_back(source::json_number(group.rate));
    decays.push_back(source::json_number(group.weight_decay));
  }
  Json sparsities = Json::object();
  Json masks_off = Json::array();
  for (const Column& column : evaluator.columns()) {
    sparsities[column.label] = source::json_number(evaluator.sparsities()[column.track]);
    if (evaluator.is_off(column)) masks_off.push_back(column.label);
  }
  Json events = Json::array();
  for (const Event& event : acted ? evaluator.events() : std::vector<Event>()) {
    events.push_back(
        {{"action", ir::numbered_name(recipe.actions[event.action].origin)}, {"event", to_string(event.kind)}});
  }
  Json out = {
      {"step", step}, {"epoch", run.epoch_of(step)}, {"lr", rates}, {"weight_decay", decays}, {"sparsity", sparsities}};
  if (!masks_off.empty()) {
    out["masks_off"] = std::move(masks_off);
  }
  if (overall.known()) {
    out["overall"] = source::json_number(overall.value());
  }
  out["events"] = std::move(events);
  return out;
}

bool write_jsonl(const ir::Recipe& recipe, const Run& run, std::uint64_t first, std::uint64_t last, bool every_step,
                 const source::Write& write) {
  Evaluator evaluator(recipe, run);
  Overall overall(recipe, run, evaluator);
  last = std::min(last, run.steps());
  bool whole = write(line_of(header(recipe, run, evaluator, overall)));
  std::uint64_t row = first;
  while (whole && row <= last) {
    while (evaluator.next_step() <= row) {
      evaluator.advance();
      overall.follow(evaluator);
    }
    const bool acted = evaluator.step() == row && !evaluator.events().empty();
    whole = write(line_of(row_of(recipe, run, evaluator, overall, row, acted)));
    // The last row contains the values at the end of training.
    row = every_step || row == last ? row + 1 : std::min(evaluator.next_step(), last);
  }
  return whole;
}

}  // namespace sparsecfg::timeline
