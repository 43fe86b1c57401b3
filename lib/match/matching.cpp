#include "match/matching.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/edit_distance.h"
#include "base/number.h"
#include "base/text.h"
#include "ir/describe.h"
#include "match/outcomes.h"
#include "outcome/json.h"

namespace sparsecfg::match {

using ir::Claim;
using Json = nlohmann::ordered_json;

static std::string name_of(const ir::Action& action) { return ir::printable_name(action.origin); }

static std::string name_of(const model::Term& term) {
  return (term.kind == model::Term::Kind::pattern ? "re:" : "") + base::printable(term.text);
}

// Returns "[0.8]" for an action with several targets, "[W4A16]" for one with schemes, "[4 bits]" for one with bit
// widths by layer, else an empty string.
static std::string target_of(const ir::Action& action, std::size_t selector) {
  const auto* quantize = std::get_if<ir::Quantize>(&action.effect);
  const auto* schemes = quantize == nullptr ? nullptr : quantize->overrides.get<source::Map>();
  if (schemes != nullptr && quantize->replaces && selector < schemes->size()) {
    return fmt::format("[{}]", base::printable(source::python_str((*schemes)[selector].second)));
  }
  if (quantize != nullptr && selector < quantize->layer_grids.size() && !quantize->layer_grids[selector].empty()) {
    return fmt::format("[{} bits]", quantize->layer_grids[selector].front().bits);
  }
  const auto* prune = std::get_if<ir::Prune>(&action.effect);
  const bool one = prune == nullptr || prune->targets.size() < 2 || selector >= prune->targets.size();
  return one ? "" : fmt::format("[{}]", base::python_repr(prune->targets[selector].sparsity.value));
}

Matching::Matching(const ir::Recipe& recipe, const model::ModelNames* parameters, const model::ModelNames* modules)
    : recipe_(recipe) {
  add("parameters", model::Selector::Over::parameters, parameters);
  add("modules", model::Selector::Over::modules, modules);
}

// Returns true if a recipe has selectors over parameters, or over anything else.
static bool selects(const ir::Recipe& recipe, bool parameters) {
  return std::ranges::any_of(recipe.actions, [&](const ir::Action& action) {
    const auto selectors = ir::selectors_of(action.effect);
    return std::ranges::any_of(selectors, [&](const model::Selector* selector) {
      return (selector->over == model::Selector::Over::parameters) == parameters;
    });
  });
}

// A model provides both kinds of names, but most recipes select only one of them.
void Matching::add(std::string_view name, model::Selector::Over over, const model::ModelNames* names) {
  const bool parameters = over == model::Selector::Over::parameters;
  if (names == nullptr || (!selects(recipe_, parameters) && selects(recipe_, !parameters))) {
    return;
  }
  if (auto claims = ir::claims_on(recipe_, *names, over)) {
    kinds_.push_back({name, over, names, std::move(*claims)});
  } else {
    complete_ = false;
  }
}

// Returns the selectors of one kind. Selectors over anything but parameters are matched against modules.
std::vector<Matching::Row> Matching::rows_of(const Kind& kind) const {
  std::vector<Row> rows;
  std::vector<std::vector<std::size_t>> places(recipe_.actions.size());  // by action and selector
  for (std::size_t index = 0; index < recipe_.actions.size(); ++index) {
    const auto selectors = ir::selectors_of(recipe_.actions[index].effect);
    for (std::size_t number = 0; number < selectors.size(); ++number) {
      const model::Selector* selector = selectors[number];
      places[index].push_back(rows.size());
      if ((selector->over == model::Selector::Over::parameters) == (kind.over == model::Selector::Over::parameters)) {
        rows.push_back({&recipe_.actions[index], index, selector, number,
                        std::vector<std::vector<std::size_t>>(selector->terms.size())});
      }
    }
  }
  for (std::size_t at = 0; at < kind.claims.size(); ++at) {
    for (const Claim& claim : kind.claims[at]) {
      Row& row = rows[places[claim.action][claim.selector]];
      row.matched[static_cast<std::size_t>(claim.term - row.selector->terms.data())].push_back(at);
    }
  }
  return rows;
}

// --- text -------------------------------------------------------------------------------------------

static std::string shown(const std::vector<std::size_t>& matched, const model::ModelNames& names) {
  constexpr std::size_t kMaxCount = 3;
  if (matched.empty()) {
    return "no matches";
  }
  std::string text = fmt::format("{}: ", matched.size());
  for (std::size_t at = 0; at < std::min(matched.size(), kMaxCount); ++at) {
    text += (at > 0 ? ", " : "") + base::printable(names[matched[at]]);
  }
  return text + (matched.size() > kMaxCount ? ", ..." : "");
}

NameGroup Matching::answer_of(const Kind& kind, std::size_t at) const {
  std::vector<std::string> deciding;
  std::vector<std::string> overridden;
  for (const Claim& claim : kind.claims[at]) {
    const ir::Action& action = recipe_.actions[claim.action];
    (claim.decides ? deciding : overridden).push_back(name_of(action) + target_of(action, claim.selector));
  }
  const model::Shape* shape = kind.names->shape(at);
  std::string answer = deciding.empty() ? "" : base::join_and(deciding);
  if (!overridden.empty())
    answer += (deciding.empty() ? "-; not applied: " : "; not applied: ") + base::join_and(overridden);
  return {base::printable((*kind.names)[at]), answer, shape == nullptr ? "" : model::to_text(*shape)};
}

// Minimum width of the first column.
constexpr std::size_t kMinWidth = 42;

static std::string label_of(const NameGroup& group) {
  return group.name + (group.shape.empty() ? "" : fmt::format(" ({})", group.shape));
}

// Pads a text to a width in columns of the terminal.
static std::string padded(const std::string& text, std::size_t width) {
  return text + std::string(width - std::min(width, base::display_width(text)), ' ');
}

static std::string line_of(const NameGroup& group, std::size_t width) {
  const std::string count = group.count > 1 ? fmt::format(" ({} names)", group.count) : "";
  return fmt::format("  {} {}{}\n", padded(label_of(group), width), group.answer.empty() ? "-" : group.answer, count);
}

std::string listed_names(std::string_view title, std::string_view kind, std::vector<NameGroup> names, bool all) {
  constexpr std::size_t kFew = 12;
  const auto selected = static_cast<std::size_t>(
      std::ranges::count_if(names, [](const NameGroup& name) { return !name.answer.empty(); }));
  const std::size_t count = names.size();
  if (!all && selected > kFew) names = grouped(names);
  std::string out = fmt::format("{}\n", title);
  if (!all) std::erase_if(names, [](const NameGroup& name) { return name.answer.empty(); });
  std::size_t width = kMinWidth;
  for (const NameGroup& name : names) width = std::max(width, base::display_width(label_of(name)));
  for (const NameGroup& name : names) out += line_of(name, width);
  return all || selected == count
             ? out
             : out + fmt::format("  {} of {} {} are not selected (list with --all)\n", count - selected, count, kind);
}

std::string Matching::names_text(const Kind& kind, bool all) const {
  std::vector<NameGroup> names;
  for (std::size_t at = 0; at < kind.names->size(); ++at) names.push_back(answer_of(kind, at));
  return listed_names(kind.name, kind.name, std::move(names), all);
}

std::string Matching::text(bool all) const {
  std::string out;
  for (const Kind& kind : kinds_) {
    out += "selectors\n";
    const std::vector<Row> rows = rows_of(kind);
    std::size_t width = kMinWidth - 2;
    for (const Row& row : rows) {
      for (const model::Term& term : row.selector->terms) width = std::max(width, base::display_width(name_of(term)));
    }
    for (const Row& row : rows) {
      out += fmt::format("  {}{}\n", name_of(*row.action), target_of(*row.action, row.number));
      for (std::size_t term = 0; term < row.matched.size(); ++term) {
        out += fmt::format("    {} {}\n", padded(name_of(row.selector->terms[term]), width),
                           shown(row.matched[term], *kind.names));
      }
    }
    out += names_text(kind, all);
  }
  return out;
}

std::optional<std::string> Matching::selected_by(std::string_view action) const {
  bool known = false;
  std::string out;
  for (const Kind& kind : kinds_) {
    for (std::size_t at = 0; at < kind.names->size(); ++at) {
      const bool selects = std::ranges::any_of(
          kind.claims[at], [&](const Claim& claim) { return name_of(recipe_.actions[claim.action]) == action; });
      if (selects) out += base::printable((*kind.names)[at]) + "\n";
    }
  }
  for (const ir::Action& each : recipe_.actions) known = known || name_of(each) == action;
  return known ? std::optional(out) : std::nullopt;
}

// Returns the entry of the ignored names that matches a name, or an empty string.
std::string Matching::ignored_by(const Kind& kind, std::size_t at, const model::Selector& selector) {
  for (const model::Term& term : selector.excluded) {
    model::Selector one;
    one.terms = {term};
    one.over = selector.over;
    if (model::matched_names(one, *kind.names)[at]) return name_of(term);
  }
  return {};
}

std::string Matching::verdict(const Kind& kind, std::size_t at, const Row& row) const {
  const auto is_of_row = [&](const Claim& claim) { return claim.action == row.index && claim.selector == row.number; };
  const auto claim = std::ranges::find_if(kind.claims[at], is_of_row);
  if (claim == kind.claims[at].end()) {
    const std::string term = ignored_by(kind, at, *row.selector);
    return term.empty() ? "not selected" : fmt::format("ignored by `{}`", term);
  }
  return claim->decides ? fmt::format("selected by `{}`", name_of(*claim->term))
                        : fmt::format("matched by `{}`, but an earlier target applies", name_of(*claim->term));
}

std::optional<std::string> Matching::explain(std::string_view name) const {
  for (const Kind& kind : kinds_) {
    const auto found = std::ranges::find(kind.names->list(), name);
    if (found == kind.names->list().end()) {
      continue;
    }
    const auto at = static_cast<std::size_t>(found - kind.names->list().begin());
    std::string out = base::printable(name) + "\n";
    for (const Row& row : rows_of(kind)) {
      out +=
          fmt::format("  {}{}: {}\n", name_of(*row.action), target_of(*row.action, row.number), verdict(kind, at, row));
    }
    return out;
  }
  return std::nullopt;
}

std::optional<std::string> Matching::nearest(std::string_view text) const {
  for (const Kind& kind : kinds_) {
    base::Guesses guesses(kind.names->list());
    if (const auto guess = guesses.nearest(text)) return std::string(*guess);
  }
  return std::nullopt;
}

// --- JSON -------------------------------------------------------------------------------------------

static Json names_at(const std::vector<std::size_t>& places, const model::ModelNames& names) {
  Json out = Json::array();
  for (const std::size_t at : places) out.push_back(names[at]);
  return out;
}

static Json name_json(const ir::Recipe& recipe, const model::ModelNames& names, std::size_t at,
                      const std::vector<Claim>& claims) {
  Json list = Json::array();
  for (const Claim& claim : claims) {
    list.push_back({{"action", name_of(recipe.actions[claim.action])},
                    {"selector", claim.selector},
                    {"term", name_of(*claim.term)},
                    {"decides", claim.decides}});
  }
  Json out = {{"name", names[at]}};
  if (const model::Shape* shape = names.shape(at)) {
    out["shape"] = *shape;
  }
  out["claims"] = std::move(list);
  return out;
}

std::string Matching::json(const std::vector<model::Module>* modules, const NamedOutcome* outcome) const {
  Json out = {{"format", 1}, {"selectors", Json::array()}};
  for (const Kind& kind : kinds_) {
    for (const Row& row : rows_of(kind)) {
      for (std::size_t term = 0; term < row.matched.size(); ++term) {
        out["selectors"].push_back({{"action", name_of(*row.action)},
                                    {"selector", row.number},
                                    {"term", name_of(row.selector->terms[term])},
                                    {"takes", names_at(row.matched[term], *kind.names)}});
      }
    }
    Json list = Json::array();
    for (std::size_t at = 0; at < kind.names->size(); ++at) {
      list.push_back(name_json(recipe_, *kind.names, at, kind.claims[at]));
      const bool has_class = modules != nullptr && kind.name == "modules" && modules->size() == kind.names->size();
      if (has_class) list.back()["class"] = (*modules)[at].type;
      if (has_class && outcome != nullptr) {
        list.back()["outcome"] = outcome::json_of(outcome->outcome, at, outcome->file);
      }
    }
    out[std::string(kind.name)] = std::move(list);
  }
  return out.dump(1, ' ', true, Json::error_handler_t::replace) + "\n";
}

}  // namespace sparsecfg::match
