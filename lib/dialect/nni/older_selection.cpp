#include "dialect/nni/read.h"

#include <algorithm>
#include <iterator>
#include <unordered_set>

#include "base/limit_table.h"
#include "dialect/nni/codes.h"
#include "dialect/nni/reach.h"
#include "dialect/nni/selectors.h"

namespace sparsecfg::dialect::nni {

using source::Value;

// Matches the modules of an entry: one of the types and one of the names, if they are given.
class ModuleMatcher {
 public:
  explicit ModuleMatcher(const Entry& entry) {
    const Selectors selected = selectors_of(*entry.written);
    for (const auto& type : selected.types) types_.insert(type.value);
    for (const auto& name : selected.names) names_.insert(name.value);
    for (const auto& part : selected.parts) parts_.push_back(part.value);
  }

  bool matches(const model::Module& module) const {
    const bool by_name = !names_.empty() || !parts_.empty();
    return (!types_.empty() || by_name) && (types_.empty() || is_typed(module)) && (!by_name || is_named(module));
  }

 private:
  bool is_typed(const model::Module& module) const {
    return types_.contains(module.type) ||
           (types_.contains("default") && std::ranges::find(weighted_types(), module.type) != weighted_types().end());
  }

  bool is_named(const model::Module& module) const {
    return names_.contains(module.name) || std::ranges::any_of(parts_, [&](const std::string& part) {
             return module.name.find(part) != std::string::npos;
           });
  }

  std::unordered_set<std::string> types_;
  std::unordered_set<std::string> names_;
  std::vector<std::string> parts_;
};

// The value of the key does not matter (docs/semantics/nni.md#c2-1).
static bool excludes(const Entry& entry) { return has(*entry.written, "exclude"); }

static Target target_of(const Entry& entry, std::size_t index, Selected module) {
  Target target{index, std::move(module), "weight", {}};
  static constexpr std::string_view kGoals[] = {"sparsity", "sparsity_per_layer", "total_sparsity", "final_sparsity"};
  const auto goal_of = [&](std::string_view key) { return find_entry(*entry.written, key); };
  const auto* const key = std::ranges::find_if(kGoals, [&](std::string_view goal) { return goal_of(goal) != nullptr; });
  const source::Entry* ratio = key == std::end(kGoals) ? nullptr : goal_of(*key);
  if (const auto goal = ratio == nullptr ? std::nullopt : ratio->second.number()) {
    put(target.settings, "sparse_ratio", {*goal, ratio->second.span});
  }
  return target;
}

// Finds the entry that configures each module, and reports entries that select nothing.
class OlderSelection {
 public:
  OlderSelection(const Compressor& compressor, const Context& context) : compressor_(compressor), context_(context) {
    for (const Entry& entry : compressor.entries) {
      matchers_.emplace_back(entry);
    }
    fits_.resize(matchers_.size());
    matched_.resize(matchers_.size());
  }

  std::vector<Target> run() {
    std::vector<Target> out;
    for (const model::Module& module : context_.model.modules()) {
      if (const auto last = last_of(module)) {
        out.push_back(target_of(compressor_.entries[*last], *last, {module.name, module.type}));
        matched_[*last] = true;
      }
    }
    for (std::size_t at = 0; !context_.model.known() && at < matchers_.size(); ++at) {
      const Entry& entry = compressor_.entries[at];
      if (!excludes(entry)) {
        out.push_back(target_of(entry, at, {"", "", false}));
      }
    }
    context_.model.known() ? report_idle() : report_covered();
    return out;
  }

 private:
  std::optional<std::size_t> last_of(const model::Module& module) {
    std::optional<std::size_t> last;
    std::optional<std::size_t> exclusion;  // the one that leaves the module out
    for (std::size_t at = 0; at < matchers_.size(); ++at) {
      if (!matchers_[at].matches(module)) continue;
      fits_[at] = true;
      if (!excludes(compressor_.entries[at])) {
        last = at;
        exclusion.reset();
      } else if (last) {
        last.reset();
        exclusion = at;
      }
    }
    if (exclusion) matched_[*exclusion] = true;
    return last;
  }

  void report_idle() {
    for (std::size_t at = 0; at < matchers_.size(); ++at) {
      const Entry& entry = compressor_.entries[at];
      if (matched_[at] || !entry.valid) {
        continue;
      }
      if (excludes(entry)) {
        if (fits_[at]) report_idle_exclusion(at, selects_before(at));
      } else if (fits_[at]) {
        report_shadowed(entry);
      } else {
        context_.sink.report(diag::selects_no_module, entry.span, "this entry", context_.model.modules().size());
      }
    }
  }

  // Returns true if an entry before the one at an index selects modules.
  [[nodiscard]] bool selects_before(std::size_t at) const {
    const auto end = compressor_.entries.begin() + static_cast<std::ptrdiff_t>(at);
    return std::any_of(compressor_.entries.begin(), end, [](const Entry& entry) { return !excludes(entry); });
  }

  // Reports an exclusion of modules that no earlier entry selects, or that a later one configures again.
  void report_idle_exclusion(std::size_t at, bool selected) {
    const Entry& entry = compressor_.entries[at];
    const auto later = std::find_if(compressor_.entries.begin() + static_cast<std::ptrdiff_t>(at),
                                    compressor_.entries.end(), [](const Entry& each) { return !excludes(each); });
    const bool last = later == compressor_.entries.end();
    if (selected && last) return;  // it names modules that the entries do not have
    auto& report = context_.sink.report(
        diag::exclude_without_effect, find_entry(*entry.written, "exclude")->first.span, "exclude",
        selected ? "a later entry configures these modules again" : "no entry before it selects modules");
    report.with_help(last ? "delete this entry" : "move this entry to the end of the list");
    if (!last) report.with_label(later->span, "this entry is used");
  }

  // Without a model: reports entries whose modules are all selected by later entries.
  void report_covered() {
    if (release_of(context_.options) != Release::v2 || !context_.sink.wants(diag::overlapping_selectors)) {
      return;
    }
    if (compressor_.entries.size() > limits::kMaxCompared) {
      context_.sink
          .report(diag::limits_exceeded, compressor_.list,
                  fmt::format("more than {} entries are not compared with each other", limits::kMaxCompared))
          .with_severity(diag::Severity::info);
      return;
    }
    std::vector<Reach> reaches;
    std::ranges::transform(compressor_.entries, std::back_inserter(reaches), Reach::of_older);
    base::Budget budget = regex::comparison_budget();
    for (std::size_t at = 0; at < reaches.size(); ++at) {
      const Entry& entry = compressor_.entries[at];
      const auto next = reaches.begin() + static_cast<std::ptrdiff_t>(at) + 1;
      const auto later = std::find_if(next, reaches.end(),
                                      [&](const Reach& reach) { return Reach::cover({&reach}, reaches[at], budget); });
      if (!entry.valid) {
        continue;
      }
      if (excludes(entry)) {
        if (!selects_before(at) || is_selected_again(reaches, at, budget))
          report_idle_exclusion(at, selects_before(at));
      } else if (later != reaches.end()) {
        report_shadowed(entry).with_label(compressor_.entries[static_cast<std::size_t>(later - reaches.begin())].span,
                                          "the later entry");
      } else if (covered_together(reaches, at, budget)) {
        report_shadowed(entry, "later entries together select all modules of this entry")
            .with_label(compressor_.entries[at + 1].span, "the first of these entries");
      }
    }
  }

  // Returns true if later entries configure all modules of an exclusion.
  [[nodiscard]] bool is_selected_again(const std::vector<Reach>& reaches, std::size_t at, base::Budget& budget) const {
    std::vector<const Reach*> later;
    for (std::size_t next = at + 1; next < reaches.size(); ++next) {
      if (!excludes(compressor_.entries[next])) later.push_back(&reaches[next]);
    }
    return !later.empty() && Reach::cover(later, reaches[at], budget);
  }

  // Returns true if several later entries together select all modules of an entry.
  static bool covered_together(const std::vector<Reach>& reaches, std::size_t at, base::Budget& budget) {
    std::vector<const Reach*> later;
    for (std::size_t next = at + 1; next < reaches.size(); ++next) later.push_back(&reaches[next]);
    return later.size() > 1 && Reach::cover(later, reaches[at], budget);
  }

  diag::Diagnostic& report_shadowed(const Entry& entry,
                                    std::string_view why = "a later entry selects all modules of this entry") {
    return context_.sink.report(diag::overlapping_selectors, entry.span, why, "this entry has no effect")
        .with_help("move this entry after the general ones: up to NNI 2.x, the last matching entry applies");
  }

  const Compressor& compressor_;
  const Context& context_;
  std::vector<ModuleMatcher> matchers_;
  std::vector<bool> fits_;
  std::vector<bool> matched_;
};

std::vector<Target> select_last(const Compressor& compressor, const Context& context) {
  return OlderSelection(compressor, context).run();
}

}  // namespace sparsecfg::dialect::nni
