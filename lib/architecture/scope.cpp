#include "architecture/scope.h"

#include <fmt/format.h>

#include "architecture/tables.h"
#include "base/text.h"

namespace sparsecfg::architecture {

using source::Map;
using source::Value;

Value value_of_json(std::string_view text) {
  auto read = source::read_json(text);
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
  const auto found = nulls_.find(name);
  return found == nulls_.end() ? Item() : evaluate(*found->second, name);
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
  std::string type = string_at(*fields, "model_type");
  const bool no_type = type.empty();
  if (no_type && types != nullptr) type = string_at(*types, key);
  // Nested configurations may have a class of their own. Some files name the type of the whole model there.
  const std::string own = type_ + "." + std::string(key);
  const Value* own_class = configuration_class(own);
  const bool is_own = type.empty() || type == type_ || flat_.contains(key);
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
