#include "dialect/llmcompressor/schemes.h"

#include <algorithm>

namespace sparsecfg::dialect::llmcompressor {

using source::Value;

// Parses a default of `targets` or `ignore` from the table: a word, or a list of at most one word.
std::vector<Entry> entries_of(const Modifier& modifier, std::string_view field) {
  if (modifier.find(field) != nullptr) {
    return entries_of(modifier.given(field));
  }
  const FieldSpec* row = modifier.spec->find(field);
  const std::string_view text = row == nullptr ? std::string_view() : row->default_value;
  const std::string_view word = text.starts_with('[') ? text.substr(1, text.size() - 2) : text;
  return word.empty() || word == "null" ? std::vector<Entry>() : std::vector<Entry>{{std::string(word), modifier.key}};
}

static Group preset_group(const Preset& preset, source::Span span, std::vector<Entry> targets) {
  return {std::string(preset.name), span, std::move(targets), {preset.weights}, {preset.inputs}, {}};
}

static void add_presets(const source::Map& scheme, std::vector<Group>& out) {
  for (const source::Entry& entry : scheme) {
    const auto* name = entry.first.get<std::string>();
    const Preset* preset = name == nullptr ? nullptr : find_preset(*name);
    if (preset != nullptr) out.push_back(preset_group(*preset, entry.first.span, entries_of(&entry.second)));
  }
}

std::vector<Group> groups_of(const Modifier& modifier) {
  std::vector<Group> out;
  const Value* scheme = modifier.given("scheme");
  if (scheme != nullptr && scheme->get<std::string>() != nullptr) {
    if (const Preset* preset = find_preset(*scheme->get<std::string>())) {
      out.push_back(preset_group(*preset, scheme->span, entries_of(modifier, "targets")));
    }
  } else if (scheme != nullptr && scheme->get<source::Map>() != nullptr) {
    add_presets(*scheme->get<source::Map>(), out);
  }
  const Value* groups = modifier.given("config_groups");
  const auto* map = groups == nullptr ? nullptr : groups->get<source::Map>();
  for (std::size_t at = 0; map != nullptr && scheme == nullptr && at < map->size(); ++at) {
    const auto& [key, value] = (*map)[at];
    out.push_back({source::python_str(key), key.span, entries_of(value.find("targets")), part_of(value, "weights"),
                   part_of(value, "input_activations"), part_of(value, "output_activations")});
  }
  return out;
}

bool needs_calibration(const Modifier& modifier) {
  const auto is_static = [](const Part& part) { return part.numbers.present && part.numbers.dynamic != Dynamic::yes; };
  const auto looks = [&](const Group& group) {
    const Value* observer = group.weights.value == nullptr ? nullptr : group.weights.value->find("observer");
    const bool matrix = observer != nullptr && observer->data == Value::Data(std::string("imatrix_mse"));
    return is_static(group.inputs) || is_static(group.outputs) || matrix;
  };
  return has(modifier, kNeedsData) || modifier.given("kv_cache_scheme") != nullptr ||
         modifier.text("weight_observer") == "imatrix_mse" ||
         (quantizes(modifier) && std::ranges::any_of(groups_of(modifier), looks)) ||
         (modifier.find("requires_calibration_data") != nullptr && modifier.flag("requires_calibration_data"));
}

// `targets: Linear` is the same as the default `[Linear]`.
bool has_configuration(const Modifier& modifier) {
  const std::vector<Entry> targets = entries_of(modifier, "targets");
  const bool usual = targets.size() == 1 && targets.front().text == "Linear";
  return modifier.given("scheme") != nullptr || modifier.given("config_groups") != nullptr ||
         modifier.given("kv_cache_scheme") != nullptr || !usual || !entries_of(modifier, "ignore").empty();
}

}  // namespace sparsecfg::dialect::llmcompressor
