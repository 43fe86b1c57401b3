#include "match/outcomes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "ir/describe.h"
#include "match/matching.h"
#include "outcome/json.h"
#include "outcome/words.h"

namespace sparsecfg::match {

using Json = nlohmann::ordered_json;
using outcome::Outcome;
using outcome::RulePlace;
using outcome::State;
using outcome::Step;

// Returns all steps that mention a module: the deciding one of the scheme, and the others in order.
static std::vector<Step> steps_of(const State& state) {
  std::vector<Step> out = state.order;
  if (state.assigned && std::ranges::find(out, *state.assigned) == out.end()) out.push_back(*state.assigned);
  return out;
}

// Returns "weights int4 in groups of 128 (GPTQ); pruned to 50 % by SparseGPT"; empty if nothing changes the module.
static std::string state_text(const Outcome& outcome, const State& state) {
  std::vector<std::string> parts;
  if (state.unknown) {
    parts.emplace_back("unknown");
  } else if (!state.scheme.is_empty()) {
    const std::string& method = outcome.method(*state.assigned).text();
    parts.push_back(ir::describe(state.scheme) + (method.empty() ? "" : fmt::format(" ({})", method)));
  }
  if (state.pruned) parts.push_back(outcome::pruning_text(outcome, state));
  if (state.cached && !state.unknown) parts.push_back("cache " + outcome::cache_text(outcome, state));
  for (const Step& step : state.transforms) parts.push_back(outcome::transform_text(outcome, step));
  return fmt::format("{}", fmt::join(parts, "; "));
}

// Returns the action, the index of its operation, and the entry of a rule.
static Json term_json(const Outcome& outcome, const RulePlace& place) {
  return {{"action", ir::numbered_name(outcome.recipe->actions[place.action].origin)},
          {"selector", place.operation},
          {"term", outcome.rule(place)->entry}};
}

// Returns the rules that apply an operation to a module, and those that would without them.
static Json claims_json(const Outcome& outcome, const State& state) {
  Json out = Json::array();
  const auto assigns = [&](const RulePlace& place) {
    const ir::Rule* rule = outcome.rule(place);
    return rule != nullptr && rule->kind == ir::Rule::Kind::assigns;
  };
  const auto add = [&](const RulePlace& place, bool decides) {
    if (!assigns(place)) return;
    out.push_back(term_json(outcome, place));
    out.back()["decides"] = decides;
  };
  const auto add_all = [&](const Step& step, bool decides) {
    if (!assigns(step.by)) return;
    add(step.by, decides);
    for (const std::uint32_t rule : step.overridden) add({step.by.action, step.by.operation, rule}, false);
  };
  for (const Step& step : steps_of(state)) add_all(step, true);
  for (const Step& step : state.replaced) add_all(step, false);
  return out;
}

namespace {

// A rule with the names that it decides.
struct RuleRow {
  RulePlace place;
  std::vector<std::size_t> names;
  std::vector<std::size_t> overridden{};  // names that it matches but another rule decides
};

class Rules {
 public:
  explicit Rules(const NamedOutcome& named) : named_(named) {
    const auto& actions = named.outcome.recipe->actions;
    for (std::uint32_t action = 0; action < actions.size(); ++action) {
      for (std::uint32_t operation = 0; operation < actions[action].operations.size(); ++operation) {
        first_.push_back({action, operation, rows_.size()});
        const auto count = ir::selection_of(actions[action].operations[operation]).rules.size();
        for (std::uint32_t rule = 0; rule < count; ++rule) rows_.push_back({{action, operation, rule}, {}});
      }
    }
    for (std::size_t at = 0; at < named.names.size(); ++at) {
      for (const Step& step : steps_of(named.outcome.at(at))) add(step, at);
      for (const Step& step : named.outcome.at(at).replaced) add_replaced(step, at);
    }
  }

  std::string text() const {
    constexpr std::size_t kWidth = 40;
    std::string out = "selectors\n";
    std::uint32_t action = UINT32_MAX;
    for (const RuleRow& row : rows_) {
      if (!is_written(row)) continue;
      const ir::Origin& origin = named_.outcome.recipe->actions[row.place.action].origin;
      if (row.place.action != action) out += fmt::format("  {}\n", ir::printable_name(origin));
      action = row.place.action;
      out += fmt::format("    {:<{}} {}\n", base::printable(named_.outcome.rule(row.place)->entry), kWidth, shown(row));
    }
    return out;
  }

  Json json() const {
    Json out = Json::array();
    for (const RuleRow& row : rows_) {
      if (!is_written(row)) continue;
      Json matched = Json::array();
      for (const std::size_t at : row.names) matched.push_back(named_.names[at].name);
      for (const std::size_t at : row.overridden) matched.push_back(named_.names[at].name);
      out.push_back(term_json(named_.outcome, row.place));
      out.back()["takes"] = std::move(matched);
    }
    return out;
  }

 private:
  struct First {
    std::uint32_t action;
    std::uint32_t operation;
    std::size_t row;
  };

  // Returns the row of the first rule of an operation.
  [[nodiscard]] std::size_t first_row(const RulePlace& place) const {
    return std::ranges::find_if(
               first_,
               [&](const First& each) { return each.action == place.action && each.operation == place.operation; })
        ->row;
  }

  void add(const Step& step, std::size_t name) {
    const std::size_t first = first_row(step.by);
    if (step.by.rule) rows_[first + *step.by.rule].names.push_back(name);
    for (const std::uint32_t rule : step.overridden) rows_[first + rule].overridden.push_back(name);
  }

  void add_replaced(const Step& step, std::size_t name) {
    const std::size_t first = first_row(step.by);
    if (step.by.rule) rows_[first + *step.by.rule].overridden.push_back(name);
    for (const std::uint32_t rule : step.overridden) rows_[first + rule].overridden.push_back(name);
  }

  // Readers that decide by themselves add a rule for each name. Of these, only the entries of the file are shown.
  [[nodiscard]] bool is_written(const RuleRow& row) const {
    const ir::Rule& rule = *named_.outcome.rule(row.place);
    return !rule.entry.empty() && (!rule.span.empty() || !row.names.empty());
  }

  [[nodiscard]] std::string shown(const RuleRow& row) const {
    constexpr std::size_t kMaxCount = 3;
    const std::string rest =
        row.overridden.empty() ? "" : fmt::format("{} decided by other rules", row.overridden.size());
    if (row.names.empty()) return rest.empty() ? "no matches" : rest;
    std::string out = fmt::format("{}: ", row.names.size());
    for (std::size_t at = 0; at < std::min(row.names.size(), kMaxCount); ++at) {
      out += (at > 0 ? ", " : "") + base::printable(named_.names[row.names[at]].name);
    }
    return out + (row.names.size() > kMaxCount ? ", ..." : "") + (rest.empty() ? "" : "; " + rest);
  }

  const NamedOutcome& named_;
  std::vector<RuleRow> rows_;
  std::vector<First> first_;
};

}  // namespace

std::string text_of(const NamedOutcome& named, bool all) {
  std::vector<NameGroup> names;
  for (std::size_t at = 0; at < named.names.size(); ++at) {
    const model::Module& module = named.names[at];
    names.push_back({base::printable(module.name), state_text(named.outcome, named.outcome.at(at)),
                     module.shape ? model::to_text(*module.shape) : ""});
  }
  const std::string_view kind = named.outcome.recipe->units_are_parameters ? "parameters" : "modules";
  return Rules(named).text() + listed_names(kind, kind, std::move(names), all);
}

std::string json_of(const NamedOutcome& named) {
  Json list = Json::array();
  for (std::size_t at = 0; at < named.names.size(); ++at) {
    const model::Module& module = named.names[at];
    Json row = {{"name", module.name}};
    if (module.shape) row["shape"] = *module.shape;
    row["claims"] = claims_json(named.outcome, named.outcome.at(at));
    if (!module.type.empty()) row["class"] = module.type;
    if (named.joined != nullptr) row["joins"] = (*named.joined)[at];
    row["outcome"] = outcome::json_of(named.outcome, at, named.file);
    list.push_back(std::move(row));
  }
  const std::string kind = named.outcome.recipe->units_are_parameters ? "parameters" : "modules";
  const Json out = {{"format", 1}, {"selectors", Rules(named).json()}, {kind, std::move(list)}};
  return out.dump(1, ' ', true, Json::error_handler_t::replace) + "\n";
}

static std::string rule_text(const NamedOutcome& named, const RulePlace& place) {
  const ir::Rule* rule = named.outcome.rule(place);
  if (rule == nullptr) return "the default";
  const std::string entry = fmt::format("`{}`", base::printable(rule->entry));
  return rule->span.empty() ? entry : fmt::format("{} (line {})", entry, named.file.position(rule->span.begin).line);
}

// Returns the index of a name, or of the layer that joins it.
static std::optional<std::size_t> index_of(const NamedOutcome& named, std::string_view name) {
  for (std::size_t at = 0; at < named.names.size(); ++at) {
    const auto joins = [&] { return std::ranges::find((*named.joined)[at], name) != (*named.joined)[at].end(); };
    if (named.names[at].name == name || (named.joined != nullptr && joins())) return at;
  }
  return std::nullopt;
}

std::optional<std::string> explain(const NamedOutcome& named, std::string_view name) {
  const auto at = index_of(named, name);
  if (!at) return std::nullopt;
  const State& state = named.outcome.at(*at);
  const std::string answer = state_text(named.outcome, state);
  const std::string& layer = named.names[*at].name;
  std::string out = fmt::format("{}\n", base::printable(name));
  if (layer != name) out += fmt::format("  part of `{}`\n", base::printable(layer));
  out += fmt::format("  {}\n", answer.empty() ? "not changed" : answer);
  for (const Step& step : steps_of(state)) {
    const ir::Origin& origin = named.outcome.recipe->actions[step.by.action].origin;
    out += fmt::format("  {}: decided by {}\n", ir::printable_name(origin), rule_text(named, step.by));
    for (const std::uint32_t rule : step.overridden) {
      out += fmt::format("    {} also matches\n", rule_text(named, {step.by.action, step.by.operation, rule}));
    }
  }
  for (const Step& step : state.replaced) {
    const ir::Origin& origin = named.outcome.recipe->actions[step.by.action].origin;
    out += fmt::format("  {}: replaced by a later action\n", ir::printable_name(origin));
  }
  return out;
}

}  // namespace sparsecfg::match
