#include <algorithm>

#include "base/text.h"
#include "script/interpreter.h"
#include "script/library/functions.h"
#include "script/library/mappings.h"
#include "script/library/tables.h"

// The table of the module `builtins`, and its functions about objects and names.
namespace sparsecfg::script {

using Kind = Value::Kind;

static Ref no_value(const Call& call) { return scalar(call.node.span, std::monostate()); }

static Ref print(const Call& call) {
  const Ref& file = call.values[1];
  if (file != nullptr && (file->kind != Kind::name || !file->imported)) return nullptr;
  for (const Ref& value : call.arguments.all()) call.interpreter.touch(value, call.node.span);
  call.interpreter.run_escaped(call.node.span);
  return no_value(call);
}

static Ref dict(const Call& call) { return dictionary_of(call.interpreter, call.arguments, call.node); }

static Ref super_object(const Call& call) { return call.interpreter.super_of(call.arguments, call.node); }

using Role = Value::Role;

// Returns true if a scalar is of a builtin type.
static bool is_scalar_of(const Value& value, std::string_view type) {
  if (value.string() != nullptr) return type == "str";
  if (std::holds_alternative<bool>(value.data)) return type == "bool" || type == "int";
  if (std::holds_alternative<double>(value.data)) return type == "float";
  const bool integer =
      std::holds_alternative<std::int64_t>(value.data) || std::holds_alternative<source::BigInt>(value.data);
  return integer && type == "int";
}

// Returns true if a value is an instance of a builtin type, or nullopt if this is unknown.
static std::optional<bool> is_of_builtin(const Value& value, std::string_view type) {
  static constexpr std::string_view kTypes[] = {"str", "int", "float", "bool", "list", "tuple", "set", "dict"};
  const bool special = value.role != Role::plain && value.role != Role::here;
  if (!base::contains(kTypes, type) || special) return std::nullopt;
  switch (value.kind) {
    case Kind::scalar: return is_scalar_of(value, type);
    case Kind::list: return type == "list";
    case Kind::tuple: return type == "tuple";
    case Kind::set: return type == "set";
    case Kind::dictionary: return value.constructed ? std::nullopt : std::optional(type == "dict");
    case Kind::function:
    case Kind::method:
    case Kind::partial: return false;
    case Kind::name:
      return !value.imported && find_function("builtins." + value.path) != nullptr ? std::optional(false)
                                                                                   : std::nullopt;
    default: return std::nullopt;
  }
}

static std::optional<bool> is_of_type(const Value& value, const Ref& type) {
  if (type->kind == Kind::name && !type->imported) return is_of_builtin(value, type->path);
  const bool own = type->kind == Kind::type && value.kind == Kind::instance && value.owner == type;
  return own ? std::optional(true) : std::nullopt;
}

static Ref is_instance(const Call& call) {
  const Ref& types = call.values[1];
  const std::vector<Ref> all = types->kind == Kind::tuple && !types->open ? types->items : std::vector<Ref>{types};
  std::optional<bool> found = false;
  for (const Ref& type : all) {
    const std::optional<bool> one = is_of_type(*call.values[0], type);
    if (one.value_or(false)) return scalar(call.node.span, true);
    if (!one) found = std::nullopt;
  }
  return found ? scalar(call.node.span, false)
               : call.interpreter.depends(call.node.span, {call.values[0]}, "the type is unknown");
}

// Returns true for an instance whose attributes are all listed.
static bool lists_attributes(Interpreter& in, const Value& value) {
  return value.kind == Kind::instance && !value.open && !value.escaped && !value.owner->open &&
         in.type_attribute(value.owner, "__getattr__") == nullptr;
}

static Ref get_attribute(const Call& call) {
  Interpreter& in = call.interpreter;
  const Ref& object = call.values[0];
  const std::string& name = call.text(1);
  if (!call.has(2)) return in.attribute_of(object, name, call.node);
  const bool absent = lists_attributes(in, *object) && object->argument(name) == nullptr &&
                      in.type_attribute(object->owner, name) == nullptr;
  if (absent) return call.values[2];
  if (object->kind == Kind::instance || object->kind == Kind::type) return in.attribute_of(object, name, call.node);
  const Ref found = object->kind == Kind::object ? in.attribute_of(object, name, call.node) : nullptr;
  if (found != nullptr && found->kind != Kind::unknown) return found;
  return in.selects(call.node.span, {object, call.values[2]}, "the attribute is unknown");
}

static Ref set_attribute(const Call& call) {
  call.interpreter.set_attribute(call.values[0], call.text(1), call.values[2], call.node.span);
  return no_value(call);
}

// Returns whether a value of a builtin type has a method; nullopt for a name that the tables do not decide. No method
// of a string has the name of a method that changes a container.
static std::optional<bool> has_method(const Value& value, std::string_view name) {
  static constexpr std::string_view kContainers[] = {"list.", "set.", "dict."};
  if (find_method(value, name) != nullptr) return true;
  const auto changes = [&](std::string_view type) {
    const Operation* const row = find_function(std::string(type) + std::string(name));
    return row != nullptr && row->has(traits::changes);
  };
  const bool absent = types_of(value) == types::text && std::ranges::any_of(kContainers, changes);
  return absent ? std::optional(false) : std::nullopt;
}

static Ref has_attribute(const Call& call) {
  Interpreter& in = call.interpreter;
  const Ref& object = call.values[0];
  const std::string& name = call.text(1);
  if (lists_attributes(in, *object)) {
    const bool found = object->argument(name) != nullptr || in.type_attribute(object->owner, name) != nullptr;
    return scalar(call.node.span, found);
  }
  const auto method = has_method(*object, name);
  return method ? scalar(call.node.span, *method) : in.depends(call.node.span, {object}, "the attributes are unknown");
}

// Returns nullopt for an object whose class is not known.
static std::optional<bool> is_callable(const Value& value) {
  switch (value.kind) {
    case Kind::function:
    case Kind::type:
    case Kind::method:
    case Kind::partial: return true;
    case Kind::scalar:
    case Kind::list:
    case Kind::tuple:
    case Kind::set: return false;
    case Kind::dictionary: return value.constructed ? std::nullopt : std::optional(false);
    case Kind::unknown:
    case Kind::object:
    case Kind::name:
    case Kind::instance: break;
  }
  return std::nullopt;
}

static Ref callable(const Call& call) {
  const std::optional<bool> found = is_callable(*call.values[0]);
  return found ? scalar(call.node.span, *found) : nullptr;
}

// The result depends on the identity of objects, or on the user.
static Ref not_computed(const Call& call) {
  return call.interpreter.selects(call.node.span, call.rest, "it depends on a function that is not evaluated");
}

static Ref input(const Call& call) {
  return call.interpreter.depends(call.node.span, {}, "it depends on `input(...)`");
}

// `vars(namespace)` is a dictionary of its attributes. A change of it would change the object.
static Ref variables(const Call& call) {
  if (!call.has(0)) return call.interpreter.all_names(call.node);
  const Ref& object = call.values[0];
  const bool known = object->kind == Kind::object && object->role == Role::name_space && !object->open &&
                     !object->escaped && object->items.size() == object->names.size();
  if (!known) return nullptr;
  const Ref out = call.interpreter.made(container(Kind::dictionary, call.node.span));
  for (std::size_t at = 0; at < object->names.size(); ++at) {
    put(*out, scalar(object->names[at].span, object->names[at].value), object->items[at]);
  }
  link(out, object);
  return out;
}

static Ref all_names(const Call& call) { return call.interpreter.all_names(call.node); }

static Ref local_names(const Call& call) {
  return call.interpreter.is_in_module() ? call.interpreter.all_names(call.node)
                                         : (call.interpreter.lose_names(), nullptr);
}

// Follows known code without names of its own.
static Ref run_code(const Call& call, bool expression) {
  Interpreter& in = call.interpreter;
  const Ref& code = call.values[0];
  if (types_of(*code) != types::text || !code->assumed.empty()) return nullptr;
  if (!call.has(1)) return in.run_text(*code->string(), expression, call.node.span).value_or(nullptr);
  if (expression || call.values[1]->kind != Kind::dictionary) return nullptr;
  return in.run_text_in(*code->string(), call.values[1], call.node.span);
}

static Ref execute(const Call& call) { return run_code(call, false); }

static Ref evaluate(const Call& call) { return run_code(call, true); }

static Ref open_file(const Call& call) { return call.interpreter.opened_file(call.arguments, call.node); }

std::span<const Operation> builtin_functions() {
  using enum Parameter::Presence;
  constexpr Traits any_class = traits::any_class;
  constexpr Traits escapes = traits::any_class | traits::escapes;
  const Parameter value{};
  const Parameter optional_value{"", types::any, optional};
  const Parameter values{"", types::any, rest};
  const Parameter options{"", types::any, mapping};
  const Parameter key{"key", types::any, optional};
  const Parameter name{"", types::text};
  static const std::vector<Operation> rows = {
      {"print", {values, {"file", types::any, optional}, options}, Cost::constant, &print, escapes | traits::open},
      {"dict", {values, options}, Cost::all, &dict, escapes},
      {"super", {values}, Cost::constant, &super_object, escapes | traits::open},
      {"isinstance", {value, value}, Cost::all, &is_instance, any_class},
      {"getattr", {value, name, optional_value}, Cost::constant, &get_attribute, escapes},
      {"setattr", {value, name, value}, Cost::constant, &set_attribute, escapes},
      {"hasattr", {value, name}, Cost::constant, &has_attribute, escapes},
      {"callable", {value}, Cost::constant, &callable, any_class},
      {"type", {values}, Cost::constant, &not_computed, any_class},
      {"id", {values}, Cost::constant, &not_computed, any_class},
      {"hash", {values}, Cost::constant, &not_computed, any_class},
      {"input", {values}, Cost::constant, &input, any_class},
      {"vars", {optional_value}, Cost::all, &variables, escapes},
      {"globals", {}, Cost::constant, &all_names, escapes},
      {"locals", {}, Cost::constant, &local_names, escapes},
      {"exec", {value, optional_value}, Cost::all, &execute, escapes},
      {"eval", {value, optional_value}, Cost::all, &evaluate, escapes},
      {"open", {value, values, options}, Cost::constant, &open_file, escapes},
      {"range", {value, optional_value, optional_value}, Cost::constant, &range, any_class},
      {"sorted", {value, key, {"reverse", types::any, optional}}, Cost::all, &sorted, escapes},
      {"enumerate", {value, {"start", types::any, optional}}, Cost::all, &enumerate},
      {"zip", {values}, Cost::all, &zip},
      {"reversed", {value}, Cost::all, &reversed},
      {"iter", {value}, Cost::all, &iterator_of},
      {"next", {value, optional_value}, Cost::all, &next_item},
      {"map", {value, value, values}, Cost::all, &map_items, escapes},
      {"filter", {value, value}, Cost::all, &filter_items, escapes},
      {"list", {optional_value}, Cost::all, &to_list},
      {"tuple", {optional_value}, Cost::all, &to_tuple},
      {"set", {optional_value}, Cost::all, &to_set},
      {"frozenset", {value}, Cost::all, &to_set},
      {"str", {optional_value}, Cost::all, &to_text},
      {"repr", {value}, Cost::all, &to_repr},
      {"ascii", {value}, Cost::all, &not_modeled},
      {"format", {value, optional_value}, Cost::all, &to_format},
      {"int", {optional_value}, Cost::all, &to_integer},
      {"float", {value}, Cost::all, &to_real},
      {"bool", {value}, Cost::constant, &to_boolean},
      {"chr", {{"", types::integer}}, Cost::constant, &to_character},
      {"ord", {{"", types::text}}, Cost::constant, &to_code_point},
      {"len", {value}, Cost::all, &length},
      {"sum", {value, {"start", types::any, optional}}, Cost::all, &sum},
      {"min", {value, values, key}, Cost::all, &smallest, any_class},
      {"max", {value, values, key}, Cost::all, &largest, any_class},
      {"any", {value}, Cost::all, &any_of},
      {"all", {value}, Cost::all, &all_of},
      {"abs", {value}, Cost::constant, &absolute},
      {"round", {value, {"ndigits", types::any, optional}}, Cost::constant, &rounded},
      {"divmod", {value, value}, Cost::constant, &not_modeled},
      {"pow", {value, value, optional_value}, Cost::constant, &not_modeled},
      {"bin", {value}, Cost::constant, &not_modeled},
      {"hex", {value}, Cost::constant, &not_modeled},
      {"oct", {value}, Cost::constant, &not_modeled},
  };
  return rows;
}

}  // namespace sparsecfg::script
