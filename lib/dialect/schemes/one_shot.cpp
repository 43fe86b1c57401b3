#include "dialect/schemes/one_shot.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/text.h"
#include "dialect/schemes/assigned.h"

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
      out.settings.push_back(base::printable(field.name + " " + source::python_str(field.value)));
    }
  }
  return out;
}

// Adds a layer to the row of its type and scheme. Layers that are not quantized count only if their shape is known.
static void add_layer(const Assignment& assignment, const std::vector<std::string>& schemes,
                      const std::vector<model::Module>& modules, std::size_t at, std::vector<ir::StoredLayers>& rows) {
  const model::Module& module = modules[at];
  const auto group = assignment.groups_of_modules[at];
  std::optional<std::uint64_t> weights;
  if (module.shape) weights = model::elements_of(*module.shape);
  if (!group && (!weights || *weights == 0)) {
    return;
  }
  const std::string& scheme = group ? schemes[*group] : schemes.back();
  auto row = std::ranges::find_if(
      rows, [&](const ir::StoredLayers& other) { return other.type == module.type && other.scheme == scheme; });
  if (row == rows.end()) {
    rows.push_back({base::printable(module.type), scheme});
    row = rows.end() - 1;
  }
  ++row->layers;
  row->bits += bits_of(assignment, modules, at);
  const std::uint64_t count = weights.value_or(0);
  if (!weights) {
    row->weights.reset();
  } else if (row->weights) {
    *row->weights += count;
  }
}

bool is_one_shot(const ir::Recipe& recipe) {
  return !recipe.trains && std::ranges::any_of(recipe.actions, [](const ir::Action& action) {
    const auto* quantize = std::get_if<ir::Quantize>(&action.effect);
    return !action.origin.stage.empty() || (quantize != nullptr && quantize->replaces);
  });
}

ir::OneShot one_shot_of(const ir::Recipe& recipe, const std::vector<model::Module>* modules) {
  ir::OneShot out;
  for (std::size_t at = 0; at < recipe.actions.size(); ++at) out.steps.push_back(step_of(recipe.actions[at], at));
  if (modules == nullptr) {
    return out;
  }
  const Assignment assignment = assign(recipe, *modules);
  if (assignment.groups.empty()) {
    return out;
  }
  std::vector<std::string> schemes;
  for (const Value& group : assignment.groups) schemes.push_back(describe_group(group));
  schemes.emplace_back();  // of layers without a group
  for (std::size_t at = 0; at < modules->size(); ++at) add_layer(assignment, schemes, *modules, at, out.stored);
  std::ranges::stable_sort(out.stored, {}, [](const ir::StoredLayers& row) { return row.scheme.empty(); });
  return out;
}

}  // namespace sparsecfg::dialect::schemes
