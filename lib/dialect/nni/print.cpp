#include "dialect/nni/config.h"

#include <algorithm>
#include <utility>

#include "dialect/nni/table.h"
#include "dialect/nni/values.h"
#include "emit/node.h"

namespace sparsecfg::dialect::nni {

using source::List;
using source::Map;
using source::Value;

using Names = std::vector<std::string_view>;

// Keys that are not in `names` come last, in their original order.
static void sort_keys(Map& map, const Names& names) {
  std::ranges::stable_sort(map, {}, [&](const source::Entry& field) {
    const std::string name = name_of(field);
    return std::ranges::find(names, name) - names.begin();
  });
}

// --- entries --------------------------------------------------------------------------------------

static const std::vector<FieldSpec>& keys_of_entries() {
  static const std::vector<FieldSpec> kAllKeys = [] {
    std::vector<FieldSpec> keys;
    for (const auto table : {selection_keys(), setting_keys(Mode::pruning), setting_keys(Mode::quantization),
                             setting_keys(Mode::distillation), legacy_keys(), epoch_keys()}) {
      keys.insert(keys.end(), table.begin(), table.end());
    }
    return keys;
  }();
  return kAllKeys;
}

static Names names_of_keys() {
  Names names;
  for (const FieldSpec& key : keys_of_entries()) {
    names.push_back(key.name);
  }
  return names;
}

// Returns true for ratios, for which NNI treats ints and floats alike.
static bool is_share(const FieldSpec& key) { return key.type == Type::exact_float || key.bounds.any(); }

static void canonicalize_settings(Map& settings) {
  static const Names kNames = names_of_keys();
  sort_keys(settings, kNames);
  for (source::Entry& setting : settings) {
    const FieldSpec* key = find_key(keys_of_entries(), name_of(setting));
    const auto* whole = setting.second.get<std::int64_t>();
    if (key != nullptr && is_share(*key) && whole != nullptr) {
      setting.second.data = static_cast<double>(*whole);
    }
  }
}

static Value entry_of(Value entry) {
  auto* fields = std::get_if<Map>(&entry.data);
  if (fields == nullptr) {
    return entry;
  }
  canonicalize_settings(*fields);
  source::Entry* settings = find_entry(*fields, "target_settings");
  auto* targets = settings == nullptr ? nullptr : std::get_if<Map>(&settings->second.data);
  for (std::size_t at = 0; targets != nullptr && at < targets->size(); ++at) {
    if (auto* values = std::get_if<Map>(&(*targets)[at].second.data)) canonicalize_settings(*values);
  }
  return entry;
}

static Value entries_of(Value list) {
  if (auto* items = std::get_if<List>(&list.data)) {
    for (Value& item : *items) item = entry_of(std::move(item));
  }
  return list;
}

// --- classes --------------------------------------------------------------------------------------

// Moves arguments from `args` beside the class. Arguments beside the class have precedence.
static void flatten_arguments(Map& part) {
  const auto arguments = pop(part, "args");
  const auto* more = arguments ? arguments->get<Map>() : nullptr;
  for (const source::Entry& argument : more == nullptr ? Map() : *more) {
    if (!has(part, name_of(argument))) part.push_back(argument);
  }
}

static Value part_of(Value value) {
  auto* part = std::get_if<Map>(&value.data);
  if (part == nullptr) {
    return value;
  }
  if (source::Entry* type = find_entry(*part, "type"); type != nullptr && !has(*part, "class")) {
    type->first.data = std::string("class");
  }
  flatten_arguments(*part);
  Names names = {"class"};
  const Value* name = find_value(*part, "class");
  const ClassSpec* spec =
      name == nullptr || name->get<std::string>() == nullptr ? nullptr : find_class(*name->get<std::string>());
  for (std::size_t at = 0; spec != nullptr && at < spec->fields.size(); ++at) {
    if (spec->fields[at].type != Type::any_mapping) names.push_back(spec->fields[at].name);
  }
  sort_keys(*part, names);
  for (const std::string_view last : {"pruner", "config_list"}) {
    if (auto moved = pop(*part, last)) {
      put(*part, last, last == "pruner" ? part_of(*std::move(moved)) : entries_of(*std::move(moved)));
    }
  }
  return value;
}

// --- whole configurations ------------------------------------------------------------------------------------

static Value parts_of(Value several) {
  if (auto* items = std::get_if<List>(&several.data)) {
    for (Value& item : *items) item = part_of(std::move(item));
  }
  return several;
}

// Returns the list under `config` of 1.x classes, or under the wrapper of another tool.
static Value wrapped(Value value) {
  if (auto* map = std::get_if<Map>(&value.data)) {
    for (const std::string_view key : {"config_list", "config"}) {
      if (source::Entry* list = find_entry(*map, key)) list->second = entries_of(std::move(list->second));
    }
  }
  return value;
}

static Value section_of(const std::string& name, Value value) {
  if (name == "config_list") {
    return entries_of(std::move(value));
  }
  if (name == "compressors") {
    return parts_of(std::move(value));
  }
  const bool part = name == "pruner" || name == "quantizer" || name == "distiller";
  return part ? part_of(std::move(value)) : wrapped(std::move(value));
}

static Value canonical(Value configuration) {
  auto* root = std::get_if<Map>(&configuration.data);
  if (root == nullptr) {
    return entries_of(std::move(configuration));
  }
  for (source::Entry& section : *root) {
    section.second = section_of(name_of(section), std::move(section.second));
  }
  sort_keys(*root, {"register", "mode", "pruner", "quantizer", "distiller", "compressor", "config_list", "compressors",
                    "compress", "evaluator"});
  return configuration;
}

Value store_configuration(Value configuration, Release release) {
  Map out;
  put(out, "release", {name_of(release), {}});
  put(out, "configuration", std::move(configuration));
  return {std::move(out), {}};
}

std::optional<StoredConfiguration> stored_configuration(const Value& metadata) {
  const Value* release = metadata.find("release");
  const Value* configuration = metadata.find("configuration");
  const auto* name = release == nullptr ? nullptr : release->get<std::string>();
  const auto* const found = std::ranges::find(kReleaseNames, name == nullptr ? "" : *name);
  if (configuration == nullptr || found == std::end(kReleaseNames)) {
    return std::nullopt;
  }
  return StoredConfiguration{*configuration, static_cast<Release>(found - std::begin(kReleaseNames))};
}

std::string print(Value configuration) {
  return emit::to_yaml(emit::node_of(canonical(std::move(configuration)))).value_or("");
}

}  // namespace sparsecfg::dialect::nni
