#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "diag/rule.h"
#include "dialect/distiller/codes.h"
#include "dialect/distiller/read.h"
#include "dialect/distiller/rules/rules.h"

// Checks extensions that remove structures against the pruners of the schedule (docs/semantics/distiller.md#b7).
namespace sparsecfg::dialect::distiller {

// The structures that a function removes, and those that it leaves.
struct Removal {
  std::string_view function;
  std::string_view removes;
  std::string_view leaves;
  std::string_view counterpart;  // the function that removes the others
};

constexpr Removal kRemovals[] = {{"remove_filters", "filters", "channels", "remove_channels"},
                                 {"remove_channels", "channels", "filters", "remove_filters"}};

static const Removal* removal_of(const Component& component) {
  if (component.spec == nullptr || component.spec->kind != ClassKind::remover) return nullptr;
  const std::string function = component.fields.text("thinning_func_str");
  const auto* const found = std::ranges::find(kRemovals, function, &Removal::function);
  return found == std::end(kRemovals) ? nullptr : found;
}

// Returns the structures whose zeros a pruner makes; empty for single weights and blocks.
static std::string_view structures_of(const Component& pruner) {
  const auto& group = pruner.arguments->group_type;
  if (pruner.arguments->has_channels()) return "channels";
  return group.is("Filters") || group.is("3D") ? "filters" : std::string_view();
}

// Returns the pruners that make zeros in whole structures until an epoch.
static std::vector<const Policy*> pruners_until(const std::vector<Policy>& policies, double epoch) {
  std::vector<const Policy*> out;
  for (const Policy& policy : policies) {
    const auto first = policy.kind == nullptr ? std::vector<std::int64_t>() : policy.active(1);
    const bool structured = runs(policy, Section::pruners) && policy.component->arguments &&
                            !structures_of(*policy.component).empty() && !first.empty() &&
                            static_cast<double>(first.front()) <= epoch;
    if (structured) out.push_back(&policy);
  }
  return out;
}

static bool has_thresholds(const std::vector<Policy>& policies) {
  return std::ranges::any_of(policies, [](const Policy& policy) {
    return runs(policy, Section::regularizers) && is_enabled(policy.component->fields, "threshold_criteria");
  });
}

DIAGNOSTIC(SP717, remover_of_other_structures, silent_warning, (Text, Text, Text, Text),
           "`{}` finds no {} to remove, because `{}` prunes {}",
           "The function removes filters, or channels, all of whose weights are 0. The zeros of the other kind of "
           "structure are not complete in any of them, so the layers keep their size. The name of the class, such as "
           "`FilterRemover`, does not matter.",
           "use the function for the structures that the pruner zeroes")

static void check_remover(const Policy& policy, const Removal& removal, const std::vector<Policy>& policies,
                          diag::Sink& sink) {
  const std::vector<const Policy*> pruners = pruners_until(policies, policy.over() - 1);
  const bool other = std::ranges::all_of(
      pruners, [&](const Policy* pruner) { return structures_of(*pruner->component) == removal.leaves; });
  if (pruners.empty() || !other) return;
  const Component& pruner = *pruners.front()->component;
  const source::Span place = policy.component->fields.place("thinning_func_str");
  sink.report(diag::remover_of_other_structures, place, removal.function, removal.removes, pruner.name, removal.leaves)
      .with_label(pruner.arguments->group_type.place(), "the structures that are pruned")
      .with_help(fmt::format("write `thinning_func_str: {}`", removal.counterpart))
      .with_fix(diag::Fix::unsafe().content(place, std::string(removal.counterpart)));
}

DIAGNOSTIC(
    SP718, removed_too_early, silent_warning, (Text, Text, Text),
    "structures are removed in epoch {}, but `{}` makes zeros until epoch {}",
    "An extension removes only the structures that are 0 when it acts. Structures that become 0 later stay in the "
    "model.",
    "run the extension after the last epoch of the pruner")

// The last policy of removers of a kind of structure, and its last active epoch.
struct LastRemoval {
  const Policy* policy = nullptr;
  double epoch = -1;
};

static LastRemoval last_removal(const std::vector<Policy>& policies, const Removal& removal,
                                const ReadOptions& options) {
  LastRemoval out;
  for (const Policy& policy : policies) {
    if (!runs(policy, Section::extensions) || removal_of(*policy.component) != &removal) continue;
    const double last = last_active_before(policy, options.epochs);
    if (last >= out.epoch) out = {&policy, last};
  }
  return out;
}

// Reports a remover that acts in the last epoch of pruners, but before them.
static void report_order(const Policy& remover, const std::vector<const Policy*>& pruners, const std::string& epoch,
                         diag::Sink& sink) {
  auto& report = sink.report(diag::removed_too_early, remover.place, epoch, pruners.front()->component->name, epoch)
                     .with_caret("acts before the pruner of the same epoch");
  for (const Policy* pruner : pruners) report.with_label(pruner->place, "makes zeros");
  report.with_help(fmt::format("move this policy after that of `{}`", pruners.back()->component->name));
}

// Reports removers of which the last one acts before the last epoch of a pruner of such structures.
static void check_time(const Removal& removal, const std::vector<Policy>& policies, const ReadOptions& options,
                       diag::Sink& sink) {
  const LastRemoval last = last_removal(policies, removal, options);
  if (last.policy == nullptr) return;
  std::vector<const Policy*> later;  // in the file, of the same epoch
  for (const Policy* pruner : pruners_until(policies, run_length(policies, options))) {
    const double end = last_active_before(*pruner, options.epochs);
    const bool before = last.policy < pruner && end == last.epoch;  // policies act in the order of the file
    if (structures_of(*pruner->component) != removal.removes || (end <= last.epoch && !before)) continue;
    if (before) {
      later.push_back(pruner);
      continue;
    }
    const std::string epochs = fmt::format("[{}]", end);
    auto& report = sink.report(diag::removed_too_early, last.policy->place_of_epochs(), fmt::format("{}", last.epoch),
                               pruner->component->name, fmt::format("{}", end));
    report.with_label(pruner->place_of_epochs(), "the epochs of the pruner")
        .with_help(fmt::format("write `epochs: {}`, with this policy after that of the pruner", epochs));
    const Field* list = last.policy->entry.find("epochs");
    if (list != nullptr) report.with_fix(diag::Fix::unsafe().replace(list->value.span, epochs));
    return;
  }
  std::ranges::sort(later);
  if (!later.empty()) report_order(*last.policy, later, fmt::format("{}", last.epoch), sink);
}

DIAGNOSTIC(SP719, remover_finds_no_zeros, silent_warning, (Text, Text, Text),
           "`{}` finds no {} to remove, because `{}` zeroes none",
           "The function removes filters, or channels, all of whose weights are 0. A regularizer without "
           "`threshold_criteria` only makes weights small, and a pruner of single weights leaves some weights of each "
           "structure, so the layers keep their size.",
           "prune whole structures, or write `threshold_criteria` in the regularizer")

// Returns true for a class that zeroes no whole structures: it prunes single weights, or only makes weights small.
static bool leaves_structures(const Component& component) {
  switch (component.spec->kind.as<ClassKind>()) {
    case ClassKind::gradual:
    case ClassKind::level:
    case ClassKind::sensitivity:
    case ClassKind::magnitude:
    case ClassKind::splicing:
    case ClassKind::baidu:
    case ClassKind::l1:
    case ClassKind::group_lasso:
    case ClassKind::group_variance: return true;
    default: return false;
  }
}

// Returns the first pruner or regularizer if none of them zeroes whole structures, or null.
static const Component* without_structures(const std::vector<Policy>& policies) {
  const Component* out = nullptr;
  for (const Policy& policy : policies) {
    if (!runs(policy, Section::pruners) && !runs(policy, Section::regularizers)) continue;
    if (!leaves_structures(*policy.component)) return nullptr;
    if (out == nullptr) out = policy.component;
  }
  return out;
}

static void check_zeros(const Policy& policy, const Removal& removal, const Component& other, diag::Sink& sink) {
  auto& report = sink.report(diag::remover_finds_no_zeros, policy.component->fields.place("thinning_func_str"),
                             removal.function, removal.removes, other.name);
  report.with_label(other.fields.key, "no whole structure becomes 0 here");
  if (other.spec->kind == ClassKind::group_lasso) {
    report.with_help(fmt::format("add `threshold_criteria: Mean_Abs` to `{}`", other.name))
        .with_fix(diag::Fix::unsafe().add_entry(other.fields.fields.back().key, "threshold_criteria: Mean_Abs"));
  } else {
    report.with_help(
        fmt::format("prune whole structures: write `class: L1RankedStructureParameterPruner_AGP` with `group_type: {}`",
                    removal.removes == "filters" ? "Filters" : "Channels"));
  }
}

void check_removers(const std::vector<Policy>& policies, const ReadOptions& options, diag::Sink& sink) {
  if (has_thresholds(policies)) return;
  const Component* other = without_structures(policies);
  for (const Policy& policy : policies) {
    const Removal* removal = runs(policy, Section::extensions) ? removal_of(*policy.component) : nullptr;
    if (removal == nullptr) continue;
    check_remover(policy, *removal, policies, sink);
    if (other != nullptr) check_zeros(policy, *removal, *other, sink);
  }
  for (const Removal& removal : kRemovals) check_time(removal, policies, options, sink);
}

}  // namespace sparsecfg::dialect::distiller
