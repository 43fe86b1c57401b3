#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "dialect/distiller/translate.h"
#include "dialect/write.h"
#include "ir/clock.h"

// Translates the pruners of other dialects to pruners and policies.
namespace sparsecfg::dialect::distiller {

using source::Value;

// Active epochs of a policy: every `every` epochs from `first` to `last`, inclusive.
struct Epochs {
  double first = 0;
  double last = 0;
  double every = 1;
  bool at_once = false;  // true if the first active epoch already has the final sparsity
};

std::optional<std::string> obstacle(const ir::Prune& prune) {
  using Kind = ir::Structure::Kind;
  if (prune.targets.empty()) {
    return "it selects no parameters";
  }
  if (prune.criterion.empty()) {
    return "the pruner is unknown; pass `--pruner`, or add `pruner: {class: ...}` above the list";
  }
  const auto* unknown_start = std::get_if<ir::Ramp>(&prune.curve);
  if (unknown_start != nullptr && !unknown_start->from) {
    return "it starts from the current sparsity of each weight";
  }
  const bool whole = prune.structure.kind == Kind::filter || prune.structure.kind == Kind::channel;
  const bool by_norm = whole && (prune.criterion == "l1" || prune.criterion == "l2");
  if ((prune.criterion != "magnitude" && !by_norm) || prune.global) {
    return "Distiller ranks weights only by magnitude and within one parameter";
  }
  const bool full = std::ranges::any_of(
      prune.targets, [](const ir::Target& target) { return target.sparsity.value >= 1 || target.sparsity.value < 0; });
  if (full) {
    return "Distiller requires a sparsity of at least 0 and below 1";
  }
  const bool flat = prune.structure.n == 1 || prune.structure.m == 1;
  if (prune.structure.kind == Kind::block && !flat) {
    return "blocks in Distiller have one row or one column";
  }
  return prune.structure.kind == Kind::n_of_m ? std::optional<std::string>("Distiller does not support N:M sparsity")
                                              : std::nullopt;
}

class PrunerTranslator {
 public:
  explicit PrunerTranslator(Translation& to)
      : recipe_(to.recipe),
        options_(to.options),
        sink_(to.sink),
        parameters_(to.parameters),
        out_(to.out),
        updates_left_(to.updates_left) {}

  void translate(std::size_t index, const ir::Prune& prune) {
    const ir::Action& action = recipe_.actions[index];
    ActionStatus& status = out_.statuses[index];
    if (const auto reason = obstacle(prune)) {
      return drop(status, action, *reason, sink_);
    }
    if (omits_weights(prune)) {
      return drop(status, action, "it prunes only biases, not weights", sink_);
    }
    if (counts_unknown_steps(action, options_)) {
      return drop_without_steps(status, action, "steps", "epochs", sink_);
    }
    const auto names = parameters_.names_of(action, prune, status);
    if (!names || !parameters_.fit(action, prune, *names, status)) {
      return;
    }
    if (std::ranges::all_of(*names, &source::List::empty)) {
      return drop(status, action, "it selects no parameters", sink_);
    }
    const auto epochs = is_cubic(prune) ? epochs_of(action, status) : std::nullopt;
    for (std::size_t target = 0; target < prune.targets.size(); ++target) {
      add_target(action, prune, target, epochs, (*names)[target], status);
    }
    if (status.kind != ActionStatus::Kind::dropped) {
      report_losses(options_.plan.of(index), action, prune, status);
    }
  }

 private:
  // `epochs` are those of a ramp; nullopt for other curves.
  void add_target(const ir::Action& action, const ir::Prune& prune, std::size_t target,
                  const std::optional<Epochs>& epochs, source::List names, ActionStatus& status) {
    const source::List small = extract_small(prune, target, names);
    for (const Value& name : small) {
      add_levels(action, prune, target, {name}, status);
    }
    if (!small.empty() && status.kind != ActionStatus::Kind::dropped) {
      approximate(status, action,
                  fmt::format("Distiller starts when the sparsity reaches one weight of `{}`",
                              base::printable(source::python_str(small.front()))));
    }
    const bool wanted = !names.empty() && status.kind != ActionStatus::Kind::dropped;
    if (wanted && epochs && rises(prune, target)) {
      add(prune, target, *epochs, names, status);
    } else if (wanted) {
      add_levels(action, prune, target, names, status);
    }
  }

  // Removes and returns the parameters for which the initial sparsity is less than one weight, where Distiller fails.
  source::List extract_small(const ir::Prune& prune, std::size_t target, source::List& names) const {
    const auto* from = ir::initial_sparsity(prune.curve);
    const double goal = prune.targets[target].sparsity.value;
    const double first = from != nullptr && from->value > 0 ? std::min(from->value, goal) : goal;
    source::List small;
    for (std::size_t at = names.size(); at-- > 0;) {
      if (prune.structure.kind == ir::Structure::Kind::unstructured && is_none(first, names[at])) {
        small.insert(small.begin(), names[at]);
        names.erase(names.begin() + static_cast<std::ptrdiff_t>(at));
      }
    }
    return small;
  }

  // Returns true if a sparsity is less than one weight of a parameter of known shape.
  bool is_none(double sparsity, const Value& name) const {
    const auto elements = parameters_.elements_of(source::python_str(name));
    constexpr double kLowered = 1e-12;  // tolerance, because a ramp may start this much lower
    return elements && (sparsity - kLowered) * *elements < 1;
  }

  static bool rises(const ir::Prune& prune, std::size_t target) {
    const auto* from = ir::initial_sparsity(prune.curve);
    return from == nullptr || from->value <= prune.targets[target].sparsity.value;
  }

  // Returns true for a cubic ramp, and for a constant, which is a ramp without change.
  static bool is_cubic(const ir::Prune& prune) {
    const auto* ramp = std::get_if<ir::Ramp>(&prune.curve);
    const auto* power = std::get_if<ir::PowerRamp>(&prune.curve);
    const auto* from = ir::initial_sparsity(prune.curve);
    const bool constant = from != nullptr && std::ranges::all_of(prune.targets, [&](const ir::Target& target) {
                            return target.sparsity.value == from->value;
                          });
    return constant || (ramp != nullptr && ramp->shape == ir::Shape::cubic) ||
           (power != nullptr && power->decays && power->exponent == 3) ||
           std::holds_alternative<ir::EpochCurve>(prune.curve);
  }

  // Returns the epochs of a ramp, from the epoch at 0 % to the epoch at 100 %. A SparseML ramp may have started before
  // training.
  std::optional<Epochs> exact_epochs(const ir::Cadence& cadence) const {
    const double start = std::max(cadence.start.value, 0.0);
    const double every = std::max(cadence.every_or(0), 0.0);
    if (cadence.is<ir::SinceLastUpdate>() && cadence.ends() && cadence.end.value > 0) {
      return cadence.start.value < 0 ? std::nullopt : std::optional(Epochs{start, cadence.end.value, every});
    }
    if (cadence.is<ir::WholeEpochs>() && cadence.listed().empty() && cadence.ends()) {
      return Epochs{start, start + ir::epochs_passed(start, cadence.end.value, every), every};
    }
    const auto way = cadence.counted() != nullptr ? as_update_ramp(*cadence.counted()) : std::nullopt;
    if (!way) {
      return std::nullopt;
    }
    const double steps =
        cadence.counted()->in_epochs ? 1 : static_cast<double>(options_.read.steps_per_epoch.value_or(1));
    return Epochs{static_cast<double>(way->begin) / steps, static_cast<double>(way->last) / steps,
                  static_cast<double>(way->every) / steps, way->at_once};
  }

  // Returns the epochs of a ramp between whole epochs; nullopt if it is not a ramp or acts only once.
  std::optional<Epochs> epochs_of(const ir::Action& action, ActionStatus& status) {
    const auto exact = exact_epochs(action.cadence);
    const bool whole =
        exact && std::nearbyint(exact->first) == exact->first && std::nearbyint(exact->last) == exact->last;
    if (!whole || exact->at_once || exact->last <= exact->first) {
      return std::nullopt;
    }
    Epochs epochs{exact->first, exact->last, std::max(std::nearbyint(exact->every), 1.0)};
    if (exact->every > epochs.every || std::fmod(epochs.last - epochs.first, epochs.every) != 0) {
      return std::nullopt;
    }
    if (epochs.every != exact->every) {
      approximate(status, action, "Distiller prunes only at the start of an epoch");
    }
    return epochs;
  }

  void add(const ir::Prune& prune, std::size_t target, Epochs epochs, const source::List& names, ActionStatus& status) {
    const double last = prune.targets[target].sparsity.value;
    double first = ir::initial_sparsity(prune.curve)->value;
    const double span = epochs.last - epochs.first;
    // A ramp from 0 fails in Distiller. The rest of a cubic ramp after its second value is again a cubic ramp.
    if (first <= 0 && last > 0 && span <= epochs.every) {
      first = last;
      epochs = {epochs.last, epochs.last, 1};
    } else if (first <= 0 && last > 0) {
      first = last + (first - last) * std::pow((span - epochs.every) / span, 3);
      epochs.first += epochs.every;
    }
    add_policy(prune, target, first, last, names,
               {{word("starting_epoch"), whole_number(epochs.first)},
                {word("ending_epoch"), whole_number(epochs.last + 1)},
                {word("frequency"), whole_number(epochs.every)}},
               status);
  }

  void add_policy(const ir::Prune& prune, std::size_t target, double first, double last, const source::List& names,
                  source::Map epochs, ActionStatus& status) {
    const std::string name = "pruner_" + std::to_string(out_.policies.size() + 1);
    out_.components.push_back(pruner_of(prune, name, first, last, names));
    out_.policies.push_back({Section::pruners, name, {}, std::move(epochs)});
    status.links.push_back({target, static_cast<int>(out_.policies.size()), 0});
  }

  // --- other curves: one level for each epoch that starts with a new sparsity --------------------------

  struct Level {
    std::uint64_t epoch = 0;
    double sparsity = 0;
  };

  void add_levels(const ir::Action& action, const ir::Prune& prune, std::size_t target, const source::List& names,
                  ActionStatus& status) {
    constexpr std::size_t kMaxLevels = 1000;
    const auto updates = ir::updates_of(action.cadence, prune.curve, prune.targets[target].sparsity.value,
                                        options_.steps_per_epoch, updates_left_);
    if (!updates) {
      return drop(status, action,
                  "its updates depend on values that are not in the schedule, or it has more updates than are "
                  "evaluated",
                  sink_);
    }
    std::vector<Level> levels = levels_of(*updates);
    const auto removes = [&](const Level& level) {
      return prune.structure.kind != ir::Structure::Kind::unstructured ||
             std::ranges::none_of(names, [&](const Value& name) { return is_none(level.sparsity, name); });
    };
    levels.erase(levels.begin(), std::ranges::find_if(levels, removes));
    // Weights that are 0 stay the smallest ones, so a lower level does not restore them.
    const bool falls = !std::ranges::is_sorted(levels, {}, &Level::sparsity) ||
                       std::ranges::any_of(levels, [](const Level& level) { return level.sparsity <= 0; });
    if (falls || levels.size() > kMaxLevels) {
      return drop(
          status, action,
          falls ? "its sparsity falls, but Distiller does not restore weights" : "it requires more than 1000 pruners",
          sink_);
    }
    const auto within = [&](const ir::Update& update) { return update.step % options_.steps_per_epoch != 0; };
    if (std::ranges::any_of(*updates, within) && status.kind == ActionStatus::Kind::kept) {
      approximate(status, action, "Distiller prunes only at the start of an epoch");
    }
    for (const Level& level : levels) {
      const auto epoch = static_cast<std::int64_t>(level.epoch);
      add_policy(prune, target, level.sparsity, level.sparsity, names,
                 {{word("epochs"), {source::List{{epoch, {}}}, {}}}}, status);
    }
  }

  // Returns the levels from the first mask on.
  std::vector<Level> levels_of(const std::vector<ir::Update>& updates) const {
    std::vector<Level> levels;
    double last = 0;
    for (const ir::Update& update : updates) {
      const std::uint64_t epoch = (update.step + options_.steps_per_epoch - 1) / options_.steps_per_epoch;
      if (!levels.empty() && levels.back().epoch == epoch) {
        levels.pop_back();
        last = levels.empty() ? 0 : levels.back().sparsity;
      }
      if (update.sparsity != last) {
        levels.push_back({epoch, update.sparsity});
        last = update.sparsity;
      }
    }
    return levels;
  }

  // --- approximations --------------------------------------------------------------------------------------

  void approximate(ActionStatus& status, const ir::Action& action, std::string_view reason) {
    dialect::approximate(status, action, reason, sink_);
  }

  void report_losses(const ActionPlan& plan, const ir::Action& action, const ir::Prune& prune, ActionStatus& status) {
    if (prune.structure.kind != ir::Structure::Kind::unstructured && prune.criterion == "magnitude") {
      approximate(status, action, "Distiller ranks structures by a different norm");
    }
    if (!prune.hold_after_end && plan.lost.empty()) {
      dialect::report(status, sink_, diag::field_dropped, action.origin.span, "hold_after_end",
                      action.origin.class_name, "Distiller");
      status.approximate("masks are kept after the end");
    }
    report_unsupported(plan, action, prune, options_, "Distiller", status, sink_);
  }

  const ir::Recipe& recipe_;
  const WriteOptions& options_;
  diag::Sink& sink_;
  ParameterNames& parameters_;
  Draft& out_;
  std::size_t& updates_left_;
};

void translate_pruner(Translation& translation, std::size_t index, const ir::Prune& prune) {
  PrunerTranslator(translation).translate(index, prune);
}

}  // namespace sparsecfg::dialect::distiller
