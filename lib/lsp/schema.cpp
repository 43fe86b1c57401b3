#include "lsp/schema.h"

#include <algorithm>

#include "base/text.h"
#include "regex/pattern.h"

namespace sparsecfg::lsp {

// Maximum depth of nested references and alternatives. Stops the expansion of recursive schemas.
constexpr int kMaxDepth = 16;
constexpr std::string_view kAlternatives[] = {"anyOf", "oneOf", "allOf"};
constexpr std::string_view kDefinitions = "/definitions";

SchemaPlace::SchemaPlace(const Json& schema) : root_(&schema) { schemas_ = expanded({&schema}); }

std::vector<const Json*> SchemaPlace::expanded(const std::vector<const Json*>& schemas) const {
  std::vector<const Json*> out;
  for (const Json* schema : schemas) add(*schema, out, 0);
  return out;
}

// Adds a schema, and the schemas that it references or has as alternatives.
void SchemaPlace::add(const Json& schema, std::vector<const Json*>& out, int depth) const {
  if (!schema.is_object() || depth > kMaxDepth || std::ranges::find(out, &schema) != out.end()) {
    return;
  }
  out.push_back(&schema);
  add(referred(schema), out, depth + 1);
  for (const std::string_view key : kAlternatives) {
    const auto alternatives = schema.find(key);
    if (alternatives == schema.end()) continue;
    for (const Json& each : *alternatives) add(each, out, depth + 1);
  }
  for (const char* key : {"then", "else"}) {
    if (const auto branch = schema.find(key); branch != schema.end()) add(*branch, out, depth + 1);
  }
}

// Returns the schema itself, or the schema that it references.
const Json& SchemaPlace::referred(const Json& schema) const {
  const auto reference = schema.find("$ref");
  if (reference == schema.end()) return schema;
  const Json::json_pointer target(reference->get_ref<const std::string&>().substr(1));
  return root_->contains(target) ? root_->at(target) : schema;
}

static bool fits(const std::string& pattern, std::string_view key) {
  const auto compiled = regex::Pattern::compile("[\\s\\S]*(?:" + pattern + ")", regex::Anchoring::start);
  const auto* matcher = std::get_if<regex::Pattern>(&compiled);
  return matcher != nullptr && matcher->match(key) == regex::Match::yes;
}

// Adds the schemas of the value of a key in a mapping.
static void add_value(const Json& schema, std::string_view key, std::vector<const Json*>& out) {
  const std::size_t before = out.size();
  if (const auto fields = schema.find("properties"); fields != schema.end()) {
    if (const auto field = fields->find(key); field != fields->end()) out.push_back(&*field);
  }
  if (const auto patterns = schema.find("patternProperties"); patterns != schema.end()) {
    for (const auto& [pattern, value] : patterns->items()) {
      if (fits(pattern, key)) out.push_back(&value);
    }
  }
  const auto others = schema.find("additionalProperties");
  if (out.size() == before && others != schema.end() && others->is_object()) out.push_back(&*others);
}

SchemaPlace SchemaPlace::under(std::string_view key) const {
  std::vector<const Json*> found;
  for (const Json* schema : schemas_) add_value(*schema, key, found);
  return {*root_, expanded(found)};
}

SchemaPlace SchemaPlace::item() const {
  std::vector<const Json*> found;
  for (const Json* schema : schemas_) {
    if (const auto items = schema->find("items"); items != schema->end()) found.push_back(&*items);
  }
  return {*root_, expanded(found)};
}

SchemaPlace SchemaPlace::of_class(std::string_view name) const {
  const Json::json_pointer path = Json::json_pointer(std::string(kDefinitions)) / std::string(name);
  return root_->contains(path) && !name.empty() ? SchemaPlace(*root_, expanded({&root_->at(path)})) : *this;
}

// Returns true if a schema requires another value of a key than a mapping has.
static bool contradicts(const Json& schema, const doc::Document& tree, const doc::Node& mapping) {
  const auto fields = schema.find("properties");
  for (std::size_t at = 0; fields != schema.end() && at + 1 < mapping.items.size(); at += 2) {
    const auto field = fields->find(tree[mapping.items[at]].text);
    if (field == fields->end() || !field->contains("const")) continue;
    if (field->at("const") != tree[mapping.items[at + 1]].text) return true;
  }
  return false;
}

SchemaPlace SchemaPlace::fitting(const doc::Document& tree, const doc::Node& mapping) const {
  SchemaPlace out = *this;
  std::erase_if(out.schemas_, [&](const Json* schema) { return contradicts(*schema, tree, mapping); });
  return out.fields().empty() ? *this : out;
}

std::optional<SchemaPlace> SchemaPlace::of_title(std::string_view name) const {
  const auto definitions = root_->find("definitions");
  if (definitions == root_->end() || name.empty()) return std::nullopt;
  for (const auto& [key, definition] : definitions->items()) {
    const bool is_named = key == name || (key.size() > name.size() && key.ends_with("." + std::string(name)));
    if (is_named && definition.is_object() && definition.value("title", "") == name) {
      return SchemaPlace(*root_, expanded({&definition}));
    }
  }
  return std::nullopt;
}

// --- contents ---------------------------------------------------------------------------------------

// Returns true if a mapping must have this field. Some schemas list required fields under `then`, whose condition is
// that all names are known.
static bool requires_field(const Json& schema, const std::string& name) {
  const Json required = schema.value("required", schema.value("then", Json::object()).value("required", Json::array()));
  return std::ranges::find(required, Json(name)) != required.end();
}

std::vector<SchemaPlace::Field> SchemaPlace::fields() const {
  std::vector<Field> out;
  for (const Json* schema : schemas_) {
    const auto fields = schema->find("properties");
    if (fields == schema->end()) continue;
    for (const auto& [name, field] : fields->items()) {
      if (std::ranges::find(out, name, &Field::name) != out.end() || name.starts_with('!') || !field.is_object())
        continue;
      const Json& shown = referred(field);
      const std::string doc = shown.value("description", "");
      const std::string reason = shown.value("deprecationMessage", "");  // the description if the field still works
      out.push_back({name, doc, requires_field(*schema, name), !reason.empty() && reason != doc,
                     !reason.empty() && reason == doc});
    }
  }
  return out;
}

static bool allows(const Json& schema, std::string_view type) {
  const Json allowed = schema.value("type", Json());
  return allowed == type || (allowed.is_array() && std::ranges::find(allowed, Json(type)) != allowed.end());
}

std::vector<SchemaPlace::Field> SchemaPlace::tags() const {
  std::vector<Field> out;
  for (const Json* schema : schemas_) {
    const auto properties = schema->find("properties");
    if (properties == schema->end()) continue;
    for (const auto& [name, value] : properties->items()) {
      if (!name.starts_with('!')) continue;
      const SchemaPlace named = of_class(name.substr(1));
      const bool is_defined = named.class_name() == name.substr(1);
      out.push_back({name, is_defined ? named.schemas_.front()->value("description", "") : ""});
    }
  }
  return out;
}

std::string SchemaPlace::class_name() const {
  for (const Json* schema : schemas_) {
    if (allows(*schema, "object") && schema->contains("title")) return schema->at("title").get<std::string>();
  }
  return {};
}

std::string SchemaPlace::empty_value() const {
  constexpr std::pair<std::string_view, std::string_view> kEmpty[] = {
      {"number", "1.0"}, {"integer", "1"}, {"array", "[]"}, {"object", "{}"}, {"boolean", "true"}};
  for (const auto& each : kEmpty) {
    if (std::ranges::any_of(schemas_, [&](const Json* schema) { return allows(*schema, each.first); }))
      return std::string(each.second);
  }
  const bool is_typed = std::ranges::any_of(schemas_, [](const Json* schema) { return schema->contains("type"); });
  return is_typed ? "\"\"" : "1.0";
}

// Writes a value as YAML. Strings that YAML would read as another type are quoted.
static std::string yaml_of(const Json& value) {
  if (value.is_array()) {
    std::string out;
    for (const Json& each : value) out += (out.empty() ? "" : ", ") + yaml_of(each);
    return "[" + out + "]";
  }
  if (!value.is_string()) return value.dump();
  const auto& text = value.get_ref<const std::string&>();
  return text.find_first_of(":, ") == std::string::npos ? text : "\"" + text + "\"";
}

// Returns true for the strings that YAML 1.1 reads as booleans, which `true` and `false` stand for.
static bool is_boolean_word(const Json& value) {
  constexpr std::string_view kWords[] = {"yes", "no", "on", "off", "true", "false"};
  const auto* text = value.get_ptr<const std::string*>();
  return text != nullptr && base::contains(kWords, base::to_lower(*text));
}

std::vector<std::string> SchemaPlace::values() const {
  std::vector<std::string> out;
  const auto add = [&](const Json& value) {
    std::string text = yaml_of(value);
    if (!value.is_object() && !is_boolean_word(value) && std::ranges::find(out, text) == out.end())
      out.push_back(std::move(text));
  };
  for (const Json* schema : schemas_) {
    if (schema->contains("const")) add(schema->at("const"));
    for (const Json& value : schema->value("enum", Json::array())) add(value);
    for (const Json& value : schema->value("examples", Json::array())) add(value);
    if (allows(*schema, "boolean") && !allows(*schema, "number")) {
      add(true);
      add(false);
    }
    if (schema->contains("default") && !schema->at("default").is_structured()) add(schema->at("default"));
  }
  return out;
}

// Returns true if editors offer a closed list of values. Tokens such as `__ALL__` and the usual values of lists that
// select modules stand beside names.
static bool has_closed_examples(const Json& schema) {
  constexpr std::string_view kBesideNames[] = {"Linear", "lm_head"};
  const Json examples = schema.value("examples", Json::array());
  return std::ranges::any_of(examples, [&](const Json& each) {
    const auto* text = each.get_ptr<const std::string*>();
    return text == nullptr ||
           (!text->starts_with("__") && std::ranges::find(kBesideNames, *text) == std::end(kBesideNames));
  });
}

bool SchemaPlace::accepts_lists() const {
  return std::ranges::any_of(schemas_, [](const Json* schema) { return allows(*schema, "array"); });
}

bool SchemaPlace::accepts_names() const {
  return std::ranges::any_of(schemas_, [&](const Json* schema) {
    if (has_closed_examples(*schema)) return false;
    const bool is_free = !schema->contains("pattern") && !schema->contains("enum") && !schema->contains("then");
    if (allows(*schema, "string") && is_free) return true;
    if (!allows(*schema, "array")) return false;
    const SchemaPlace items = SchemaPlace(*root_, {schema}).item();
    return items.schemas_.empty() || items.accepts_names();
  });
}

SchemaPlace SchemaPlace::of_step(const Json& schema, const doc::Document& tree, std::span<const Step> steps) {
  SchemaPlace place(schema);
  for (std::size_t at = 0; at < steps.size(); ++at) {
    const Step& step = steps[at];
    if (at > 0) place = step.key ? place.under(tree[*step.key].text) : place.item();
    if (tree[step.node].kind != doc::Kind::mapping) continue;
    place = place.of_class(class_of(tree, step)).fitting(tree, tree[step.node]);
  }
  return place;
}

std::vector<SchemaPlace::Field> SchemaPlace::classes(const Json& schema) {
  std::vector<Field> out;
  const Json definitions = schema.value("definitions", Json::object());
  for (const auto& [name, definition] : definitions.items()) {
    if (!definition.is_object() || definition.value("title", "") != name) continue;
    out.push_back({name, definition.value("description", "")});
  }
  return out;
}

}  // namespace sparsecfg::lsp
