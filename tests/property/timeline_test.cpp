// The evaluator, which jumps from change to change, against a plain one that asks every modifier
// at every step, as the framework does.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "base/number.h"
#include "rounds.h"
#include "timeline/evaluator.h"
#include "timeline/overview.h"
#include "timeline/writers.h"

using namespace sparsecfg;
using Rate = std::optional<double>;

namespace {

// One modifier with the flags that the framework keeps of it.
struct Plain {
  const ir::Action* action;
  bool started = false;
  bool ended = false;
  double last_update = -1;
  Rate sparsity;
  // torch's scheduler, once it is built
  bool built = false;
  long last_epoch = 0;
  long stepped = 0;
};

struct Group {
  Rate rate;
  Rate initial;
  bool scheduled = false;
};

class PlainRun {
 public:
  PlainRun(const ir::Recipe& recipe, std::uint64_t steps_per_epoch, Rate initial) : spe_(steps_per_epoch) {
    group_.rate = initial;
    for (const ir::Action& action : recipe.actions) {
      modifiers_.push_back({&action, false, false, -1, {}, false, 0, 0});
    }
  }

  void step(std::uint64_t n) {
    const double epoch = static_cast<double>(n / spe_) + static_cast<double>(n % spe_) / static_cast<double>(spe_);
    for (Plain& modifier : modifiers_) {
      step(modifier, epoch);
    }
  }

  Rate rate() const { return group_.rate; }

  Rate sparsity(std::size_t index) const { return modifiers_[index].sparsity; }

 private:
  void step(Plain& modifier, double epoch) {
    const ir::Cadence& cadence = modifier.action->cadence;
    const double start = cadence.start.value;
    const double end = cadence.end.value;
    const bool start_pending = !modifier.started && !modifier.ended && ((epoch >= start && start >= 0) || start == -1);
    const bool running = modifier.started || start_pending;
    const bool end_pending = running && !modifier.ended && end >= 0 && epoch >= end;
    bool next_step = false;
    if (cadence.every() && modifier.started && !modifier.ended && epoch > start) {
      next_step = cadence.every()->value == -1 ||
                  (modifier.last_update >= 0 && epoch >= modifier.last_update + cadence.every()->value);
    }
    if (start_pending || end_pending || next_step) {
      update(modifier, epoch, start_pending);
      modifier.last_update = epoch;
    }
    modifier.started = running;
    modifier.ended = modifier.ended || end_pending;
  }

  void update(Plain& modifier, double epoch, bool starting) {
    const ir::Action& action = *modifier.action;
    const double start = action.cadence.start.value;
    const double end = action.cadence.end.value;
    if (const auto* prune = std::get_if<ir::Prune>(&action.effect)) {
      modifier.sparsity = target(*prune, action.cadence, epoch);
    } else if (const auto* set = std::get_if<ir::SetLearningRate>(&action.effect); set != nullptr && starting) {
      group_.rate = set->rate.value;
    } else if (const auto* curve = std::get_if<ir::LearningRateCurve>(&action.effect)) {
      const double from = std::max(start, 0.0);
      const double x = (epoch - from) / (end - from);
      const double a = curve->from.value;
      const double b = curve->to.value;
      if (curve->kind == ir::LearningRateCurve::Kind::linear) {
        group_.rate = a + x * (b - a);
      } else {
        group_.rate =
            b < a ? (a - b) / 2 * (std::cos(M_PI * x) + 1) + b : (b - a) / 2 * (std::cos(M_PI * x + M_PI) + 1) + a;
      }
    } else if (const auto* scheduler = std::get_if<ir::TorchScheduler>(&action.effect)) {
      schedule(modifier, *scheduler, epoch);
    }
  }

  static Rate target(const ir::Prune& prune, const ir::Cadence& cadence, double epoch) {
    const double goal = prune.targets[0].sparsity.value;
    const double start = cadence.start.value;
    const double end = cadence.end.value;
    if (std::holds_alternative<ir::Alternation>(prune.curve)) {
      const double frequency = cadence.every()->value;
      const auto phase = static_cast<long>(std::floor((epoch - start) / frequency));
      return phase % 2 == 0 && end - frequency > epoch ? 0.0 : goal;
    }
    const auto& ramp = std::get<ir::Ramp>(prune.curve);
    const double p = (epoch - start) / (end - start);
    const double y = ramp.shape == ir::Shape::linear ? p : 1 - std::pow(1 - p, 3);
    const double from = ramp.from->value;
    return y <= 2.220446049250313e-16 ? from : y >= 1 - 2.220446049250313e-16 ? goal : y * (goal - from) + from;
  }

  void decay(const ir::TorchScheduler& scheduler, long at) {
    if (scheduler.kind == ir::TorchScheduler::Kind::step) {
      const long size = std::lrint(scheduler.step_size.value * static_cast<double>(spe_));
      if (at != 0 && at % size == 0 && group_.rate) *group_.rate *= scheduler.gamma;
      return;
    }
    for (const auto& milestone : scheduler.milestones) {
      const long next_step = std::lrint((milestone.value - current_start_) * static_cast<double>(spe_));
      if (next_step == at && group_.rate) *group_.rate *= scheduler.gamma;
    }
  }

  void schedule(Plain& modifier, const ir::TorchScheduler& scheduler, double epoch) {
    const double end = modifier.action->cadence.end.value;
    current_start_ = modifier.action->cadence.start.value;
    if (!modifier.built) {
      group_.rate = scheduler.initial_rate->value;
    }
    if (epoch <= 2.220446049250313e-16) {
      modifier.stepped -= 1;
      return;
    }
    if (end >= 0 && std::abs(end - epoch) <= 2.220446049250313e-16) {
      return;
    }
    const auto global = [&](double at) { return std::lrint(at * static_cast<double>(spe_)); };
    if (!modifier.built) {
      modifier.built = true;
      if (!group_.scheduled) {
        group_.scheduled = true;
        group_.initial = group_.rate;
      }
      decay(scheduler, 0);
      modifier.stepped += global(epoch);
    }
    const long until = end < 0 || epoch <= end ? global(epoch) : global(end);
    for (; modifier.stepped < until; ++modifier.stepped) {
      decay(scheduler, ++modifier.last_epoch);
    }
  }

  std::uint64_t spe_;
  double current_start_ = 0;
  std::vector<Plain> modifiers_;
  Group group_;
};

// Recipes with awkward numbers: off the grid, shorter than a step, open at an end.
class Maker {
 public:
  explicit Maker(unsigned seed) : random_(seed) {}

  std::uint64_t whole(std::uint64_t min, std::uint64_t max) {
    return std::uniform_int_distribution<std::uint64_t>(min, max)(random_);
  }

  double real(double min, double max) { return std::uniform_real_distribution<double>(min, max)(random_); }

  bool chance(double p) { return real(0, 1) < p; }

  double epoch(double min, double max) {
    const double value = real(min, max);
    return chance(0.4) ? std::floor(value) : chance(0.5) ? std::round(value * 10) / 10 : value;
  }

  ir::Recipe recipe() {
    ir::Recipe out{"sparseml", {}, {}, {}, std::nullopt};
    const std::uint64_t count = whole(1, 4);
    for (std::uint64_t at = 0; at < count; ++at) {
      ir::Action action = chance(0.5) ? pruner() : mover();
      action.origin.class_name = "Modifier";
      action.origin.ordinal = static_cast<int>(at) + 1;
      out.actions.push_back(std::move(action));
    }
    return out;
  }

 private:
  ir::Action pruner() {
    ir::Cadence cadence;
    cadence.start.value = epoch(0, 4);
    cadence.end.value = cadence.start.value + std::max(0.1, epoch(0, 5));
    if (chance(0.2)) {
      cadence.start.value = std::floor(cadence.start.value);
      cadence.end.value = std::ceil(cadence.end.value);
      cadence.rhythm = ir::SinceLastUpdate{ir::Located<double>{static_cast<double>(whole(1, 3)), {}}};
      return {ir::Prune{ir::Alternation{}, {{{0.9, {}}, {}}}, {}, "magnitude"}, cadence, {}};
    }
    constexpr double kFrequencies[] = {-1, 0, 0.1, 0.25, 0.3, 0.5, 1, 0.001, 7};
    const double every = chance(0.2) ? real(0.01, 2) : kFrequencies[whole(0, 8)];
    cadence.rhythm = ir::SinceLastUpdate{ir::Located<double>{every, {}}};
    const ir::Ramp ramp{ir::Located<double>{real(0, 0.5), {}}, chance(0.5) ? ir::Shape::linear : ir::Shape::cubic};
    return {ir::Prune{ramp, {{{real(0.3, 0.99), {}}, {}}}, {}, "magnitude"}, cadence, {}};
  }

  ir::Action mover() {
    ir::Cadence cadence;
    cadence.start.value = chance(0.2) ? -1 : epoch(0, 4);
    const double after = std::max(cadence.start.value, 0.0);
    cadence.end.value = after + std::max(0.3, epoch(0, 5));
    cadence.rhythm = ir::SinceLastUpdate{ir::Located<double>{-1, {}}};
    switch (whole(0, 3)) {
      case 0:
        cadence.end.value = ir::Cadence::kEndless;
        cadence.rhythm = ir::SinceLastUpdate{};
        return {ir::SetLearningRate{{real(0.001, 1), {}}, {}}, cadence, {}};
      case 1: {
        const auto kind = chance(0.5) ? ir::LearningRateCurve::Kind::linear : ir::LearningRateCurve::Kind::cosine;
        return {ir::LearningRateCurve{kind, {real(0, 1), {}}, {real(0, 1), {}}, {1, {}}, {}}, cadence, {}};
      }
      case 2: {
        ir::TorchScheduler scheduler;
        scheduler.kind = ir::TorchScheduler::Kind::step;
        scheduler.initial_rate = ir::Located<double>{real(0.01, 1), {}};
        scheduler.gamma = real(0.1, 0.9);
        scheduler.step_size = {real(1, 2), {}};
        if (chance(0.3)) cadence.end.value = ir::Cadence::kEndless;
        return {scheduler, cadence, {}};
      }
      default: {
        ir::TorchScheduler scheduler;
        scheduler.kind = ir::TorchScheduler::Kind::multi_step;
        scheduler.initial_rate = ir::Located<double>{real(0.01, 1), {}};
        scheduler.gamma = real(0.1, 0.9);
        for (int at = 0; at < 3; ++at) scheduler.milestones.push_back({cadence.start.value + real(0.05, 3), {}});
        cadence.end.value = ir::Cadence::kEndless;
        return {scheduler, cadence, {}};
      }
    }
  }

  std::mt19937 random_;
};

bool same(const Rate& a, const Rate& b, double tolerance) {
  return a.has_value() == b.has_value() && (!a || std::abs(*a - *b) <= tolerance * std::max(1.0, std::abs(*b)));
}

std::string cell(const Rate& value) { return "," + (value ? base::python_repr(*value) : std::string()); }

// The rows from `first` on as they are when each step is evaluated by itself.
std::string rows_of_steps(const ir::Recipe& recipe, const timeline::Run& run, std::uint64_t first) {
  timeline::Evaluator evaluator(recipe, run);
  std::string out = "step,epoch,lr";
  for (const timeline::Column& column : evaluator.columns()) out += "," + column.label;
  out += "\n";
  for (std::uint64_t step = 0; step <= run.steps(); ++step) {
    while (evaluator.next_step() <= step) evaluator.advance();
    if (step < first) continue;
    out += std::to_string(step) + cell(run.epoch_of(step)) + cell(evaluator.optimizer().groups().front().rate);
    for (const timeline::Column& column : evaluator.columns()) out += cell(evaluator.sparsities()[column.track]);
    out += "\n";
  }
  return out;
}

// The figures of a run as a walk over each of its changes gives them.
timeline::Overview figures_of_steps(const ir::Recipe& recipe, const timeline::Run& run, std::uint64_t most) {
  timeline::Evaluator evaluator(recipe, run);
  timeline::Overview out;
  out.phases.resize(recipe.actions.size());
  for (; evaluator.next_step() != timeline::kNever && out.followed < most; ++out.followed) {
    evaluator.advance();
    for (const timeline::Event& event : evaluator.events()) {
      timeline::Overview::Phase& phase = out.phases[event.action];
      phase.last = evaluator.step();
      ++phase.updates;
      if (phase.first_steps.size() < timeline::Overview::kRare) phase.first_steps.push_back(evaluator.step());
    }
    if (const Rate& rate = evaluator.optimizer().groups().front().rate; rate) {
      out.min_rate = std::min(out.min_rate.value_or(*rate), *rate);
      out.max_rate = std::max(out.max_rate.value_or(*rate), *rate);
    }
    out.last_rate = evaluator.optimizer().groups().front().rate;
  }
  out.complete = evaluator.next_step() == timeline::kNever;
  for (const timeline::Column& column : evaluator.columns())
    out.reached.push_back(evaluator.sparsities()[column.track]);
  return out;
}

bool same_figures(const timeline::Overview& a, const timeline::Overview& b) {
  const auto same_phase = [](const timeline::Overview::Phase& one, const timeline::Overview::Phase& other) {
    return one.last == other.last && one.updates == other.updates && one.first_steps == other.first_steps;
  };
  return std::ranges::equal(a.phases, b.phases, same_phase) && a.min_rate == b.min_rate && a.max_rate == b.max_rate &&
         a.last_rate == b.last_rate && a.reached == b.reached && a.followed == b.followed && a.complete == b.complete;
}

}  // namespace

TEST_CASE("a survey passes over updates at every step without losing any") {
  const auto kRecipes = static_cast<unsigned>(property_rounds(10'000));
  constexpr std::uint64_t kStepsPerEpoch[] = {1, 5, 13, 100, 601};
  for (unsigned seed = 0; seed < kRecipes; ++seed) {
    Maker maker(seed);
    const ir::Recipe recipe = maker.recipe();
    const timeline::Run run{kStepsPerEpoch[maker.whole(0, 4)], maker.epoch(1, 9), Rate(), nullptr};
    const std::uint64_t most = maker.chance(0.5) ? UINT64_MAX : maker.whole(0, 1000);
    INFO("recipe " << seed << ", " << run.steps_per_epoch << " steps per epoch, " << most << " changes");
    if (!same_figures(survey(recipe, run, most), figures_of_steps(recipe, run, most))) FAIL("the figures differ");
  }
}

TEST_CASE("jumping from change to change gives the numbers of every step") {
  const auto kRecipes = static_cast<unsigned>(property_rounds(10'000));
  std::uint64_t compared = 0;
  for (unsigned seed = 0; seed < kRecipes; ++seed) {
    Maker maker(seed);
    const ir::Recipe recipe = maker.recipe();
    const timeline::Run run{maker.whole(1, 13), maker.epoch(1, 9), maker.chance(0.5) ? Rate(0.1) : Rate(), nullptr};
    timeline::Evaluator evaluator(recipe, run);
    PlainRun plain(recipe, run.steps_per_epoch, run.initial_rate);
    for (std::uint64_t step = 0; step < run.steps(); ++step) {
      while (evaluator.next_step() <= step) {
        evaluator.advance();
      }
      plain.step(step);
      ++compared;
      INFO("recipe " << seed << ", step " << step << " of " << run.steps() << ", " << run.steps_per_epoch
                     << " steps per epoch");
      const Rate rate = evaluator.optimizer().groups().front().rate;
      if (!same(rate, plain.rate(), 1e-9)) {
        CAPTURE(rate.value_or(-9), plain.rate().value_or(-9));
        FAIL("the learning rates differ");
      }
      for (const timeline::Column& column : evaluator.columns()) {
        const Rate ours = evaluator.sparsities()[column.track];
        if (!same(ours, plain.sparsity(column.action), 1e-12)) {
          CAPTURE(column.label, ours.value_or(-9), plain.sparsity(column.action).value_or(-9));
          FAIL("the sparsities differ");
        }
      }
    }
  }
  CHECK(compared > 10 * kRecipes);
}

TEST_CASE("rows that are written in blocks are those of every step") {
  const auto kRecipes = static_cast<unsigned>(property_rounds(2'000));
  constexpr std::uint64_t kStepsPerEpoch[] = {1, 2, 7, 10, 100, 1000, 2500, 5003};
  for (unsigned seed = 0; seed < kRecipes; ++seed) {
    Maker maker(seed);
    const ir::Recipe recipe = maker.recipe();
    const timeline::Run run{kStepsPerEpoch[maker.whole(0, 7)], maker.epoch(1, 9), Rate(), nullptr};
    const std::uint64_t first = maker.chance(0.5) ? 0 : maker.whole(0, run.steps());
    std::string written;
    CHECK(timeline::write_csv(recipe, run, first, UINT64_MAX - 1, [&](std::string_view piece) {
      written += piece;
      return true;
    }));
    INFO("recipe " << seed << ", " << run.steps_per_epoch << " steps per epoch, from step " << first);
    if (written != rows_of_steps(recipe, run, first)) FAIL("the rows differ");
  }
}
