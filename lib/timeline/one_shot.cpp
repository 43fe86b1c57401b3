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

// Returns the rows below the name of a modifier.
static std::string details_of(const ir::OneShotStep& step) {
  std::string out;
  const auto add = [&](const std::string& text) { out += fmt::format("      {}\n", text); };
  for (const ir::SchemeOfLayers& each : step.schemes) add(fmt::format("{}: {}", each.layers, each.scheme));
  for (const std::string& mapping : step.mappings) add("mapping " + mapping);
  if (!step.settings.empty()) add(fmt::format("{}", fmt::join(step.settings, ", ")));
  if (!step.ignored.empty()) add(fmt::format("ignores {}", fmt::join(step.ignored, ", ")));
  return out;
}

static std::string row_of_sizes(std::string_view type, std::string_view scheme, const ir::StoredLayers& row,
                                std::size_t width) {
  const bool known = row.weights && *row.weights > 0;
  return fmt::format("{:<16}  {:<{}}  {:>6}  {:>14}  {:>11}  {:>9}\n", type, scheme, width, row.layers,
                     row.weights ? fmt::format("{}", *row.weights) : "unknown",
                     known ? fmt::format("{:.2f}", row.bits / static_cast<double>(*row.weights)) : "unknown",
                     known ? ir::bytes_text(row.bits) : "unknown");
}

// Returns a table with a row for each type of layers and each scheme.
static std::string table_of_sizes(const ir::OneShot& one_shot) {
  if (one_shot.stored.empty()) {
    return {};
  }
  constexpr std::string_view kPlain = "not quantized";
  std::size_t width = kPlain.size();
  for (const ir::StoredLayers& row : one_shot.stored) width = std::max(width, row.scheme.size());
  std::string out = fmt::format("\n{:<16}  {:<{}}  {:>6}  {:>14}  {:>11}  {:>9}\n", "layer type", "scheme", width,
                                "layers", "weights", "bits/weight", "size");
  for (const ir::StoredLayers& row : one_shot.stored) {
    out += row_of_sizes(row.type, row.scheme.empty() ? kPlain : row.scheme, row, width);
  }
  return out + row_of_sizes("all", "", one_shot.total(), width);
}

static bool has_schemes(const ir::OneShot& one_shot) {
  return std::ranges::any_of(one_shot.steps, [](const ir::OneShotStep& step) { return !step.schemes.empty(); });
}

std::string list_order(const ir::Recipe& recipe, const ir::OneShot& one_shot, const source::SourceFile& file) {
  std::string out = fmt::format("one-shot, {} in this order{}\n", base::counted(recipe.actions.size(), "modifier"),
                                any_data(recipe) ? "; requires a dataset" : "; no dataset required");
  std::string stage;
  for (std::size_t at = 0; at < recipe.actions.size(); ++at) {
    const ir::Action& action = recipe.actions[at];
    if (action.origin.stage != stage) {
      stage = action.origin.stage;
      out += base::printable(stage) + "\n";
    }
    const std::vector<std::string> targets = targets_of(action);
    const bool named = targets.empty() || !one_shot.steps[at].schemes.empty();
    out += fmt::format("  {:>2}. {} (line {}): {}{}\n", at + 1, base::printable(action.origin.class_name),
                       line_of(action, file), action.needs_data ? "requires data" : "data-free",
                       named ? "" : fmt::format("; {}", base::printable(fmt::format("{}", fmt::join(targets, ", ")))));
    out += details_of(one_shot.steps[at]);
  }
  out += table_of_sizes(one_shot);
  return has_schemes(one_shot) ? out + fmt::format("\nsize of the weights: {}\n", ir::size_text(one_shot)) : out;
}

static Json modifier_json(const ir::Action& action, const ir::OneShotStep& step, const source::SourceFile& file) {
  Json schemes = Json::array();
  for (const ir::SchemeOfLayers& each : step.schemes) {
    schemes.push_back({{"layers", each.layers}, {"scheme", each.scheme}});
  }
  return {{"class", action.origin.class_name}, {"ordinal", action.origin.ordinal}, {"stage", action.origin.stage},
          {"group", action.origin.group},      {"line", line_of(action, file)},    {"needs_data", action.needs_data},
          {"targets", targets_of(action)},     {"schemes", std::move(schemes)},    {"ignored", step.ignored},
          {"mappings", step.mappings},         {"settings", step.settings}};
}

static Json stored_json(const ir::StoredLayers& row) {
  const bool known = row.weights && *row.weights > 0;
  return {{"type", row.type},
          {"scheme", row.scheme.empty() ? Json(nullptr) : Json(row.scheme)},
          {"layers", row.layers},
          {"weights", row.weights ? Json(*row.weights) : Json(nullptr)},
          {"bits_per_weight", known ? Json(row.bits / static_cast<double>(*row.weights)) : Json(nullptr)},
          {"bytes", known ? Json(static_cast<std::uint64_t>(std::min(row.bits / 8, 9e18))) : Json(nullptr)}};
}

static Json stored_json(const ir::OneShot& one_shot) {
  Json out = Json::array();
  for (const ir::StoredLayers& row : one_shot.stored) out.push_back(stored_json(row));
  return out;
}

std::string list_order_json(const ir::Recipe& recipe, const ir::OneShot& one_shot, const source::SourceFile& file) {
  Json modifiers = Json::array();
  for (std::size_t at = 0; at < recipe.actions.size(); ++at) {
    modifiers.push_back(modifier_json(recipe.actions[at], one_shot.steps[at], file));
  }
  const Json out = {{"format", 1},
                    {"path", file.name()},
                    {"dialect", recipe.dialect},
                    {"needs_data", any_data(recipe)},
                    {"modifiers", std::move(modifiers)},
                    {"layers", stored_json(one_shot)}};
  return out.dump(1, ' ', true, Json::error_handler_t::replace) + "\n";
}

std::string list_order_jsonl(const ir::Recipe& recipe, const ir::OneShot& one_shot, const source::SourceFile& file) {
  const auto line_of_json = [](const Json& json) {
    return json.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n";
  };
  std::string out = line_of_json({{"format", 1},
                                  {"path", file.name()},
                                  {"dialect", recipe.dialect},
                                  {"one_shot", true},
                                  {"needs_data", any_data(recipe)}});
  for (std::size_t at = 0; at < recipe.actions.size(); ++at) {
    out += line_of_json(modifier_json(recipe.actions[at], one_shot.steps[at], file));
  }
  return out;
}

}  // namespace sparsecfg::timeline
