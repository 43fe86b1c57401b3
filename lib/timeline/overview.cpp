#include "timeline/overview.h"

#include <algorithm>
#include <utility>

#include "timeline/evaluator.h"
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

// A rate that is set after the last step is not among the rates of the run.
static void note_rate(Overview& overview, const std::optional<double>& rate, std::uint64_t step, const Run& run) {
  const bool changed = overview.last_rate && rate != overview.last_rate;
  if (changed && overview.rate_changes.size() <= Overview::kFewRates) overview.rate_changes.push_back(step);
  overview.last_rate = rate;
  if (!rate || (step > 0 && step >= run.steps())) {
    return;
  }
  overview.rate_known_from = std::min(overview.rate_known_from, step);
  overview.min_rate = std::min(overview.min_rate.value_or(*rate), *rate);
  overview.max_rate = std::max(overview.max_rate.value_or(*rate), *rate);
}

static bool sets_rate(const ir::Effect& effect) {
  return std::holds_alternative<ir::SetLearningRate>(effect) || std::holds_alternative<ir::LearningRateCurve>(effect) ||
         std::holds_alternative<ir::TorchScheduler>(effect) || std::holds_alternative<ir::EpochScheduler>(effect);
}

namespace {

// Follows a run from change to change. Evaluates only the rates in ranges where the same actions act at every step.
class Survey {
 public:
  Survey(const ir::Recipe& recipe, const Run& run) : evaluator_(recipe, run), overall_(recipe, run, evaluator_) {
    overview_.columns = evaluator_.columns();
    for (const ir::Action& action : recipe.actions) {
      overview_.phases.emplace_back().sets_rate = sets_rate(action.effect);
    }
    if (evaluator_.next_step() > 0) {
      note_rate(overview_, rate(), 0, evaluator_.run());
    }
  }

  Overview follow(std::uint64_t most_changes) {
    while (evaluator_.next_step() != kNever) {
      if (changes_left(most_changes) == 0 || !limit_.take(0)) {
        overview_.complete = false;
        break;
      }
      const std::uint64_t steady_until = evaluator_.steady_until();
      take_events(1);
      evaluator_.advance();
      note_change();
      if (evaluator_.step() + 1 < steady_until) {
        pass(std::min(steady_until - evaluator_.step() - 1, changes_left(most_changes)));
      }
    }
    finish();
    return std::move(overview_);
  }

 private:
  static constexpr std::uint64_t kBlock = 256;  // rates computed at a time

  [[nodiscard]] const std::optional<double>& rate() const { return evaluator_.optimizer().groups().front().rate; }

  // Returns how many more changes may be followed, each with as many events as the last one.
  [[nodiscard]] std::uint64_t changes_left(std::uint64_t most_changes) const {
    const std::uint64_t left = most_changes - overview_.followed;
    return evaluator_.events().empty() ? left : std::min(left, events_left_ / evaluator_.events().size());
  }

  void take_events(std::uint64_t changes) {
    events_left_ -= changes * evaluator_.events().size();
    overview_.followed += changes;
  }

  void note_events(std::uint64_t step) {
    for (const Event& event : evaluator_.events()) note(overview_.phases[event.action], event.kind, step);
  }

  void note_change() {
    note_events(evaluator_.step());
    overall_.follow(evaluator_);
    note_rate(overview_, rate(), evaluator_.step(), evaluator_.run());
  }

  // Skips changes that have the events of the last one, one at each of the next steps.
  void pass(std::uint64_t changes) {
    if (changes == 0) {
      return;
    }
    const std::uint64_t first = evaluator_.step() + 1;
    const std::uint64_t last = evaluator_.step() + changes;
    const std::uint64_t noted = std::min<std::uint64_t>(changes - 1, Overview::kRare);
    take_events(changes);
    for (std::uint64_t step = first; step < first + noted; ++step) note_events(step);
    for (const Event& event : evaluator_.events()) overview_.phases[event.action].updates += changes - 1 - noted;
    note_rates(first, last);
    evaluator_.move_to(last);
    note_change();
  }

  // If several actions set the rate in one step, the last one wins.
  void note_rates(std::uint64_t first, std::uint64_t end) {
    const std::vector<Series> all = evaluator_.steady_series();
    const auto series = std::find_if(all.rbegin(), all.rend(), [](const Series& each) { return !each.track; });
    if (series == all.rend()) {
      return;
    }
    for (std::uint64_t step = first; step < end; step += kBlock) {
      const auto count = static_cast<std::size_t>(std::min(kBlock, end - step));
      epochs_.resize(count);
      rates_.resize(count);
      ir::epochs_from(step, evaluator_.run().steps_per_epoch, epochs_);
      evaluator_.values_of(*series, epochs_, rates_);
      for (std::size_t at = 0; at < count; ++at) note_rate(overview_, rates_[at], step + at, evaluator_.run());
    }
  }

  void finish() {
    for (const Column& column : overview_.columns) {
      overview_.reached.push_back(evaluator_.sparsities()[column.track]);
    }
    overview_.weights = overall_.known() ? overall_.elements() : 0;
    overview_.overall = overall_.known() ? overall_.value() : std::nullopt;
  }

  Evaluator evaluator_;
  Overall overall_;
  Overview overview_;
  std::uint64_t events_left_ = kMaxWork;
  WorkLimit limit_{evaluator_.work_per_change() / 16};  // examining one stepper costs a sixteenth of a comparison
  std::vector<double> epochs_;                          // of several steps
  std::vector<std::optional<double>> rates_;
};

}  // namespace

Overview survey(const ir::Recipe& recipe, const Run& run, std::uint64_t most_changes) {
  return Survey(recipe, run).follow(most_changes);
}

Overview survey_for_display(const ir::Recipe& recipe, const Run& run, std::uint64_t most_changes) {
  const RatedRun rated(recipe, run);
  Overview overview = survey(recipe, rated.run, most_changes);
  overview.factors = rated.factors;
  return overview;
}

static bool only_epoch_schedulers(const ir::Recipe& recipe) {
  const auto moves = [](const ir::Action& action) { return ir::moves_learning_rate(action.effect); };
  return std::ranges::any_of(recipe.actions, moves) &&
         std::ranges::all_of(recipe.actions, [&](const ir::Action& action) {
           return !moves(action) || std::holds_alternative<ir::EpochScheduler>(action.effect);
         });
}

// If all rates are factors, doubling the trainer's rate exactly doubles every rate.
bool rates_are_factors(const ir::Recipe& recipe, const Run& run) {
  if (run.initial_rate || !recipe.has_rates || !only_epoch_schedulers(recipe)) {
    return false;
  }
  Run one = run;
  Run two = run;
  one.initial_rate = 1;
  two.initial_rate = 2;
  Evaluator first(recipe, one);
  Evaluator second(recipe, two);
  constexpr std::uint64_t kEnough = 100'000;
  const std::uint64_t most = kEnough / first.work_per_change();
  for (std::uint64_t change = 0; change < most && first.next_step() != kNever; ++change) {
    first.advance();
    second.advance();
    const auto& rate = first.optimizer().groups().front().rate;
    const auto& twice = second.optimizer().groups().front().rate;
    if (!rate || !twice || *twice != 2 * *rate) return false;
  }
  return true;
}

}  // namespace sparsecfg::timeline
