#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "script/interpreter.h"
#include "script/model.h"

// Calls of the operations in the tables.
namespace sparsecfg::script {

using Kind = Value::Kind;
using Role = Value::Role;

bool Interpreter::charge(const Operation& operation, const Call& call) {
  if (operation.cost == Cost::constant) return true;
  const Ref& first = call.self != nullptr ? call.self : call.values.empty() ? call.self : call.values.front();
  if (first != nullptr && !reads(*first)) return false;
  if (operation.cost == Cost::receiver) return true;
  const auto all = call.arguments.all();
  return visits(all.size()) && std::ranges::all_of(all, [&](const Ref& value) { return reads(*value); });
}

// Returns null if the call does not fit the row, or if the function does not model it.
Ref Interpreter::run_operation(const Operation& operation, const Ref& self, const Arguments& arguments,
                               const Node& node) {
  Call call{*this, node, self, {}, {}, arguments, operation.name};
  const bool whole = self == nullptr || self->string() == nullptr || operation.has(traits::partial) || self->is_whole();
  if (!whole || !bind(operation, arguments, call)) return nullptr;
  if (!charge(operation, call)) {
    limit(node.span);
    return unknown(node.span, std::string(kTooLong));
  }
  Ref out = operation.function(call);
  const bool is_new = out != nullptr && self != nullptr && self->kind == Kind::scalar && out != self &&
                      std::ranges::find(call.values, out) == call.values.end();
  if (!is_new) return out;
  for (const Ref& value : arguments.all()) inherit(out, {value});
  return inherit(out, {self});
}

// Returns true for a value whose operations the builtin functions do not model.
static bool is_of_script(const Ref& value) {
  return value->kind == Kind::instance || value->kind == Kind::type || value->kind == Kind::function ||
         value->kind == Kind::partial || value->kind == Kind::method;
}

// Returns null if the function can change its arguments.
Ref Interpreter::builtin(const std::string& name, const Arguments& arguments, const Node& node) {
  const Operation* const row = find_function("builtins." + name);
  if (row == nullptr) return nullptr;
  if (!row->has(traits::any_class) && std::ranges::any_of(arguments.all(), is_of_script)) return nullptr;
  if (Ref out = run_operation(*row, nullptr, arguments, node)) return out;
  if (row->has(traits::escapes) || arguments.is_open()) return nullptr;
  return selects(node.span, arguments.all(), fmt::format("`{}(...)` is not evaluated", name));
}

// Returns null for a function that is not in the tables, or that can change its arguments.
Ref Interpreter::library_call(const std::string& path, const Arguments& arguments, const Node& node) {
  const Operation* const row = find_function(path);
  if (row != nullptr) {
    if (Ref out = run_operation(*row, nullptr, arguments, node)) return out;
    if (row->has(traits::escapes) || arguments.is_open()) return nullptr;
    return depends(node.span, arguments.all(), fmt::format("it depends on `{}(...)`", path));
  }
  searches_more_ = searches_more_ || path.starts_with("sys.path.");
  if (path.starts_with("os.path.") && !arguments.is_open())
    return depends(node.span, arguments.all(), fmt::format("it depends on `{}(...)`", path));
  const bool logs = path.starts_with("logging.") && path != "logging.getLogger";
  return logs ? depends(node.span, {}, fmt::format("it depends on `{}(...)`", path)) : nullptr;
}

Ref Interpreter::method(const Ref& object, const std::string& name, const Arguments& arguments, const Node& node) {
  if (is_under_construction(*object)) {
    if (Ref out = model_method(object, name, arguments, node.span)) return out;
  }
  const Operation* const row = find_method(*object, name);
  if (object->escaped && (row == nullptr || row->has(traits::changes))) outdate(object, {}, node.span);
  if (row != nullptr) {
    if (Ref out = run_operation(*row, object, arguments, node)) return out;
  }
  const std::string reason = fmt::format("`.{}(...)` is not evaluated", name);
  std::vector<Ref> on{object};
  for (const Ref& value : arguments.all()) on.push_back(value);
  const bool changes = row == nullptr || row->has(traits::escapes);
  const bool immutable = object->kind == Kind::scalar || object->kind == Kind::tuple;
  if (changes && !immutable) escape(object, node.span, reason);
  if (changes || arguments.is_open()) {
    for (const Ref& value : arguments.all()) escape(value, node.span, reason);
  }
  return depends(node.span, on, reason);
}

// Adds an item to a list, and to all lists that it may be.
bool Interpreter::add_item(const Ref& list, const Ref& item) {
  if (!builds(sizeof(Ref))) {
    limit(list->span);
    return false;
  }
  const std::vector<Ref> variants = list->variants;
  keep(item);
  if (!heap_.change(list)) {
    escape(item, list->span, "it is an element of a list that can change");
    return true;
  }
  list->items.push_back(item);
  for (const Ref& variant : variants) {
    if (!builds(sizeof(Value) + variant->items.size() * sizeof(Ref))) return false;
    const Ref longer = container(Kind::list, variant->span, variant->items);
    longer->items.push_back(item);
    list->variants.push_back(longer);
  }
  return true;
}

// Methods of objects that are known by their class.
Ref Interpreter::object_method(const Ref& object, const std::string& name, const Arguments& arguments,
                               const Node& node) {
  if (is_model(*object)) {
    if (Ref out = model_method(object, name, arguments, node.span)) return out;
  }
  const Operation* const row = object->escaped ? nullptr : find_method(*object, name);
  if (row != nullptr) {
    if (Ref out = run_operation(*row, object, arguments, node)) return out;
  }
  if (object->role == Role::file) return depends(node.span, {object}, "the content of a file is unknown");
  if (object->role == Role::path) return depends(node.span, {object}, fmt::format("it depends on `.{}(...)`", name));
  lost_ = lost_ || object->role == Role::all_names;
  if (object->path.starts_with("logging.")) {
    risk();
    return scalar(node.span, std::monostate());
  }
  auto callee = std::make_shared<Value>();
  callee->kind = Kind::unknown;
  callee->span = node.span;
  callee->path = "." + name;
  callee->text = object->text;
  callee->why = object->why;
  callee->owner = object;
  if (!object->escaped && library_.keeps_object(*object, name)) return call_keeping(*callee, arguments, node);
  escape(object, node.span, "a method of it is called");
  return call_unknown(callee, arguments, node);
}

// Returns a call in the tables as an object, with its arguments.
Ref Interpreter::object_of_call(const Call& call) {
  auto callee = std::make_shared<Value>();
  callee->kind = Kind::name;
  callee->path = call.name;
  callee->imported = true;
  return object_of(*callee, call.arguments, call.node.span);
}

Ref Interpreter::opened_file(const Arguments& arguments, const Node& node) {
  risk();
  const Ref mode = arguments.positional.size() > 1 ? arguments.positional[1] : arguments.named_argument("mode");
  const bool reads_only =
      mode == nullptr || (types_of(*mode) == types::text && mode->string()->find_first_of("wax+") == std::string::npos);
  writes_ = writes_ || !reads_only;
  auto callee = std::make_shared<Value>();
  callee->kind = Kind::name;
  callee->path = "open";
  callee->span = node.span;
  const Ref out = object_of(*callee, arguments, node.span);
  out->role = Role::file;
  return out;
}

}  // namespace sparsecfg::script
