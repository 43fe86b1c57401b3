#include "lsp/words.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/number.h"
#include "base/overloaded.h"
#include "base/text.h"
#include "diff/describe.h"
#include "emit/node.h"

namespace sparsecfg::lsp {

using base::python_repr;

// Maximum number of model names in a list.
constexpr std::size_t kMaxShownNames = 8;
// Maximum number of changes to evaluate, so that the editor stays responsive.
constexpr std::uint64_t kMaxChanges = 100'000;

// --- schedules --------------------------------------------------------------------------------------

static std::string_view manner_of(ir::Shape shape) {
  switch (shape) {
    case ir::Shape::linear: return "linear";
    case ir::Shape::cubic: return "cubic (fast at first)";
    case ir::Shape::inverse_cubic: return "inverse cubic (slow at first)";
  }
  return {};
}

static std::string manner_of(const ir::SparsityCurve& curve) {
  return std::visit(
      base::Overloaded{
          [](const ir::Ramp& ramp) { return std::string(manner_of(ramp.shape)); },
          [](const ir::Alternation&) { return std::string("alternating dense and sparse phases"); },
          [](const ir::ForwardBackward& each) { return "gradients at " + python_repr(each.backward.value); },
          [](const ir::Distributed& each) { return "distributed by " + each.strategy; },
          [](const ir::PowerRamp& ramp) { return "power " + python_repr(ramp.exponent); },
          [](const ir::PiecewiseConstant& stairs) { return fmt::format("in {} steps", stairs.stairs.size()); },
          [](const ir::Expression&) { return std::string("formula of the epoch"); },
          [](const ir::Constant&) { return std::string("in one step"); },
          [](const ir::EpochCurve&) { return std::string("function of the epoch"); },
      },
      curve);
}

static std::string describe(const ir::Prune& prune) {
  std::vector<std::string> goals;
  for (const ir::Target& target : prune.targets) {
    std::string goal = python_repr(target.sparsity.value);
    if (goals.empty() || goals.back() != goal) goals.push_back(std::move(goal));
  }
  const auto* from = ir::initial_sparsity(prune.curve);
  const std::string start = from == nullptr ? "" : fmt::format("from {} ", python_repr(from->value));
  return fmt::format("sparsity {}to {}, {}; {}{}", start, fmt::join(goals, ", "), manner_of(prune.curve),
                     diff::text_of(prune.structure), prune.global ? ", ranked over all parameters" : "");
}

static std::string_view manner_of(ir::LearningRateCurve::Kind kind) {
  switch (kind) {
    case ir::LearningRateCurve::Kind::linear: return "linear";
    case ir::LearningRateCurve::Kind::cosine: return "cosine";
    case ir::LearningRateCurve::Kind::cyclic_linear: return "cyclic linear";
  }
  return {};
}

static std::string describe(const ir::LearningRateCurve& curve) {
  return fmt::format("learning rate from {} to {}, {}", python_repr(curve.from.value), python_repr(curve.to.value),
                     manner_of(curve.kind));
}

std::string describe(const ir::Action& action) {
  std::string out = diff::when(action);
  if (const auto* prune = std::get_if<ir::Prune>(&action.effect)) {
    out += ": " + describe(*prune);
  } else if (const auto* curve = std::get_if<ir::LearningRateCurve>(&action.effect)) {
    out += ": " + describe(*curve);
  } else if (const auto* set = std::get_if<ir::SetLearningRate>(&action.effect)) {
    out += ": learning rate " + python_repr(set->rate.value);
  }
  return out;
}

std::optional<Schedule> schedule_of(const ir::Recipe& recipe, const project::FileOptions& options) {
  const project::Settings& settings = options.settings;
  const auto steps = settings.steps_per_epoch ? settings.steps_per_epoch : recipe.steps_per_epoch;
  const double epochs = settings.epochs.value_or(recipe.length ? recipe.length->epochs : 0);
  if (!steps || *steps > ir::kMaxStepsPerEpoch || epochs <= 0 || !recipe.has_timeline()) {
    return std::nullopt;
  }
  Schedule schedule{
      {*steps, epochs, settings.initial_rate, options.compile.parameters, options.compile.modules}, {}, {}};
  schedule.overview = timeline::survey(recipe, schedule.run, kMaxChanges);
  schedule.columns.resize(recipe.actions.size());
  for (std::size_t at = 0; at < schedule.overview.columns.size(); ++at) {
    schedule.columns[schedule.overview.columns[at].action].push_back(at);
  }
  return schedule.overview.complete ? std::optional(std::move(schedule)) : std::nullopt;
}

std::string last_update(const Schedule& schedule, std::size_t action) {
  const timeline::Overview& overview = schedule.overview;
  if (action >= overview.phases.size() || !overview.phases[action].last) {
    return {};
  }
  const std::uint64_t step = *overview.phases[action].last;
  std::vector<std::string> reached;
  for (const std::size_t at : schedule.columns[action]) {
    if (!overview.reached[at]) continue;
    std::string text = fmt::format("{:.4}", *overview.reached[at]);
    if (reached.empty() || reached.back() != text) reached.push_back(std::move(text));
  }
  return fmt::format("last update at epoch {} (step {}){}", python_repr(schedule.run.epoch_of(step)), step,
                     reached.empty() ? "" : fmt::format(", sparsity {}", fmt::join(reached, ", ")));
}

// --- names of the model -----------------------------------------------------------------------------

const model::ModelNames* names_for(model::Selector::Over over, const CompileOptions& options) {
  switch (over) {
    case model::Selector::Over::parameters: return options.parameters;
    case model::Selector::Over::modules: return options.modules;
    case model::Selector::Over::layers:
    case model::Selector::Over::either: return options.modules != nullptr ? options.modules : options.parameters;
  }
  return nullptr;
}

std::optional<std::string> matches_of(const model::Selector& selector, const model::Term& term,
                                      const CompileOptions& options) {
  const model::ModelNames* names = names_for(selector.over, options);
  const bool by_type = term.kind == model::Term::Kind::module_type && names != options.modules;
  if (names == nullptr || by_type) {
    return std::nullopt;
  }
  std::vector<std::string> shown;
  std::size_t count = 0;
  for (const auto& [begin, end] : names->matched(term).ranges) {
    for (std::size_t at = begin; at < end; ++at, ++count) {
      if (shown.size() < kMaxShownNames) shown.push_back("`" + base::printable((*names)[at]) + "`");
    }
  }
  const std::string_view kind = names == options.modules ? "modules" : "parameters";
  return fmt::format("matches {} of {} {}{}{}{}", count, names->size(), kind, shown.empty() ? "" : ": ",
                     fmt::join(shown, ", "), count > shown.size() ? " ..." : "");
}

// --- pages and values -------------------------------------------------------------------------------

std::vector<dialect::Page> pages_of_class(const dialect::Dialect& dialect, std::string_view name) {
  std::vector<dialect::Page> pages = dialect.pages == nullptr ? std::vector<dialect::Page>() : dialect.pages();
  std::erase_if(pages, [&](const dialect::Page& page) { return page.name != name; });
  return pages;
}

std::string value_text(const source::Value& value) {
  std::string out;
  if (const auto* list = value.get<source::List>()) {
    for (const source::Value& item : *list) out += (out.empty() ? "" : ", ") + value_text(item);
    return "[" + out + "]";
  }
  if (const auto* map = value.get<source::Map>()) {
    for (const source::Entry& entry : *map) {
      out += (out.empty() ? "" : ", ") + value_text(entry.first) + ": " + value_text(entry.second);
    }
    return "{" + out + "}";
  }
  return std::string(base::trim(emit::to_yaml(emit::node_of(value)).value_or("null")));
}

}  // namespace sparsecfg::lsp
