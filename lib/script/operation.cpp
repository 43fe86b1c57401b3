#include "script/operation.h"

#include <algorithm>
#include <string>
#include <unordered_map>

#include "script/interpreter.h"
#include "script/library/tables.h"

namespace sparsecfg::script {

using Kind = Value::Kind;
using Presence = Parameter::Presence;
using Role = Value::Role;

std::int64_t Call::integer(std::size_t parameter, std::int64_t otherwise) const {
  const Ref& value = values[parameter];
  const auto* integer = value == nullptr ? nullptr : std::get_if<std::int64_t>(&value->data);
  return integer == nullptr ? otherwise : *integer;
}

bool Call::is_none(std::size_t parameter) const {
  return values[parameter] == nullptr || types_of(*values[parameter]) == types::none;
}

Types types_of(const Value& value) {
  if (value.kind == Kind::tuple) return value.open ? 0 : types::tuple;
  if (value.kind != Kind::scalar || !value.is_whole() || value.role != Value::Role::plain) return 0;
  if (std::holds_alternative<std::string>(value.data)) return types::text;
  if (std::holds_alternative<std::monostate>(value.data)) return types::none;
  if (std::holds_alternative<bool>(value.data)) return types::boolean;
  if (std::holds_alternative<std::int64_t>(value.data)) return types::integer;
  return std::holds_alternative<double>(value.data) ? types::real : 0;
}

static bool fits(const Parameter& parameter, const Ref& value) {
  return parameter.types == types::any || (types_of(*value) & parameter.types) != 0;
}

static bool bind_named(const Operation& operation, const Arguments& arguments, Call& call) {
  const auto rest = std::ranges::find(operation.parameters, Presence::mapping, &Parameter::presence);
  for (std::size_t at = 0; at < arguments.names.size(); ++at) {
    const std::string& name = arguments.names[at].value;
    const auto parameter = std::ranges::find_if(operation.parameters, [&](const Parameter& each) {
      return !each.name.empty() && each.name == name && each.presence != Presence::mapping;
    });
    if (parameter == operation.parameters.end()) {
      if (rest == operation.parameters.end()) return false;
      continue;
    }
    Ref& value = call.values[static_cast<std::size_t>(parameter - operation.parameters.begin())];
    if (value != nullptr) return false;
    value = arguments.named[at];
  }
  return true;
}

bool bind(const Operation& operation, const Arguments& arguments, Call& call) {
  if (arguments.is_open() && !operation.has(traits::open)) return false;
  call.values.assign(operation.parameters.size(), nullptr);
  std::size_t next = 0;
  for (std::size_t at = 0; at < operation.parameters.size() && next < arguments.positional.size(); ++at) {
    const Presence presence = operation.parameters[at].presence;
    if (presence == Presence::mapping) continue;
    if (presence == Presence::rest) {
      call.rest.assign(arguments.positional.begin() + static_cast<std::ptrdiff_t>(next), arguments.positional.end());
      next = arguments.positional.size();
    } else {
      call.values[at] = arguments.positional[next++];
    }
  }
  if (next < arguments.positional.size() || !bind_named(operation, arguments, call)) return false;
  for (std::size_t at = 0; at < operation.parameters.size(); ++at) {
    const Parameter& parameter = operation.parameters[at];
    const Ref& value = call.values[at];
    if (value == nullptr ? parameter.presence == Presence::required : !fits(parameter, value)) return false;
  }
  return std::ranges::all_of(call.rest, [&](const Ref& value) {
    return fits(*std::ranges::find(operation.parameters, Presence::rest, &Parameter::presence), value);
  });
}

std::span<const OperationTable> operation_tables() {
  static const std::vector<OperationTable> tables = {
      {"str", text_methods()},
      {"list", list_methods()},
      {"tuple", tuple_methods()},
      {"set", set_methods()},
      {"dict", mapping_methods()},
      {"builtins", builtin_functions()},
      {"Path", path_methods()},
      {"file", file_methods()},
      {"ArgumentParser", parser_methods()},
      {"subparsers", command_methods()},
      {"BaseModel", model_methods()},
      {"globals", all_names_methods()},
      {"", path_functions()},
      {"", document_functions()},
      {"", parser_functions()},
      {"", module_functions()},
  };
  return tables;
}

using Index = std::unordered_map<std::string, const Operation*>;

// All rows by the name of their table and their own name.
static const Index& operation_index() {
  static const Index index = [] {
    Index out;
    for (const OperationTable& table : operation_tables()) {
      const std::string prefix = table.name.empty() ? std::string() : std::string(table.name) + ".";
      for (const Operation& row : table.rows) out.emplace(prefix + std::string(row.name), &row);
    }
    return out;
  }();
  return index;
}

const Operation* find_function(std::string_view path) {
  const auto found = operation_index().find(std::string(path));
  return found == operation_index().end() ? nullptr : found->second;
}

// The name of the table of an object.
static std::string_view table_of_object(const Value& object) {
  switch (object.role) {
    case Role::path: return "Path";
    case Role::file: return "file";
    case Role::parser: return "ArgumentParser";
    case Role::option: return "subparsers";
    case Role::all_names: return "globals";
    case Role::plain: return object.imported ? "BaseModel" : "";
    default: return {};
  }
}

// The name of the table of methods of a value; empty if there is none.
static std::string_view table_of(const Value& receiver) {
  if (receiver.kind == Kind::object) return table_of_object(receiver);
  if (receiver.role != Role::plain && receiver.role != Role::environment) return {};
  switch (receiver.kind) {
    case Kind::scalar: return receiver.string() == nullptr ? "" : "str";
    case Kind::list: return "list";
    case Kind::tuple: return "tuple";
    case Kind::set: return "set";
    case Kind::dictionary: return "dict";
    default: return {};
  }
}

const Operation* find_method(const Value& receiver, std::string_view name) {
  const std::string_view type = table_of(receiver);
  return type.empty() ? nullptr : find_function(std::string(type) + "." + std::string(name));
}

}  // namespace sparsecfg::script
