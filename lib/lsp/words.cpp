#include "lsp/words.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/number.h"
#include "base/text.h"
#include "emit/node.h"
#include "outcome/outcome.h"

namespace sparsecfg::lsp {

using base::python_repr;

// Maximum number of model names in a list.
constexpr std::size_t kMaxShownNames = 8;
// Maximum number of changes to evaluate, so that the editor stays responsive.
constexpr std::uint64_t kMaxChanges = 100'000;

// --- schedules --------------------------------------------------------------------------------------

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

// Counts names, and lists the first ones.
class NameList {
 public:
  void add(const std::string& name) {
    if (++count_ <= kMaxShownNames) shown_.push_back("`" + base::printable(name) + "`");
  }

  [[nodiscard]] std::size_t count() const { return count_; }

  // Returns ": `a`, `b` ...", or an empty string without names.
  [[nodiscard]] std::string text() const {
    return fmt::format("{}{}{}", shown_.empty() ? "" : ": ", fmt::join(shown_, ", "),
                       count_ > shown_.size() ? " ..." : "");
  }

 private:
  std::size_t count_ = 0;
  std::vector<std::string> shown_;
};

std::optional<std::string> matches_of(const model::Selector& selector, const model::Term& term,
                                      const CompileOptions& options) {
  const model::ModelNames* names = names_for(selector.over, options);
  const bool by_type = term.kind == model::Term::Kind::module_type && names != options.modules;
  if (names == nullptr || by_type) {
    return std::nullopt;
  }
  NameList matched;
  for (const auto& [begin, end] : names->matched(term).ranges) {
    for (std::size_t at = begin; at < end; ++at) matched.add((*names)[at]);
  }
  const std::string_view kind = names == options.modules ? "modules" : "parameters";
  return fmt::format("matches {} of {} {}{}", matched.count(), names->size(), kind, matched.text());
}

std::optional<std::string> decided_by(const ir::Operation& operation, std::uint32_t rule, const ir::Recipe& recipe,
                                      const CompileOptions& options) {
  const ir::Selection& selection = ir::selection_of(operation);
  if (options.read.modules == nullptr || selection.language == nullptr) return std::nullopt;
  const std::vector<model::Module>& modules = outcome::names_of(recipe, *options.read.modules);
  const auto* assign = std::get_if<ir::Assign>(&operation);
  const auto schemes = assign == nullptr ? std::span<const ir::Scheme>() : std::span(assign->schemes);
  const ir::Decisions decisions = selection.language->decide(selection, schemes, modules);
  if (!decisions.complete) return std::nullopt;
  NameList decided;
  std::size_t hidden = 0;
  for (std::size_t at = 0; at < modules.size(); ++at) {
    const ir::Decisions::Decision& decision = decisions.entries[decisions.of_modules[at]];
    if (decision.rule == rule) decided.add(modules[at].name);
    if (std::ranges::find(decision.overridden, rule) != decision.overridden.end()) ++hidden;
  }
  return fmt::format("decides {} of {} modules{}{}", decided.count(), modules.size(), decided.text(),
                     hidden == 0 ? "" : fmt::format("; another entry decides {} more that match", hidden));
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
