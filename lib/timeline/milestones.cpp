#include <algorithm>
#include <set>

#include "timeline/overview.h"

namespace sparsecfg::timeline {

namespace {

// Steps by category, the most important first.
struct Candidates {
  std::set<std::uint64_t> limits;    // starts and ends of actions
  std::set<std::uint64_t> rare;      // steps of actions that act only a few times, and of rates that change so rarely
  std::set<std::uint64_t> quarters;  // quarters of continuous changes
};

// The steps of a table while it is being filled.
class Selection {
 public:
  Selection(std::uint64_t first, std::uint64_t last, std::size_t most)
      : first_(first), last_(last), most_(most), chosen_({first, last}) {}

  // Adds the steps in the window, or as many as there is room for, evenly spread.
  void add(const std::set<std::uint64_t>& steps) {
    std::vector<std::uint64_t> fresh;
    std::ranges::copy_if(steps, std::back_inserter(fresh),
                         [&](std::uint64_t step) { return first_ < step && step < last_ && !chosen_.contains(step); });
    const std::size_t room = std::min(fresh.size(), most_ - std::min(most_, chosen_.size()));
    for (std::size_t at = 0; at < room; ++at) chosen_.insert(fresh[at * fresh.size() / room]);
  }

  [[nodiscard]] std::vector<std::uint64_t> steps() const { return {chosen_.begin(), chosen_.end()}; }

 private:
  std::uint64_t first_;
  std::uint64_t last_;
  std::size_t most_;
  std::set<std::uint64_t> chosen_;
};

}  // namespace

// Returns a step of a phase: for a long phase the whole epoch that is nearest to it.
static std::uint64_t rounded(std::uint64_t step, std::uint64_t length, std::uint64_t steps_per_epoch) {
  constexpr std::uint64_t kLong = 8;  // epochs
  return length < kLong * steps_per_epoch ? step : (step + steps_per_epoch / 2) / steps_per_epoch * steps_per_epoch;
}

// `few_rates`: true if all changes of the rate are candidates anyway.
static void add_phase(const Overview::Phase& phase, bool few_rates, const Run& run, Candidates& out) {
  for (const auto& step : {phase.start, phase.end}) {
    if (step) out.limits.insert(*step);
  }
  for (const auto& step : {phase.observers_off, phase.batch_norm_frozen}) {
    if (step) out.rare.insert(*step);
  }
  if (phase.updates <= Overview::kRare) {
    out.rare.insert(phase.first_steps.begin(), phase.first_steps.end());
    return;
  }
  if (phase.sets_rate && few_rates) {
    return;
  }
  const std::uint64_t begin = phase.first_steps.front();
  const std::uint64_t length = *phase.last - begin;
  for (const std::uint64_t quarter : {1U, 2U, 3U}) {
    out.quarters.insert(rounded(begin + length / 4 * quarter + length % 4 * quarter / 4, length, run.steps_per_epoch));
  }
  out.quarters.insert(*phase.last);
}

std::vector<std::uint64_t> milestones(const Overview& overview, const Run& run, std::uint64_t first, std::uint64_t last,
                                      std::size_t most) {
  Candidates candidates;
  const bool few_rates = overview.rate_changes.size() <= Overview::kFewRates;
  if (few_rates) candidates.rare.insert(overview.rate_changes.begin(), overview.rate_changes.end());
  for (const Overview::Phase& phase : overview.phases) {
    if (phase.updates > 0) add_phase(phase, few_rates, run, candidates);
  }
  Selection selection(first, last, most);
  for (const auto* steps : {&candidates.limits, &candidates.rare, &candidates.quarters}) selection.add(*steps);
  return selection.steps();
}

}  // namespace sparsecfg::timeline
