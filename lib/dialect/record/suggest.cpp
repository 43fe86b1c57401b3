#include "dialect/record/suggest.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/number.h"
#include "base/text.h"

namespace sparsecfg::dialect {

using source::Value;

static constexpr std::array<std::pair<std::string_view, std::string_view>, 26> kExamples = {{
    {"T_max", "90"},
    {"backward_sparsity", "0.5"},
    {"compression_sparsity", "0.9"},
    {"cycle_epochs", "5.0"},
    {"desired_sparsity", "0.8"},
    {"end", "10.0"},
    {"end_epoch", "10.0"},
    {"ending_epoch", "10"},
    {"final_lr", "0.001"},
    {"final_sparsity", "0.8"},
    {"forward_sparsity", "0.8"},
    {"frequency", "1"},
    {"gamma", "0.1"},
    {"init_lr", "0.1"},
    {"init_sparsity", "0.05"},
    {"initial_sparsity", "0.05"},
    {"interval_steps", "100"},
    {"learning_rate", "0.1"},
    {"lr_kwargs", "{step_size: 10.0, gamma: 0.1}"},
    {"milestones", "[5, 10]"},
    {"params", "__ALL_PRUNABLE__"},
    {"sparsity", "0.5"},
    {"start_epoch", "0.0"},
    {"starting_epoch", "0"},
    {"total_times", "10"},
    {"update_frequency", "1.0"},
}};

std::string example_of(std::string_view field) {
  const auto* found = std::ranges::find(kExamples, field, [](const auto& example) { return example.first; });
  return found == kExamples.end() ? "" : fmt::format("{}: {}", field, found->second);
}

double fraction_of(double percent) {
  constexpr double kDigits = 1e12;
  return std::round(percent / 100 * kDigits) / kDigits;
}

std::optional<double> nearest_sparsity(const Bounds& bounds, double number) {
  const double near = number >= 1 ? 0.9 : 0.05;
  const bool fraction = bounds.min >= 0 && bounds.max <= 1;
  return fraction && bounds.contain(near) && !bounds.contain(number) ? std::optional(near) : std::nullopt;
}

std::vector<std::string_view> items_of(std::string_view text) {
  std::vector<std::string_view> items;
  const bool list = text.find(',') != std::string_view::npos && text.find_first_of("[]{}()") == std::string_view::npos;
  while (list && !text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view item = base::trim(text.substr(0, comma));
    if (item.empty() || item.find_first_of(" \t\n") != std::string_view::npos) {
      return {};
    }
    items.push_back(item);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return items;
}

static bool is_plain_in_lists(std::string_view item) {
  return (base::is_letter(item.front()) || base::is_digit(item.front()) || item.front() == '_') &&
         std::ranges::all_of(item, [](char c) {
           return base::is_letter(c) || base::is_digit(c) || c == '_' || c == '.' || c == '-' || c == '/';
         });
}

// Single quotes in YAML have no escapes, so the backslashes of a pattern stay as they are.
static std::string quoted_item(std::string_view item) {
  const bool raw = item.find('\\') != std::string_view::npos && item.find('\'') == std::string_view::npos &&
                   base::printable(item) == item;
  return raw ? fmt::format("'{}'", item) : base::python_repr(item);
}

std::string flow_list(const std::vector<std::string_view>& items) {
  std::vector<std::string> written;
  for (const std::string_view item : items) {
    written.push_back(is_plain_in_lists(item) ? std::string(item) : quoted_item(item));
  }
  return fmt::format("[{}]", fmt::join(written, ", "));
}

static std::string flow_scalar(const Value& value) {
  const auto* text = value.get<std::string>();
  if (text != nullptr)
    return !text->empty() && is_plain_in_lists(*text) && !base::parse_double(*text) ? *text : quoted_item(*text);
  if (const auto* truth = value.get<bool>()) return *truth ? "true" : "false";
  return value.is_null() ? "null" : source::python_str(value);
}

std::string flow_text(const Value& value) {
  std::vector<std::string> parts;
  if (const auto* list = value.get<source::List>()) {
    for (const Value& item : *list) parts.push_back(flow_text(item));
    return fmt::format("[{}]", fmt::join(parts, ", "));
  }
  if (const auto* map = value.get<source::Map>()) {
    for (const source::Entry& entry : *map) {
      parts.push_back(fmt::format("{}: {}", source::python_str(entry.first), flow_text(entry.second)));
    }
    return fmt::format("{{{}}}", fmt::join(parts, ", "));
  }
  return flow_scalar(value);
}

std::optional<std::string> list_meant_by(std::string_view text, Type type) {
  const std::vector<std::string_view> items = items_of(text);
  const bool numbers =
      std::ranges::all_of(items, [](std::string_view item) { return base::parse_double(item).has_value(); });
  const bool fits = allows(type, Type::texts | Type::selectors) ? !numbers
                    : allows(type, Type::reals | Type::list)    ? numbers
                                                                : false;
  return items.empty() || !fits ? std::nullopt : std::optional(flow_list(items));
}

static bool names_layer_type(const Value& value) {
  const auto* text = value.get<std::string>();
  return text != nullptr && !text->empty() && text->front() >= 'A' && text->front() <= 'Z' &&
         std::ranges::all_of(*text, [](char c) { return base::is_letter(c) || base::is_digit(c); });
}

bool names_layer_types(const Value& value) {
  const auto* list = value.get<source::List>();
  return list == nullptr ? names_layer_type(value) : !list->empty() && std::ranges::all_of(*list, names_layer_type);
}

}  // namespace sparsecfg::dialect
