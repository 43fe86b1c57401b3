#include "dialect/compressed_tensors/config.h"

#include "dialect/schemes/assigned.h"

namespace sparsecfg::dialect::compressed_tensors {

using source::Value;

static ConfigGroup preset_group(const std::string& name, const Value& targets, source::Span span) {
  ConfigGroup out;
  out.name = name;
  out.span = span;
  out.targets = schemes::entries_of(&targets);
  out.value = &targets;
  out.preset = true;
  if (const schemes::Preset* preset = schemes::find_preset(name)) {
    out.weights = {preset->weights};
    out.inputs = {preset->inputs};
  }
  return out;
}

static ConfigGroup group_of(const source::Entry& entry) {
  const auto& [key, value] = entry;
  if (value.get<source::List>() != nullptr) {
    return preset_group(source::python_str(key), value, key.span);
  }
  ConfigGroup out;
  out.name = source::python_str(key);
  out.span = key.span;
  out.value = &value;
  const Value* targets = value.find("targets");
  if (targets != nullptr && targets->get<source::List>() != nullptr) out.targets = schemes::entries_of(targets);
  if (targets != nullptr && targets->get<std::string>() != nullptr) out.text_targets = *targets->get<std::string>();
  out.weights = schemes::part_of(value, "weights");
  out.inputs = schemes::part_of(value, "input_activations");
  out.outputs = schemes::part_of(value, "output_activations");
  const Value* format = value.find("format");
  if (format != nullptr && format->get<std::string>() != nullptr) out.format = *format->get<std::string>();
  return out;
}

Config config_of(Record record) {
  Config out{std::move(record), {}, {}, {}, nullptr};
  if (const Value* groups = out.record.given("config_groups"); groups == nullptr) {
    const Field* field = out.record.find("config_groups");
    const auto* map = field == nullptr ? nullptr : field->value.get<source::Map>();
    for (std::size_t at = 0; map != nullptr && at < map->size(); ++at) out.groups.push_back(group_of((*map)[at]));
  } else if (const auto* map = groups->get<source::Map>()) {
    for (const source::Entry& entry : *map) out.groups.push_back(group_of(entry));
  }
  const Field* ignore = out.record.find("ignore");
  if (ignore != nullptr && ignore->value.get<source::List>() != nullptr)
    out.ignore = schemes::entries_of(&ignore->value);
  const Field* format = out.record.find("format");
  if (format != nullptr && format->value.get<std::string>() != nullptr) out.format = *format->value.get<std::string>();
  const Field* cache = out.record.find("kv_cache_scheme");
  if (cache != nullptr && cache->value.get<source::Map>() != nullptr) out.cache = &cache->value;
  return out;
}

std::vector<std::optional<std::size_t>> groups_in(const Modules& modules, const Config& config) {
  return schemes::schemes_in(modules, config.plain_groups(), config.ignore);
}

bool has_byte_scales(const ConfigGroup& group) {
  if (group.preset) {
    return group.name.starts_with("MX") || group.name.starts_with("mx");
  }
  const Value* type = group.weights.value == nullptr ? nullptr : group.weights.value->find("scale_dtype");
  const auto* text = type == nullptr ? nullptr : type->get<std::string>();
  return text != nullptr && (*text == "torch.uint8" || *text == "uint8");
}

std::string_view inferred_format(const ConfigGroup& group) {
  return schemes::inferred_format(schemes::complete_group(group.name, *group.value));
}

}  // namespace sparsecfg::dialect::compressed_tensors
