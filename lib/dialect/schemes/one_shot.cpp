#include "dialect/schemes/one_shot.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/text.h"
#include "dialect/schemes/assigned.h"
#include "ir/found_recipe.h"

namespace sparsecfg::dialect::schemes {

using source::Value;

// Fields that have separate rows.
constexpr std::string_view kOtherFields[] = {"targets", "ignore", "scheme", "config_groups", "mappings"};

static std::vector<std::string> texts_of(const Value* value) {
  std::vector<std::string> out;
  for (const Entry& entry : entries_of(value)) out.push_back(base::printable(entry.text));
  return out;
}

static std::string joined(const Value* value) { return fmt::format("{}", fmt::join(texts_of(value), ", ")); }

// A mapping is a pair of lists, or has the keys `balance_layers` and `smooth_layer`.
static std::string mapping_text(const Value& mapping) {
  const auto* pair = mapping.get<source::List>();
  if (pair != nullptr && pair->size() == 2) {
    return joined(&(*pair)[0]) + ": " + joined(&(*pair)[1]);
  }
  const Value* layers = mapping.find("balance_layers");
  const Value* smooth = mapping.find("smooth_layer");
  if (layers == nullptr || smooth == nullptr) {
    return base::printable(source::python_str(mapping));
  }
  return joined(layers) + ": " + joined(smooth);
}

// The text of an unknown value is the reason, and the line of its cause.
static std::string text_of(const Value& value) {
  const auto* text = value.get<std::string>();
  return text == nullptr ? source::python_str(value) : ir::reason_of(*text).message();
}

static ir::OneShotStep step_of(const ir::Action& action, std::size_t index) {
  ir::OneShotStep out{index, {}, texts_of(ignored_by(action.origin)), {}, {}};
  for (const source::Entry& group : groups_of(action.origin)) {
    out.schemes.push_back({joined(group.second.find("targets")), describe_group(group.second)});
  }
  for (const ir::OriginField& field : action.origin.fields) {
    const auto* list = field.value.get<source::List>();
    if (field.name == "mappings" && list != nullptr) {
      for (const Value& mapping : *list) out.mappings.push_back(mapping_text(mapping));
    } else if (std::ranges::find(kOtherFields, field.name) == std::end(kOtherFields) && !field.value.is_null()) {
      out.settings.push_back(base::printable(field.name + " " + text_of(field.value)));
    }
  }
  return out;
}

bool is_one_shot(const ir::Recipe& recipe) {
  return !recipe.trains && std::ranges::any_of(recipe.actions, [](const ir::Action& action) {
    const auto* quantize = std::get_if<ir::Quantize>(&action.effect);
    return !action.origin.stage.empty() || (quantize != nullptr && quantize->replaces);
  });
}

ir::OneShot one_shot_of(const ir::Recipe& recipe) {
  ir::OneShot out;
  for (std::size_t at = 0; at < recipe.actions.size(); ++at) out.steps.push_back(step_of(recipe.actions[at], at));
  return out;
}

}  // namespace sparsecfg::dialect::schemes
