#include "dialect/llmcompressor/draft.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "dialect/llmcompressor/mappings.h"
#include "dialect/llmcompressor/schemes.h"
#include "dialect/stages/table.h"
#include "emit/node.h"

namespace sparsecfg::dialect::llmcompressor {

using source::Value;

Value text_value(std::string_view text) { return {std::string(text), {}}; }

Value list_value(const std::vector<std::string>& texts) {
  source::List out;
  for (const std::string& text : texts) out.push_back(text_value(text));
  return {std::move(out), {}};
}

void Draft::set(std::string_view name, Value value) { fields.emplace_back(text_value(name), std::move(value)); }

const Value* Draft::find(std::string_view name) const {
  const auto found = std::ranges::find(fields, text_value(name), &source::Entry::first);
  return found == fields.end() ? nullptr : &found->second;
}

// Returns the mapping under a key and creates it if needed. `places` maps `path` to its index in the parent.
template <class Path>
static emit::Mapping& below(emit::Mapping& parent, const std::string& key, std::map<Path, std::size_t>& places,
                            const Path& path) {
  const auto [found, added] = places.try_emplace(path, parent.size());
  if (added) parent.push_back({emit::text(key), {emit::Mapping{}}});
  return std::get<emit::Mapping>(parent[found->second].value.data);
}

// Returns group names such as "pruning_2_modifiers" if "pruning_modifiers" already has a modifier of the same class.
static void part_groups(std::vector<Draft>& drafts) {
  using Place = std::tuple<std::string, std::string, std::string>;  // stage, group and class
  std::set<Place> taken;
  std::map<Place, int> numbers;
  for (Draft& draft : drafts) {
    const Place first(draft.stage, draft.group, draft.class_name);
    const std::string stem = draft.group.substr(0, draft.group.size() - stages::kGroupEnd.size());
    int& number = numbers.try_emplace(first, 2).first->second;
    while (!taken.emplace(draft.stage, draft.group, draft.class_name).second) {
      draft.group = fmt::format("{}_{}{}", stem, number++, stages::kGroupEnd);
    }
  }
}

std::string print(std::vector<Draft> drafts) {
  part_groups(drafts);
  emit::Node root{emit::Mapping{}};
  std::map<std::string, std::size_t> stages;
  std::map<std::pair<std::string, std::string>, std::size_t> groups;
  const bool empty = drafts.empty();
  for (Draft& draft : drafts) {
    emit::Mapping& stage = below(std::get<emit::Mapping>(root.data), draft.stage, stages, draft.stage);
    emit::Mapping& group = below(stage, draft.group, groups, {draft.stage, draft.group});
    group.push_back({emit::text(draft.class_name), emit::node_of({std::move(draft.fields), {}})});
  }
  return empty ? std::string() : emit::to_yaml(root).value_or("");
}

Value written_out(const Value& arguments) {
  const auto* map = arguments.get<source::Map>();
  if (map == nullptr) {
    return arguments;
  }
  const QuantizationArgs args = read_args(arguments);
  source::Map out;
  const auto missing = [&](std::string_view name) {
    const Value* value = arguments.find(name);
    return value == nullptr || value->is_null();
  };
  for (const source::Entry& entry : *map) {
    if (entry.second.is_null() && (entry.first == text_value("type") || entry.first == text_value("strategy")))
      continue;
    out.push_back(entry);
    if (entry.first == text_value("num_bits") && missing("type")) {
      out.emplace_back(text_value("type"), text_value(args.is_float ? "float" : "int"));
    }
  }
  if (missing("type") && arguments.find("num_bits") == nullptr) {
    out.emplace_back(text_value("type"), text_value(args.is_float ? "float" : "int"));
  }
  if (missing("strategy") && args.strategy != Strategy::none) {
    out.emplace_back(text_value("strategy"), text_value(to_string(args.strategy)));
  }
  return {std::move(out), arguments.span};
}

Value groups_written_out(const Value& groups) {
  const auto* map = groups.get<source::Map>();
  if (map == nullptr) {
    return groups;
  }
  source::Map out;
  for (const source::Entry& group : *map) {
    source::Map parts;
    const auto* fields = group.second.get<source::Map>();
    for (std::size_t at = 0; fields != nullptr && at < fields->size(); ++at) {
      const std::string name = source::python_str((*fields)[at].first);
      const bool arguments = name == "weights" || name == "input_activations" || name == "output_activations";
      parts.emplace_back((*fields)[at].first, arguments ? written_out((*fields)[at].second) : (*fields)[at].second);
    }
    out.emplace_back(group.first, Value{std::move(parts), {}});
  }
  return {std::move(out), groups.span};
}

}  // namespace sparsecfg::dialect::llmcompressor
