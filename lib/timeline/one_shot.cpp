#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "timeline/writers.h"

// Lists the order of actions in a one-shot recipe, which is not divided into epochs and steps.
namespace sparsecfg::timeline {

using Json = nlohmann::ordered_json;

// Returns the selectors of an action as written in the recipe.
static std::vector<std::string> targets_of(const ir::Action& action) {
  std::vector<std::string> out;
  for (const model::Selector* selector : ir::selectors_of(action.effect)) {
    for (const model::Term& term : selector->terms) {
      out.push_back((term.kind == model::Term::Kind::pattern ? "re:" : "") + term.text);
    }
  }
  return out;
}

static std::size_t line_of(const ir::Action& action, const source::SourceFile& file) {
  return file.position(action.origin.span.begin).line;
}

static bool any_data(const ir::Recipe& recipe) { return std::ranges::any_of(recipe.actions, &ir::Action::needs_data); }

std::string list_order(const ir::Recipe& recipe, const source::SourceFile& file) {
  std::string out = fmt::format(
      "one-shot, {} in this order{}\n",
      recipe.actions.size() == 1 ? std::string("1 modifier") : fmt::format("{} modifiers", recipe.actions.size()),
      any_data(recipe) ? "; requires a dataset" : "; no dataset required");
  std::string stage;
  for (std::size_t at = 0; at < recipe.actions.size(); ++at) {
    const ir::Action& action = recipe.actions[at];
    if (at == 0 || action.origin.stage != stage) {
      stage = action.origin.stage;
      out += base::printable(stage) + "\n";
    }
    const std::vector<std::string> targets = targets_of(action);
    out += fmt::format(
        "  {:>2}. {} (line {}): {}{}\n", at + 1, base::printable(action.origin.class_name), line_of(action, file),
        action.needs_data ? "requires data" : "data-free",
        targets.empty() ? "" : fmt::format("; {}", base::printable(fmt::format("{}", fmt::join(targets, ", ")))));
  }
  return out;
}

static Json modifier_json(const ir::Action& action, const source::SourceFile& file) {
  return {{"class", action.origin.class_name}, {"ordinal", action.origin.ordinal}, {"stage", action.origin.stage},
          {"group", action.origin.group},      {"line", line_of(action, file)},    {"needs_data", action.needs_data},
          {"targets", targets_of(action)}};
}

std::string list_order_json(const ir::Recipe& recipe, const source::SourceFile& file) {
  Json modifiers = Json::array();
  for (const ir::Action& action : recipe.actions) modifiers.push_back(modifier_json(action, file));
  const Json out = {{"format", 1},
                    {"path", file.name()},
                    {"dialect", recipe.dialect},
                    {"needs_data", any_data(recipe)},
                    {"modifiers", std::move(modifiers)}};
  return out.dump(1, ' ', true, Json::error_handler_t::replace) + "\n";
}

std::string list_order_jsonl(const ir::Recipe& recipe, const source::SourceFile& file) {
  const auto line_of_json = [](const Json& json) {
    return json.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n";
  };
  std::string out = line_of_json({{"format", 1},
                                  {"path", file.name()},
                                  {"dialect", recipe.dialect},
                                  {"one_shot", true},
                                  {"needs_data", any_data(recipe)}});
  for (const ir::Action& action : recipe.actions) out += line_of_json(modifier_json(action, file));
  return out;
}

}  // namespace sparsecfg::timeline
