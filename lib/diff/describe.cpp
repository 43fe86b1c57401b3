#include "diff/describe.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/number.h"
#include "base/text.h"
#include "ir/selector_text.h"

namespace sparsecfg::diff {

using base::python_repr;

std::string text_of(const ir::Structure& structure) {
  switch (structure.kind) {
    case ir::Structure::Kind::unstructured: return "single weights";
    case ir::Structure::Kind::n_of_m: return fmt::format("{}:{}", structure.n, structure.m);
    case ir::Structure::Kind::block: return fmt::format("blocks of {}x{}", structure.n, structure.m);
    case ir::Structure::Kind::filter: return "filters";
    case ir::Structure::Kind::channel: return "channels";
  }
  return {};
}

static std::string when_counted(const ir::StepSchedule& counted) {
  const std::string_view unit = counted.in_epochs ? "epoch" : "step";
  std::string out = fmt::format("after {} {}s", counted.first, unit);
  return counted.times > 1 ? out + fmt::format(", every {}, {} times", counted.every, counted.times) : out;
}

std::string when(const ir::Action& action) {
  const ir::Cadence& cadence = action.cadence;
  if (cadence.counted() != nullptr) {
    return when_counted(*cadence.counted());
  }
  if (!cadence.listed().empty()) {
    std::vector<std::string> epochs;
    for (const auto& epoch : cadence.listed()) epochs.push_back(python_repr(epoch.value));
    return fmt::format("in epochs {}", fmt::join(epochs, ", "));
  }
  if (cadence.start.value <= 0 && !cadence.ends()) {
    return "from the start";
  }
  const std::string start = python_repr(std::max(0.0, cadence.start.value));
  std::string out =
      !cadence.ends() ? "from epoch " + start : fmt::format("epochs {} to {}", start, python_repr(cadence.end.value));
  const bool updates = cadence.every_or(0) > 0;
  return updates ? out + ", every " + python_repr(cadence.every()->value) : out;
}

std::string name_of(const ir::Action& action) { return base::printable(ir::numbered_name(action.origin)); }

// ", from 0.05 to 0.8, 0.5"
static std::string goals_of(const ir::Prune& prune) {
  std::vector<std::string> goals;
  for (const ir::Target& target : prune.targets) {
    const std::string goal = python_repr(target.sparsity.value);
    if (goals.empty() || goals.back() != goal) goals.push_back(goal);
  }
  const auto* from = ir::initial_sparsity(prune.curve);
  const std::string start = from == nullptr ? "" : "from " + python_repr(from->value) + " ";
  return goals.empty() ? "" : fmt::format(", {}to {}", start, fmt::join(goals, ", "));
}

std::string describe(const ir::Action& action, const source::SourceFile& file) {
  const auto* prune = std::get_if<ir::Prune>(&action.effect);
  return fmt::format("{} (line {}): {}{}", name_of(action), file.position(action.origin.span.begin).line, when(action),
                     prune == nullptr ? "" : goals_of(*prune));
}

std::string selected_by(const ir::Action& action) {
  constexpr std::size_t kMaxShown = 3;
  std::vector<std::string> texts;
  for (const model::Selector* selector : ir::selectors_of(action.effect)) {
    for (const model::Term& term : selector->terms) {
      texts.push_back(
          fmt::format("`{}{}`", term.kind == model::Term::Kind::pattern ? "re:" : "", base::printable(term.text)));
    }
  }
  const std::size_t shown = std::min(texts.size(), kMaxShown);
  std::string out =
      fmt::format("{}", fmt::join(texts.begin(), texts.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
  return texts.size() > shown ? out + fmt::format(" and {} more", texts.size() - shown) : out;
}

}  // namespace sparsecfg::diff
