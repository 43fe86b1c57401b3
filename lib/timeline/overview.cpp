#include "timeline/overview.h"

#include <algorithm>

#include "timeline/factors.h"
#include "timeline/overall.h"

namespace sparsecfg::timeline {

static void note(Overview::Phase& phase, Event::Kind kind, std::uint64_t step) {
  switch (kind) {
    case Event::Kind::start: phase.start = step; break;
    case Event::Kind::update: break;
    case Event::Kind::end: phase.end = step; break;
    case Event::Kind::observers_off: phase.observers_off = step; break;
    case Event::Kind::batch_norm_frozen: phase.batch_norm_frozen = step; break;
  }
  phase.last = step;
  ++phase.updates;
  if (phase.first_steps.size() < Overview::kRare) phase.first_steps.push_back(step);
}

static void note_rate(Overview& overview, const std::optional<double>& rate, std::uint64_t step) {
  overview.last_rate = rate;
  if (!rate) {
    return;
  }
  overview.rate_known_from = std::min(overview.rate_known_from, step);
  overview.min_rate = std::min(overview.min_rate.value_or(*rate), *rate);
  overview.max_rate = std::max(overview.max_rate.value_or(*rate), *rate);
}

Overview survey(const ir::Recipe& recipe, const Run& run, std::uint64_t most_changes) {
  Evaluator evaluator(recipe, run);
  Overall overall(recipe, run, evaluator);
  Overview overview;
  overview.columns = evaluator.columns();
  overview.phases.resize(recipe.actions.size());
  const auto rate = [&] { return evaluator.optimizer().groups().front().rate; };
  if (evaluator.next_step() > 0) {
    note_rate(overview, rate(), 0);
  }
  std::uint64_t events_left = kMaxWork;
  for (; evaluator.next_step() != kNever; ++overview.followed) {
    if (overview.followed == most_changes || evaluator.events().size() > events_left) {
      overview.complete = false;
      break;
    }
    events_left -= evaluator.events().size();
    evaluator.advance();
    for (const Event& event : evaluator.events()) {
      note(overview.phases[event.action], event.kind, evaluator.step());
    }
    overall.follow(evaluator);
    note_rate(overview, rate(), evaluator.step());
  }
  for (const Column& column : overview.columns) {
    overview.reached.push_back(evaluator.sparsities()[column.track]);
  }
  overview.weights = overall.known() ? overall.elements() : 0;
  overview.overall = overall.known() ? overall.value() : std::nullopt;
  return overview;
}

Overview survey_for_people(const ir::Recipe& recipe, const Run& run, std::uint64_t most_changes) {
  const RatedRun rated(recipe, run);
  Overview overview = survey(recipe, rated.run, most_changes);
  overview.factors = rated.factors;
  return overview;
}

}  // namespace sparsecfg::timeline
