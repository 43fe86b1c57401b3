#include "diff/courses.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "convert/masks.h"
#include "convert/weight_classes.h"
#include "source/span.h"
#include "timeline/evaluator.h"

namespace sparsecfg::diff {

using convert::Masker;
using timeline::Evaluator;

// Returns the absolute difference. A missing number and NaN differ infinitely from any number.
static double difference_of(const std::optional<double>& before, const std::optional<double>& after,
                            bool zero_if_missing) {
  const double one = before.value_or(0);
  const double other = after.value_or(0);
  if (source::is_same(one, other) && (zero_if_missing || before.has_value() == after.has_value())) {
    return 0;
  }
  const double difference = std::abs(one - other);
  return before && after && !std::isnan(difference) ? difference : std::numeric_limits<double>::infinity();
}

void Divergence::add(std::optional<Divergence>& divergence, const std::optional<double>& before,
                     const std::optional<double>& after, std::uint64_t step, bool zero_if_missing) {
  constexpr double kRounding = 1e-12;
  const double difference = difference_of(before, after, zero_if_missing);
  if (difference <= kRounding) {
    return;
  }
  if (!divergence) {
    divergence = Divergence{step, step, 0, {}, {}};
  }
  if (difference > divergence->most) {
    divergence->most = difference;
    divergence->at = step;
    divergence->before = before;
    divergence->after = after;
  }
}

// One recipe with its current masks.
class Side {
 public:
  Side(const ir::Recipe& recipe, const timeline::Run& run)
      : recipe_(recipe), evaluator_(recipe, run), masks_(recipe, evaluator_), acted_(recipe.actions.size(), false) {}

  std::uint64_t next_step() const { return evaluator_.next_step(); }

  void move_to(std::uint64_t step) {
    if (evaluator_.next_step() == step) {
      evaluator_.advance();
      masks_.follow();
      for (const timeline::Event& event : evaluator_.events()) acted_[event.action] = true;
    }
  }

  // Returns for each action whether it acted so far.
  std::vector<bool>& acted() { return acted_; }

  std::optional<double> sparsity_of(const std::vector<Masker>& maskers) const { return masks_.sparsity_of(maskers); }

  // Returns the sparsities of the masks that hold together, in ascending order. Empty if only one of them counts.
  std::vector<std::optional<double>> parts_of(const std::vector<Masker>& maskers) const {
    std::vector<std::optional<double>> out;
    if (maskers.size() < 2 || recipe_.overlap != ir::Overlap::all_hold) return out;
    for (const Masker& masker : maskers) out.push_back(masks_.sparsity_of({&masker, 1}));
    std::ranges::sort(out);
    return out;
  }

  // Returns true if the sparsity is exact. Masks that remove different elements have only bounds, and without the
  // classes of modules it is unknown whether a mask hides another one.
  bool is_exact(const std::vector<Masker>& maskers) const {
    const auto least = masks_.sparsity_of(maskers);
    if (maskers.size() < 2) return least.has_value();
    return least && *least == masks_.most_of(maskers) && std::ranges::all_of(maskers, &Masker::certain);
  }

  const timeline::Optimizer::Group& group(std::size_t at) const {
    const auto& groups = evaluator_.optimizer().groups();
    return groups[std::min(at, groups.size() - 1)];
  }

  std::size_t groups() const { return evaluator_.optimizer().groups().size(); }

  std::uint64_t work() const { return evaluator_.work_per_change(); }

  // Returns the number of events at the last step.
  std::size_t events() const { return evaluator_.events().size(); }

 private:
  const ir::Recipe& recipe_;
  Evaluator evaluator_;
  convert::Masks masks_;
  std::vector<bool> acted_;
};

// Weights with the same maskers in both recipes, and the result of their comparison.
struct ComparedWeights {
  std::vector<Masker> before;
  std::vector<Masker> after;
  Masked masked;
  bool measured = false;  // true if the sparsity is known at some step
};

// Returns the actions of the maskers, in document order. Maskers are sorted by action.
static std::vector<std::size_t> actions_of(const ir::Recipe& recipe, const std::vector<Masker>& maskers) {
  std::vector<std::size_t> out;
  for (const Masker& masker : maskers) {
    if (out.empty() || out.back() != masker.action) out.push_back(masker.action);
  }
  std::ranges::sort(out, {}, [&](std::size_t action) { return recipe.actions[action].origin.span; });
  return out;
}

class StepComparer {
 public:
  StepComparer(const ir::Recipe& before, const timeline::Run& run, const ir::Recipe& after,
               const timeline::Run& other_run, const std::vector<model::Module>* modules)
      : before_(before),
        after_(after),
        rated_steps_(std::min(run.steps(), other_run.steps())),
        one_(before, run),
        other_(after, other_run) {
    auto [weights, complete] = convert::weights_of(before, after, run, modules);
    if (run.parameters == nullptr && modules == nullptr) drop_plain_names(weights);
    if (!weights.empty()) classify(weights);
    out_.weights = weights.size();
    out_.all_patterns = complete;
  }

  StepComparison run() {
    if (out_.stopped) {
      return std::move(out_);
    }
    compare_at(0);
    timeline::WorkLimit limit(one_.work() + other_.work() + work_of_classes());
    for (std::uint64_t step = next(); step != timeline::kNever; step = next()) {
      if (!limit.take(one_.events() + other_.events())) {
        out_.stopped = step;
        break;
      }
      one_.move_to(step);
      other_.move_to(step);
      compare_at(step);
    }
    join();
    out_.acted = std::move(one_.acted());
    out_.other_acted = std::move(other_.acted());
    return std::move(out_);
  }

 private:
  // Removes an example if it also exists with the `module.` prefix of DataParallel.
  static void drop_plain_names(std::vector<convert::Weight>& weights) {
    std::set<std::string> names;
    for (const convert::Weight& weight : weights) names.insert(weight.name);
    std::erase_if(weights, [&](const convert::Weight& weight) { return names.contains("module." + weight.name); });
  }

  void classify(const std::vector<convert::Weight>& weights) {
    auto classes = convert::weight_classes(before_, after_, convert::WeightMatcher(weights));
    if (!classes) {
      out_.stopped = 0;
      out_.too_many_weights = true;
      return;
    }
    for (convert::WeightClass& each : *classes) {
      Masked masked;
      for (const std::uint32_t weight : each.weights) masked.weights.push_back(weights[weight].name);
      classes_.push_back({std::move(each.one), std::move(each.other), std::move(masked)});
    }
  }

  std::uint64_t next() const { return std::min(one_.next_step(), other_.next_step()); }

  // Skips a step at which a side still has events, so that values set at the first step are not compared before it.
  void compare_at(std::uint64_t step) {
    if (next() == step) {
      return;
    }
    for (ComparedWeights& each : classes_) {
      const auto before = one_.sparsity_of(each.before);
      const auto after = other_.sparsity_of(each.after);
      each.measured = each.measured || before || after;
      each.masked.unmeasured = each.masked.unmeasured || !one_.is_exact(each.before) || !other_.is_exact(each.after) ||
                               has_other_parts(each);
      Divergence::add(each.masked.divergence, before, after, step, true);
    }
    for (std::size_t at = 0; step < rated_steps_ && at < std::max(one_.groups(), other_.groups()); ++at) {
      out_.unknown_rate = out_.unknown_rate || !one_.group(at).rate || !other_.group(at).rate;
      Divergence::add(out_.rate, one_.group(at).rate, other_.group(at).rate, step);
      Divergence::add(out_.weight_decay, one_.group(at).weight_decay, other_.group(at).weight_decay, step);
    }
  }

  // Returns true if masks that hold together differ although the sparsity is the same: the larger mask hides the other
  // one, which still decides which elements are removed first.
  bool has_other_parts(const ComparedWeights& each) const {
    return each.before.size() == each.after.size() && one_.parts_of(each.before) != other_.parts_of(each.after);
  }

  // Returns the cost of comparing one step, in examined numbers.
  std::uint64_t work_of_classes() const {
    std::uint64_t work = 0;
    for (const ComparedWeights& each : classes_) work += convert::work_per_step(each.before, each.after);
    return work;
  }

  // Merges the results of weights that have the same actions.
  void join() {
    for (ComparedWeights& each : classes_) {
      each.masked.unmeasured = each.masked.unmeasured || !each.measured;
      each.masked.before = actions_of(before_, each.before);
      each.masked.after = actions_of(after_, each.after);
      const auto found = std::ranges::find_if(out_.masked, [&](const Masked& other) {
        return other.before == each.masked.before && other.after == each.masked.after &&
               other.divergence.has_value() == each.masked.divergence.has_value();
      });
      if (found == out_.masked.end()) {
        out_.masked.push_back(std::move(each.masked));
      } else {
        join(*found, each.masked);
      }
    }
  }

  static void join(Masked& masked, Masked& more) {
    std::ranges::move(more.weights, std::back_inserter(masked.weights));
    masked.unmeasured = masked.unmeasured || more.unmeasured;
    if (more.divergence && more.divergence->most > masked.divergence->most) {
      more.divergence->first = std::min(more.divergence->first, masked.divergence->first);
      masked.divergence = more.divergence;
    } else if (more.divergence) {
      masked.divergence->first = std::min(more.divergence->first, masked.divergence->first);
    }
  }

  const ir::Recipe& before_;
  const ir::Recipe& after_;
  std::uint64_t rated_steps_;
  Side one_;
  Side other_;
  std::vector<ComparedWeights> classes_;
  StepComparison out_;
};

StepComparison compare_timelines(const ir::Recipe& before, const timeline::Run& run, const ir::Recipe& after,
                                 const timeline::Run& other_run, const std::vector<model::Module>* modules) {
  return StepComparer(before, run, after, other_run, modules).run();
}

}  // namespace sparsecfg::diff
