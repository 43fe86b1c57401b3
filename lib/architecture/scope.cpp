#include "architecture/scope.h"

#include <fmt/format.h>

#include <algorithm>

#include "architecture/tables.h"
#include "base/text.h"

namespace sparsecfg::architecture {

using source::Map;
using source::Value;

// Returns the text with `null` for `NaN`, `Infinity` and `-Infinity` outside of strings.
static std::string without_special_numbers(std::string_view text) {
  constexpr std::string_view kSpecial[] = {"-Infinity", "Infinity", "NaN"};
  std::string out;
  bool quoted = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    const auto* special =
        quoted ? std::end(kSpecial)
               : std::ranges::find_if(kSpecial, [&](std::string_view word) { return rest.starts_with(word); });
    if (special != std::end(kSpecial)) {
      out += "null";
      at += special->size();
      continue;
    }
    const std::size_t length = quoted && rest[0] == '\\' && rest.size() > 1 ? 2 : 1;
    if (rest[0] == '"') quoted = !quoted;
    out += rest.substr(0, length);
    at += length;
  }
  return out;
}

Value value_of_json(std::string_view text) {
  auto read = source::read_json(text);
  const auto* valid = std::get_if<std::optional<Value>>(&read);
  if (valid != nullptr && !*valid && (text.find("Infinity") != text.npos || text.find("NaN") != text.npos)) {
    read = source::read_json(without_special_numbers(text));
  }
  auto* value = std::get_if<std::optional<Value>>(&read);
  return value == nullptr || !*value ? Value() : std::move(**value);
}

// Returns the row of a configuration class in the table of defaults; null if it is unknown.
static const Value* configuration_class(std::string_view type) {
  static const Value classes = value_of_json(kDefaults);
  return classes.find(type);
}

static std::string text_of(const Value* value) {
  const auto* text = value == nullptr ? nullptr : value->get<std::string>();
  return text == nullptr ? std::string() : *text;
}

std::string string_at(const Value& map, std::string_view key) { return text_of(map.find(key)); }

std::string default_type(std::string_view type, std::string_view key) {
  const Value* row = configuration_class(type);
  const Value* types = row == nullptr ? nullptr : row->find("sub_types");
  return types == nullptr ? std::string() : string_at(*types, key);
}

Scope::Scope(const Value& config, std::string type, Progress& progress)
    : config_(config), type_(std::move(type)), progress_(progress), class_(configuration_class(type_)) {
  const Value* names = class_ == nullptr ? nullptr : class_->find("attribute_map");
  const auto* map = names == nullptr ? nullptr : names->get<Map>();
  if (map == nullptr) {
    return;
  }
  for (const auto& [name, other] : *map) {
    aliases_.emplace(text_of(&name), text_of(&other));
    aliases_.emplace(text_of(&other), text_of(&name));
  }
}

void Scope::define(const Row& row) {
  using Kind = Row::Kind;
  const Expression* value = &row.value;
  if (row.kind == Kind::let) lets_[row.name] = value;
  if (row.kind == Kind::null) nulls_[row.name] = value;
  if (row.kind == Kind::missing) missing_[row.name] = value;
  if (row.kind == Kind::absent) absent_[row.name] = value;
  if (row.kind == Kind::flat) flat_.insert(row.name);
  if (row.kind == Kind::alias) {
    aliases_[row.name] = row.text;
    aliases_[row.text] = row.name;
  }
}

const Value* Scope::given(std::string_view name) const { return config_.given(name); }

std::string_view Scope::alias_of(std::string_view name) const {
  const auto found = aliases_.find(name);
  return found == aliases_.end() ? std::string_view() : std::string_view(found->second);
}

// Returns the default of the configuration class; null if the class lacks the field.
const Value* Scope::fallback(std::string_view name) const {
  const Value* defaults = class_ == nullptr ? nullptr : class_->find("defaults");
  const Value* found = defaults == nullptr ? nullptr : defaults->find(name);
  return found != nullptr || defaults == nullptr ? found : defaults->find(alias_of(name));
}

bool Scope::has_nested(std::string_view key) const {
  const Value* types = class_ == nullptr ? nullptr : class_->find("sub_types");
  const Value* value = given(key);
  return flat_.contains(key) || (types != nullptr && types->find(key) != nullptr) ||
         (value != nullptr && value->get<Map>() != nullptr);
}

Item Scope::evaluate(const Expression& value, std::string_view name) {
  if (!busy_.insert(std::string(name)).second) {
    progress_.fail(fmt::format("`{}` is defined by itself", name));
    return {};
  }
  Item out = architecture::evaluate(value, *this);
  busy_.erase(busy_.find(name));
  return out;
}

// Returns the value of a field that the file lacks. Sets `is_null` if it is None by default.
Item Scope::absent_field(std::string_view name, bool& is_null) {
  if (const auto found = absent_.find(name); found != absent_.end()) {
    return evaluate(*found->second, name);
  }
  const Value* value = fallback(name);
  if (value != nullptr && !value->is_null()) {
    return Item(value);
  }
  if (const auto found = missing_.find(name); found != missing_.end()) {
    return evaluate(*found->second, name);
  }
  if (value == nullptr && !nulls_.contains(name)) {
    progress_.fail(fmt::format("the field `{}` is missing", name));
    return {};
  }
  is_null = true;
  return {};
}

Item Scope::find(std::string_view name) {
  if (name == "view") return view();
  if (const auto found = variables.find(name); found != variables.end()) {
    if (!progress_.read.contains(name)) progress_.read.emplace(name);
    return Item(&found->second);
  }
  if (const auto found = lets_.find(name); found != lets_.end()) {
    return evaluate(*found->second, name);
  }
  const std::string_view alias = alias_of(name);
  for (const std::string_view key : {name, alias}) {
    if (const Value* value = key.empty() ? nullptr : given(key)) return Item(value);
  }
  if (name == "model_type") {
    return Item(Value::Data(text_of(class_ == nullptr ? nullptr : class_->find("model_type"))));
  }
  if (name == "num_labels") {
    const Value* labels = given("id2label");
    const auto* map = labels == nullptr ? nullptr : labels->get<Map>();
    return Item(Value::Data(map == nullptr ? std::int64_t{2} : static_cast<std::int64_t>(map->size())));
  }
  bool is_null = config_.find(name) != nullptr || (!alias.empty() && config_.find(alias) != nullptr);
  if (!is_null) {
    Item value = absent_field(name, is_null);
    if (!is_null) return value;
  }
  // A null field mostly means the same as one that the class lacks.
  for (const Definitions* definitions : {&nulls_, &missing_}) {
    if (const auto found = definitions->find(name); found != definitions->end()) {
      return evaluate(*found->second, name);
    }
  }
  return {};
}

// llm-compressor 0.12 and later split the experts of all families.
Item Scope::view() {
  constexpr Version kSplitting{0, 12};
  const auto found = variables.find("view");
  const bool decided = !progress_.linearized || progress_.llmcompressor.first >= kSplitting;
  if (decided) {
    return found == variables.end() ? Item() : Item(&found->second);
  }
  if (progress_.llmcompressor.last >= kSplitting) {
    progress_.leave_unknown(fmt::format("its experts depend on the release of llm-compressor, which is one of {}",
                                        to_string(progress_.llmcompressor)));
  }
  return Item(Value::Data(std::string("tf")));
}

// Returns true if the configuration class of a model ignores the model type of a nested configuration.
static bool has_fixed_type(const Value* row, std::string_view key) {
  const Value* fixed = row == nullptr ? nullptr : row->find("fixed_types");
  const auto* list = fixed == nullptr ? nullptr : fixed->get<source::List>();
  return list != nullptr && std::ranges::any_of(*list, [&](const Value& each) { return text_of(&each) == key; });
}

// Returns a nested configuration. Older files keep its fields at the top level.
Value Scope::merged(std::string_view key) const {
  const Value* own = given(key);
  Value out = own == nullptr ? Value{Map(), {}} : *own;
  auto* map = std::get_if<Map>(&out.data);
  const auto* top = config_.get<Map>();
  if (map == nullptr || top == nullptr || !flat_.contains(key)) {
    return out;
  }
  for (const auto& [name, value] : *top) {
    const bool is_type = own == nullptr && text_of(&name) == "model_type";
    if (!is_type && out.find(text_of(&name)) == nullptr) map->emplace_back(name, value);
  }
  return out;
}

Scope& Scope::nested(std::string_view key) {
  if (const auto known = nested_.find(key); known != nested_.end()) {
    return *known->second.second;
  }
  auto fields = std::make_unique<Value>(merged(key));
  if (!has_nested(key) || fields->get<Map>() == nullptr) {
    progress_.fail(fmt::format("the mapping `{}` is missing", key));
    return *this;
  }
  const Value* types = class_ == nullptr ? nullptr : class_->find("sub_types");
  // Some classes fix the class of a nested configuration, whatever type the file names.
  const bool fixed = has_fixed_type(class_, key);
  std::string type = fixed ? std::string() : string_at(*fields, "model_type");
  if (type.empty() && types != nullptr) type = string_at(*types, key);
  // Nested configurations may have a class of their own. Some files name the type of the whole model there.
  const std::string own = type_ + "." + std::string(key);
  const Value* own_class = configuration_class(own);
  const bool is_own = fixed || type.empty() || type == type_ || flat_.contains(key);
  if (own_class != nullptr && (is_own || type == string_at(*own_class, "model_type"))) type = own;
  if (configuration_class(type) == nullptr) {
    progress_.fail(fmt::format("`{}` has the unknown `model_type` `{}`", key, base::printable(type)));
    return *this;
  }
  auto& [value, scope] = nested_[std::string(key)];
  value = std::move(fields);
  scope = std::make_unique<Scope>(*value, type, progress_);
  return *scope;
}

}  // namespace sparsecfg::architecture
