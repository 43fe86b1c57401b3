#include "dialect/llmcompressor/schemes.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/number.h"
#include "base/text.h"
#include "dialect/record/types.h"

namespace sparsecfg::dialect::llmcompressor {

using source::Value;

std::vector<Entry> entries_of(const Value* value) {
  std::vector<Entry> out;
  const auto add = [&](const Value& item) {
    if (const auto* text = item.get<std::string>()) out.push_back({*text, item.span});
  };
  if (value == nullptr) {
    return out;
  }
  if (const auto* list = value->get<source::List>()) {
    std::ranges::for_each(*list, add);
  } else {
    add(*value);
  }
  return out;
}

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

static std::int64_t whole_of(const Value* value, std::int64_t otherwise) {
  const auto number = value == nullptr ? std::nullopt : as_real(*value);
  return number ? base::whole_part(*number) : otherwise;
}

static Dynamic dynamic_of(const Value* value) {
  if (value == nullptr || value->is_null()) return Dynamic::no;
  if (value->get<std::string>() != nullptr) return Dynamic::local;
  return as_boolean(*value).value_or(false) ? Dynamic::yes : Dynamic::no;
}

static Strategy inferred_strategy(const Value* group_size) {
  if (group_size == nullptr || group_size->is_null()) return Strategy::tensor;
  const std::int64_t size = whole_of(group_size, 0);
  return size > 0 ? Strategy::group : size == -1 ? Strategy::channel : Strategy::none;
}

Numbers read_numbers(const Value& arguments) {
  Numbers out{.present = arguments.get<source::Map>() != nullptr};
  const auto text = [&](std::string_view name) {
    const Value* value = arguments.find(name);
    const auto* word = value == nullptr ? nullptr : value->get<std::string>();
    return word == nullptr ? std::string() : base::to_lower(*word);
  };
  out.bits = whole_of(arguments.find("num_bits"), 8);
  out.is_float = text("type") == "float";
  const Value* size = arguments.find("group_size");
  const std::string strategy = text("strategy");
  out.strategy = strategy.empty() ? inferred_strategy(size) : strategy_of(strategy);
  const bool grouped = out.strategy == Strategy::group || out.strategy == Strategy::tensor_group;
  out.group_size = grouped ? whole_of(size, 0) : 0;
  out.dynamic = dynamic_of(arguments.find("dynamic"));
  const Value* symmetric = arguments.find("symmetric");
  out.symmetric = symmetric == nullptr || as_boolean(*symmetric).value_or(true);
  return out;
}

static Part part_of(const Value& group, std::string_view name) {
  const Value* value = group.find(name);
  return value == nullptr || value->get<source::Map>() == nullptr ? Part{} : Part{read_numbers(*value), value};
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

// `targets: Linear` is the same as the default `[Linear]`.
bool has_configuration(const Modifier& modifier) {
  const std::vector<Entry> targets = entries_of(modifier, "targets");
  const bool usual = targets.size() == 1 && targets.front().text == "Linear";
  return modifier.given("scheme") != nullptr || modifier.given("config_groups") != nullptr ||
         modifier.given("kv_cache_scheme") != nullptr || !usual || !entries_of(modifier, "ignore").empty();
}

std::string describe(const Numbers& numbers) {
  std::string out = fmt::format("{}{}", numbers.is_float ? "float" : "int", numbers.bits);
  switch (numbers.strategy) {
    case Strategy::group:
    case Strategy::tensor_group: out += fmt::format(" in groups of {}", numbers.group_size); break;
    case Strategy::block: out += " in blocks"; break;
    case Strategy::none: break;
    default: out += fmt::format(" per {}", to_string(numbers.strategy));
  }
  return out + (numbers.symmetric ? "" : ", asymmetric") + (numbers.dynamic == Dynamic::no ? "" : ", dynamic");
}

std::string describe(const Group& group) {
  std::string out;
  const auto add = [&](std::string_view what, const Part& part) {
    if (part.numbers.present) out += fmt::format("{}{} {}", out.empty() ? "" : "; ", what, describe(part.numbers));
  };
  add("weights", group.weights);
  add("inputs", group.inputs);
  add("outputs", group.outputs);
  return out.empty() ? "nothing is quantized" : out;
}

}  // namespace sparsecfg::dialect::llmcompressor
