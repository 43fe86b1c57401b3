#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/number.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/sparseml/codes.h"
#include "dialect/sparseml/rules/rules.h"
#include "model/matcher.h"

// Checks modifiers that remove structures against the pruners that zero them (docs/semantics/sparseml.md#c4-15).
namespace sparsecfg::dialect::sparseml {

std::vector<std::string> thinned_parameters(const ir::Action& action) {
  const ir::OriginField* field = action.origin.find("param_group_dependency_map");
  const auto* map = field == nullptr ? nullptr : field->value.get<source::Map>();
  std::vector<std::string> out;
  for (std::size_t at = 0; map != nullptr && at < map->size(); ++at) {
    const std::string names = source::python_str((*map)[at].first);
    for (const std::string_view name : base::parts_of(names, ',')) out.emplace_back(base::trim(name));
  }
  return out;
}

// Returns the structures that a modifier removes.
static ir::Structure::Kind removed_by(const ir::Action& action) {
  const source::Value* type = action.origin.given("structure_type");
  const auto* text = type == nullptr ? nullptr : type->get<std::string>();
  return text != nullptr && *text == "channel" ? ir::Structure::Kind::channel : ir::Structure::Kind::filter;
}

// Returns the last epoch in which a modifier removes structures.
static double last_removal(const ir::Action& action) {
  double out = action.cadence.start.value;
  const source::Value* updates = action.origin.given("update_epochs");
  const auto* list = updates == nullptr ? nullptr : updates->get<source::List>();
  for (std::size_t at = 0; list != nullptr && at < list->size(); ++at) {
    out = std::max(out, (*list)[at].number().value_or(0));
  }
  return out;
}

// A pruner that zeroes whole filters or channels, with the matchers of its parameters.
struct Zeroing {
  const ir::Action* action;
  ir::Structure::Kind kind;
  std::vector<model::Matcher> matchers;

  [[nodiscard]] bool takes_one(const std::vector<std::string>& parameters) const {
    return std::ranges::any_of(matchers, [&](const model::Matcher& matcher) {
      return std::ranges::any_of(parameters,
                                 [&](const std::string& name) { return matcher.match(name) == regex::Match::yes; });
    });
  }
};

static std::vector<Zeroing> zeroing_of(const std::vector<ir::Action>& actions) {
  std::vector<Zeroing> out;
  for (const ir::Action& action : actions) {
    const auto* prune = action.valid ? std::get_if<ir::Prune>(&action.effect) : nullptr;
    const bool whole = prune != nullptr && (prune->structure.kind == ir::Structure::Kind::filter ||
                                            prune->structure.kind == ir::Structure::Kind::channel);
    if (!whole) continue;
    Zeroing& zeroing = out.emplace_back(&action, prune->structure.kind, std::vector<model::Matcher>());
    for (const ir::Target& target : prune->targets) zeroing.matchers.emplace_back(target.selector);
  }
  return out;
}

DIAGNOSTIC(
    SP724, thinned_too_early, silent_warning, (Text, Text, Text),
    "structures are removed at epoch {}, but `{}` prunes until epoch {}",
    "LayerThinningModifier removes the filters or channels that are 0 when it acts: at its start, and in its "
    "`update_epochs`. The pruner then still has masks of the old shapes, and structures that it zeroes later stay "
    "in the model.",
    "remove the structures after the last update of the pruner")

static void check_time(const ir::Action& thinning, const ir::Action& pruner, const Run& run, diag::Sink& sink) {
  const double last = last_removal(thinning);
  const double end = pruner.cadence.end.value;
  if (!(last < end) || end >= ir::Cadence::kEndless || (run.epochs && *run.epochs > 0 && !run.reaches(end))) return;
  const ir::OriginField* start = thinning.origin.find("start_epoch");
  const std::string epoch = base::python_repr(end);
  auto& report = sink.report(diag::thinned_too_early, thinning.cadence.start.span, base::python_repr(last),
                             pruner.origin.class_name, epoch);
  report.with_label(pruner.cadence.end.span, "the last update of the pruner");
  if (start == nullptr) {
    report.with_help(fmt::format("add `start_epoch: {}`", epoch));
    return;
  }
  report.with_help(fmt::format("write `start_epoch: {}`", epoch));
  if (!start->evaluated) report.with_fix(diag::Fix::unsafe().replace(start->value.span, epoch));
}

DIAGNOSTIC(
    SP725, thins_other_structures, silent_warning, (Text, Text),
    "no {0}s are removed, because `{1}` zeroes whole structures of the other kind",
    "LayerThinningModifier removes filters or channels, all of whose weights are 0. The zeros of the other kind of "
    "structure are not complete in any of them, so the layers keep their size.",
    "write the structure that the pruner zeroes as `structure_type`")

static void check_structures(const ir::Action& thinning, const Zeroing& pruner, diag::Sink& sink) {
  const ir::OriginField* type = thinning.origin.find("structure_type");
  const std::string_view zeroed = ir::to_string(pruner.kind);
  const std::string_view removed = ir::to_string(removed_by(thinning));
  auto& report = sink.report(diag::thins_other_structures, type == nullptr ? thinning.origin.span : type->value.span,
                             std::string(removed), pruner.action->origin.class_name);
  report.with_label(pruner.action->origin.place("mask_type"), fmt::format("zeroes {}s", zeroed))
      .with_help(
          fmt::format("write `structure_type: {0}`, with a map of the parameters that depend on the {0}s", zeroed));
}

void check_thinning(const std::vector<ir::Action>& actions, const Run& run, diag::Sink& sink) {
  const std::vector<Zeroing> pruners = zeroing_of(actions);
  for (const ir::Action& thinning : actions) {
    if (!thinning.valid || thinning.origin.class_name != "LayerThinningModifier") continue;
    const std::vector<std::string> names = thinned_parameters(thinning);
    const Zeroing* same = nullptr;  // the last pruner of such structures
    const Zeroing* other = nullptr;
    for (const Zeroing& pruner : pruners) {
      if (!pruner.takes_one(names)) continue;
      const Zeroing*& found = pruner.kind == removed_by(thinning) ? same : other;
      if (found == nullptr || pruner.action->cadence.end.value > found->action->cadence.end.value) found = &pruner;
    }
    if (same != nullptr) check_time(thinning, *same->action, run, sink);
    if (same == nullptr && other != nullptr) check_structures(thinning, *other, sink);
  }
}

}  // namespace sparsecfg::dialect::sparseml
