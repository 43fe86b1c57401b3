#include "picture/scene.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "base/overloaded.h"
#include "base/text.h"
#include "ir/describe.h"
#include "picture/thinner.h"
#include "timeline/overall.h"
#include "timeline/overview.h"

namespace sparsecfg::picture {

using timeline::Evaluator;
using timeline::Event;

// Maximum number of changes that are evaluated individually, distributed over the pixels. Beyond it, each pixel gets
// samples. The number of samples is lower if many actions are active at once.
constexpr std::uint64_t kMaxFollowed = 2'000'000;
constexpr std::uint64_t kMaxSamples = 500;

// --- phases -----------------------------------------------------------------------------------------

// Returns the label of an action that lasts over its whole window. Returns an empty string for learning rates and for
// actions without duration.
static std::string_view phase_of(const ir::Effect& effect) {
  const bool lasts = std::visit(
      []<class Each>(const Each&) {
        return base::AnyOf<Each, ir::Prune, ir::HoldMask, ir::Quantize, ir::SetTrainable, ir::Distill,
                           ir::ThresholdPrune, ir::Regularize>;
      },
      effect);
  return lasts ? ir::kind_of(effect) : std::string_view();
}

namespace {

// Collects the phases of a run from its events.
class Bands {
 public:
  Bands(const ir::Recipe& recipe, const timeline::Run& run) : recipe_(recipe), run_(run) {}

  void note(const Event& event, std::uint64_t step) {
    const ir::Action& action = recipe_.actions[event.action];
    const double epoch = run_.epoch_of(step);
    switch (event.kind) {
      case Event::Kind::start: open(event.action, phase_of(action.effect), epoch); break;
      case Event::Kind::update: break;
      case Event::Kind::observers_off: open(event.action, "observers frozen", epoch); break;
      case Event::Kind::batch_norm_frozen: open(event.action, "batch norm frozen", epoch); break;
      case Event::Kind::end: close(event.action, epoch); break;
    }
  }

  // Returns the epoch at which an action ended, or nullopt if it has not ended.
  std::optional<double> end_of(std::size_t action) const {
    const auto found = ends_.find(action);
    return found == ends_.end() ? std::nullopt : std::optional(found->second);
  }

  std::vector<Band> take() {
    std::vector<Band> out;
    std::ranges::stable_sort(bands_, {}, [&](const Band& band) { return recipe_.actions[band.action].origin.ordinal; });
    for (Band& band : bands_) {
      const auto same = std::ranges::find_if(out, [&](const Band& other) {
        return other.label == band.label && other.begin == band.begin && other.end == band.end;
      });
      if (same == out.end()) {
        out.push_back(std::move(band));
      } else {
        ++same->count;
      }
    }
    return out;
  }

 private:
  void open(std::size_t action, std::string_view label, double epoch) {
    if (!label.empty()) {
      bands_.push_back(
          {std::string(label), ir::printable_name(recipe_.actions[action].origin), action, epoch, run_.epochs});
    }
  }

  void close(std::size_t action, double epoch) {
    ends_[action] = epoch;
    for (Band& band : bands_) {
      if (band.action == action && band.end == run_.epochs) band.end = epoch;
    }
  }

  const ir::Recipe& recipe_;
  const timeline::Run& run_;
  std::vector<Band> bands_;
  std::map<std::size_t, double> ends_;  // epochs, by action
};

// --- curves -----------------------------------------------------------------------------------------

class Follower {
 public:
  Follower(const ir::Recipe& recipe, const timeline::Run& run, std::size_t dots)
      : recipe_(recipe),
        run_(run),
        evaluator_(recipe, run_),
        overall_(recipe, run_, evaluator_),
        bands_(recipe, run_),
        dots_(dots),
        dot_(run.epochs / static_cast<double>(dots)),
        tracks_(evaluator_.tracks(), Thinner(dot_)),
        rate_(dot_),
        all_(dot_) {}

  Scene run() {
    for (const timeline::Column& column : evaluator_.columns()) {
      if (!std::get<ir::Prune>(recipe_.actions[column.action].effect).hold_after_end) released_.push_back(&column);
    }
    add(0, true);
    follow();
    scene_.epochs = run_.epochs;
    scene_.steps = run_.steps();
    scene_.steps_per_epoch = run_.steps_per_epoch;
    scene_.has_rates = recipe_.has_rates;
    scene_.bands = bands_.take();
    take_sparsities();
    if (overall_.known()) scene_.overall = Series{"all weights", {}, {}, 0, all_.take()};
    Series rate{"learning rate", {}, {}, 0, rate_.take(), setters_of_rate()};
    if (rate.known()) scene_.rate = std::move(rate);
    return std::move(scene_);
  }

 private:
  void follow() {
    const std::uint64_t work = evaluator_.work_per_change() + timeline::WorkLimit::work_of(evaluator_.columns().size());
    const std::uint64_t for_a_dot = kMaxFollowed / dots_ / std::max<std::uint64_t>(work / 4, 1) + 1;
    const std::uint64_t samples = std::clamp<std::uint64_t>(timeline::kMaxWork / work / dots_ / 2, 1, kMaxSamples);
    const std::uint64_t steps = std::max<std::uint64_t>(run_.steps() / dots_, 1);
    timeline::WorkLimit limit(evaluator_.work_per_change());
    std::uint64_t changes = 0;  // in the current dot
    std::uint64_t dot = 0;
    while (evaluator_.next_step() != timeline::kNever && limit.take(evaluator_.events().size())) {
      evaluator_.advance();
      for (const Event& event : evaluator_.events()) bands_.note(event, evaluator_.step());
      overall_.follow(evaluator_);
      add(run_.epoch_of(evaluator_.step()), evaluator_.step() < run_.steps());
      changes = evaluator_.step() / steps == dot ? changes + 1 : 0;
      dot = evaluator_.step() / steps;
      if (changes > for_a_dot) skip(std::max<std::uint64_t>(steps / samples, 1));
    }
    if (evaluator_.next_step() != timeline::kNever) scene_.drawn_until = run_.epoch_of(evaluator_.step());
  }

  void skip(std::uint64_t steps) {
    scene_.sampled = true;
    evaluator_.skip_to(evaluator_.step() + steps);
  }

  // Adds the current values. A removed mask has no sparsity. A rate that is set after the last step is not used.
  void add(double epoch, bool trains) {
    values_ = evaluator_.sparsities();
    for (const timeline::Column* column : released_) {
      if (evaluator_.is_off(*column)) values_[column->track].reset();
    }
    for (std::size_t track = 0; track < tracks_.size(); ++track) tracks_[track].add(epoch, values_[track]);
    if (trains) rate_.add(epoch, evaluator_.optimizer().groups().front().rate);
    if (overall_.known()) all_.add(epoch, overall_.value());
  }

  // Returns the names of the actions that set the learning rate: "StepLR#1, SetLearningRate#3".
  std::string setters_of_rate() const {
    constexpr std::size_t kMaxNames = 3;
    std::vector<std::string> names;
    for (const ir::Action& action : recipe_.actions) {
      const std::string name = ir::printable_name(action.origin);
      if (ir::moves_learning_rate(action.effect) && std::ranges::find(names, name) == names.end()) {
        names.push_back(name);
      }
    }
    const std::size_t more = names.size() - std::min(names.size(), kMaxNames);
    names.resize(names.size() - more);
    return fmt::format("{}{}", fmt::join(names, ", "), more > 0 ? fmt::format(" and {} more", more) : "");
  }

  // Returns the state of the mask at the end, or the reason why the sparsity is unknown.
  std::string remark_of(const timeline::Column& column) const {
    const auto end = bands_.end_of(column.action);
    const ir::Action& action = recipe_.actions[column.action];
    const bool held = action.cadence.is<ir::SinceLastUpdate>() && std::get<ir::Prune>(action.effect).hold_after_end;
    if (evaluator_.is_off(column)) return end ? fmt::format("mask removed at {:.6g}", *end) : "mask removed";
    return end && held && *end < run_.epochs ? fmt::format("mask held from {:.6g}", *end) : column.unknown;
  }

  // Adds a series for each schedule. Columns with the same schedule share one series.
  void take_sparsities() {
    std::vector<std::size_t> place(tracks_.size(), SIZE_MAX);
    for (const timeline::Column& column : evaluator_.columns()) {
      const auto& prune = std::get<ir::Prune>(recipe_.actions[column.action].effect);
      const std::string selects = ir::selector_text(prune.targets[column.target].selector);
      if (place[column.track] == SIZE_MAX) {
        place[column.track] = scene_.sparsities.size();
        scene_.sparsities.push_back(
            {column.label, selects, remark_of(column), column.action, tracks_[column.track].take()});
      } else {
        Series& series = scene_.sparsities[place[column.track]];
        series.label += ", " + column.label;
        series.selects += ", " + selects;
      }
    }
  }

  const ir::Recipe& recipe_;
  const timeline::Run& run_;
  Evaluator evaluator_;
  timeline::Overall overall_;
  Bands bands_;
  std::size_t dots_;
  double dot_;
  std::vector<const timeline::Column*> released_;  // columns whose masks are removed at their ends
  std::vector<std::optional<double>> values_;      // by track; buffer for add()
  std::vector<Thinner> tracks_;
  Thinner rate_;
  Thinner all_;
  Scene scene_;
};

}  // namespace

Scene follow(const ir::Recipe& recipe, const timeline::Run& run, std::size_t dots) {
  const timeline::RatedRun rated(recipe, run);
  Scene scene = Follower(recipe, rated.run, dots).run();
  scene.factors = rated.factors;
  return scene;
}

}  // namespace sparsecfg::picture
