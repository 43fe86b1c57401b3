#include "dialect/sparseml/write/print.h"

#include <algorithm>

#include "dialect/sparseml/read/variables.h"
#include "emit/node.h"

namespace sparsecfg::dialect::sparseml {

using emit::Mapping;
using emit::Node;
using source::Value;

Value real(double value) { return {value, {}}; }

Value word(std::string_view text) { return {std::string(text), {}}; }

void Draft::set(std::string_view name, Value value) { fields.emplace_back(word(name), std::move(value)); }

// Restores the source of `eval(...)` values. Values reached through an alias stay evaluated.
static Node as_written(const Value& value, const source::SourceFile* expressions) {
  if (const auto* list = value.get<source::List>()) {
    emit::Sequence items;
    for (const Value& item : *list) {
      items.push_back(as_written(item, expressions));
    }
    return {std::move(items)};
  }
  if (const auto* map = value.get<source::Map>()) {
    Mapping pairs;
    for (const auto& [key, item] : *map) {
      pairs.push_back({emit::node_of(key), as_written(item, expressions)});
    }
    return {std::move(pairs)};
  }
  if (expressions != nullptr && !value.span.empty()) {
    std::string_view text = expressions->text(value.span);
    if (text.size() > 1 && (text.front() == '\'' || text.front() == '"')) {
      text = text.substr(1, text.size() - 2);
    }
    if (is_eval(text)) {
      return emit::text(text);
    }
  }
  return emit::node_of(value);
}

static Node fields_of(const Draft& draft, const source::SourceFile* expressions) {
  Mapping fields;
  for (const auto& [name, value] : draft.fields) {
    fields.push_back({emit::node_of(name), as_written(value, expressions)});
  }
  return {std::move(fields)};
}

// Returns the value of a key. Adds the key if it is missing or has another kind, because a schedule in JSON may use the
// same name for a stage or variable and a group. The duplicate key is reported when the output is read back.
static Node& at(Node& parent, const std::string& key, Node otherwise) {
  auto& pairs = std::get<Mapping>(parent.data);
  const auto found = std::ranges::find_if(pairs, [&](const emit::Pair& pair) {
    return pair.value.data.index() == otherwise.data.index() && std::get<emit::Scalar>(pair.key.data).text == key;
  });
  if (found != pairs.end()) {
    return found->value;
  }
  pairs.push_back({emit::text(key), std::move(otherwise)});
  return pairs.back().value;
}

static Node& level_of(Node& root, const std::string& stage) {
  return stage.empty() ? root : at(root, stage, {Mapping{}});
}

static void add_variables(Node& root, const ir::Recipe& recipe, const source::SourceFile* expressions) {
  for (const ir::Variable& variable : recipe.variables) {
    if (expressions != nullptr || recipe.dialect.empty()) {
      at(level_of(root, variable.stage), variable.name, as_written(variable.value, expressions));
    }
  }
}

// Metadata belongs to the recipe, or to each stage if there are stages.
static void add_metadata(Node& root, const ir::Recipe& recipe, std::string_view key, bool by_stage,
                         const source::SourceFile* expressions) {
  const auto* stages = recipe.metadata.get<source::Map>();
  if (!by_stage && !recipe.metadata.is_null()) {
    at(root, std::string(key), as_written(recipe.metadata, expressions));
  }
  for (std::size_t index = 0; by_stage && stages != nullptr && index < stages->size(); ++index) {
    const auto& [stage, value] = (*stages)[index];
    at(level_of(root, source::python_str(stage)), std::string(key), as_written(value, expressions));
  }
}

std::string print(const std::vector<Draft>& drafts, const ir::Recipe& recipe, const source::SourceFile* expressions) {
  Node root{Mapping{}};
  add_variables(root, recipe, expressions);
  const bool staged = std::ranges::any_of(drafts, [](const Draft& draft) { return !draft.stage.empty(); });
  add_metadata(root, recipe, kMetadataKey, staged, expressions);
  for (const Draft& draft : drafts) {
    Node modifier = fields_of(draft, expressions);
    modifier.tag = draft.class_name;
    Node& group = at(level_of(root, draft.stage), draft.group.empty() ? "modifiers" : draft.group, {emit::Sequence{}});
    std::get<emit::Sequence>(group.data).push_back(std::move(modifier));
  }
  return emit::to_yaml(root).value_or("");
}

constexpr std::string_view kOfStage = "stage.";

// Stages whose names do not end in `_stage` are written below the key `stages`.
static Node& home_of_stages(Node& root, const std::vector<Draft>& drafts) {
  const bool named = std::ranges::all_of(drafts, [](const Draft& draft) { return draft.stage.ends_with("_stage"); });
  return named ? root : at(root, "stages", {Mapping{}});
}

std::string print_stages(const std::vector<Draft>& drafts, const ir::Recipe& recipe,
                         const source::SourceFile* expressions) {
  Node root{Mapping{}};
  add_variables(root, recipe, expressions);
  add_metadata(root, recipe, "metadata", false, expressions);
  for (const Draft& draft : drafts) {
    Node& stage = level_of(home_of_stages(root, drafts), draft.stage);
    Draft own = draft;
    std::erase_if(own.fields, [&](const source::Entry& entry) {
      const std::string name = source::python_str(entry.first);
      if (name.starts_with(kOfStage)) at(stage, name.substr(kOfStage.size()), emit::node_of(entry.second));
      return name.starts_with(kOfStage);
    });
    at(at(stage, draft.group, {Mapping{}}), draft.class_name, fields_of(own, expressions));
  }
  return emit::to_yaml(root).value_or("");
}

}  // namespace sparsecfg::dialect::sparseml
