#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_set>

#include "base/number.h"
#include "base/text.h"
#include "create/create.h"

// Selects the parameters to prune and their sparsities.
namespace sparsecfg::create {

using model::Shape;

// --- rules for names and shapes of the model ---

// Minimum fraction of depthwise, and of pointwise, convolutions in a model with separable layers.
constexpr double kMinFraction = 0.3;

// Returns true for a convolution with one input channel per group and a kernel larger than 1x1.
static bool is_depthwise(const Shape& shape) {
  return shape.size() == 4 && shape[1] == 1 && shape[0] > 1 && shape[2] * shape[3] > 1;
}

static bool is_pointwise(const Shape& shape) { return shape.size() == 4 && shape[1] > 1 && shape[2] * shape[3] == 1; }

// Returns true if the model consists largely of depthwise separable convolutions, as MobileNet does.
static bool has_separable_layers(const model::Parameters& parameters) {
  std::size_t all = 0;
  std::size_t depthwise = 0;
  std::size_t pointwise = 0;
  for (const auto& shape : parameters.shapes) {
    if (!shape || shape->size() != 4) continue;
    ++all;
    depthwise += is_depthwise(*shape) ? 1 : 0;
    pointwise += is_pointwise(*shape) ? 1 : 0;
  }
  const double min = kMinFraction * static_cast<double>(all);
  return all > 0 && static_cast<double>(depthwise) >= min && static_cast<double>(pointwise) >= min;
}

std::vector<std::string> prunable(const model::Parameters& parameters, const Rules& rules) {
  constexpr std::string_view kWeight = ".weight";
  const bool separable = rules.skip_depthwise && has_separable_layers(parameters);
  std::vector<std::string> out;
  for (std::size_t at = 0; at < parameters.names.size(); ++at) {
    const std::string& name = parameters.names[at];
    const auto& shape = parameters.shapes[at];
    const std::string_view layer =
        std::string_view(name).substr(0, name.size() - std::min(name.size(), kWeight.size()));
    const bool excluded =
        !name.ends_with(kWeight) || (shape && shape->size() < 2) || layer.find("input") != std::string_view::npos ||
        layer.find("output") != std::string_view::npos || (separable && shape && is_depthwise(*shape));
    if (!excluded) out.push_back(name);
  }
  if (rules.skip_first_last && out.size() > 2) {
    out.pop_back();
    out.erase(out.begin());
  }
  return out;
}

static double size_of(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), 1.0,
                         [](double product, auto size) { return product * static_cast<double>(size); });
}

using Names = std::unordered_set<std::string_view>;

static Names index_of(const std::vector<std::string>& names) { return {names.begin(), names.end()}; }

double pruned_weights(const Choices& choices) {
  double out = 0;
  for (const Tier& tier : tiers_of(choices)) {
    const Names selected = index_of(tier.parameters);
    for (const auto& [name, shape] : choices.shapes) {
      out += selected.contains(name) ? choices.sparsity * tier.fraction * size_of(shape) : 0;
    }
  }
  return out;
}

void set_parameters(Choices& choices, const model::Parameters& parameters, const Rules& rules) {
  choices.parameters = prunable(parameters, rules);
  const Names pruned = index_of(choices.parameters);
  for (std::size_t at = 0; at < parameters.names.size(); ++at) {
    const auto& shape = parameters.shapes[at];
    choices.shapes_known |= shape.has_value();
    if (shape && pruned.contains(parameters.names[at])) choices.shapes.emplace_back(parameters.names[at], *shape);
    if (shape) choices.weights += size_of(*shape);
  }
  const auto unknown = [](const std::optional<Shape>& shape) { return !shape; };
  if (std::ranges::any_of(parameters.shapes, unknown)) choices.weights = 0;
}

// --- sensitivity ---

static std::optional<double> number_of(const source::Value& value) {
  const auto number = value.number();
  return number && std::isfinite(*number) ? number : std::nullopt;
}

// Parses one number, or a mapping from sparsities to numbers.
static std::optional<Sensitivity> sensitivity_of(const std::string& name, const source::Value& value) {
  if (const auto number = number_of(value)) return Sensitivity{name, {{1.0, *number}}};
  const auto* map = value.get<source::Map>();
  Sensitivity out{name, {}};
  for (std::size_t at = 0; map != nullptr && at < map->size(); ++at) {
    const auto sparsity = base::parse_double(source::python_str((*map)[at].first));
    const auto score = number_of((*map)[at].second);
    if (!sparsity || !score) return std::nullopt;
    out.scores.emplace_back(*sparsity, *score);
  }
  std::ranges::sort(out.scores);
  return out.scores.empty() ? std::nullopt : std::optional(std::move(out));
}

std::optional<std::string> read_sensitivities(Choices& choices, const std::string& text) {
  const auto read = read_mapping(text);
  if (const auto* why = std::get_if<std::string>(&read)) return *why;
  for (const auto& [key, value] : std::get<source::Map>(read)) {
    const std::string name = source::python_str(key);
    auto sensitivity = sensitivity_of(name, value);
    if (!sensitivity) {
      return fmt::format("`{}` must be a number or a mapping from sparsities to numbers", base::printable(name));
    }
    choices.sensitivities.push_back(std::move(*sensitivity));
  }
  if (choices.sensitivities.empty()) return "the mapping is empty; add a line `NAME: NUMBER` for each parameter";
  return std::nullopt;
}

// Returns the score at the lowest measured sparsity that is at least `sparsity`, or at the highest one if all are
// lower.
static double score_at(const Sensitivity& sensitivity, double sparsity) {
  const auto found = std::ranges::find_if(sensitivity.scores, [&](const auto& each) { return each.first >= sparsity; });
  return found == sensitivity.scores.end() ? sensitivity.scores.back().second : found->second;
}

static std::pair<double, double> mean_and_deviation(const std::vector<double>& numbers) {
  const auto count = static_cast<double>(numbers.size());
  const double mean = std::accumulate(numbers.begin(), numbers.end(), 0.0) / count;
  double squares = 0;
  for (const double number : numbers) squares += (number - mean) * (number - mean);
  return {mean, std::sqrt(squares / count)};
}

std::vector<Tier> tiers_of(const Choices& choices) {
  std::vector<Tier> tiers{{"sparsity", 1}, {"mid_sparsity", 0.9}, {"low_sparsity", 0.8}};
  if (choices.sensitivities.empty()) {
    return {{"sparsity", 1, choices.parameters}};
  }
  std::vector<double> scores;
  for (const Sensitivity& each : choices.sensitivities) scores.push_back(score_at(each, choices.sparsity));
  const auto [mean, deviation] = mean_and_deviation(scores);
  const Names pruned = index_of(choices.parameters);
  Names measured;
  for (std::size_t at = 0; at < scores.size(); ++at) {
    const std::string& name = choices.sensitivities[at].parameter;
    measured.insert(name);
    if (!pruned.empty() && !pruned.contains(name)) continue;
    const std::size_t tier = scores[at] <= mean + 0.25 * deviation ? 0 : scores[at] <= mean + deviation ? 1 : 2;
    tiers[tier].parameters.push_back(name);
  }
  for (const std::string& name : choices.parameters) {
    if (!measured.contains(name)) tiers[0].parameters.push_back(name);
  }
  std::erase_if(tiers, [](const Tier& tier) { return tier.parameters.empty(); });
  return tiers;
}

}  // namespace sparsecfg::create
