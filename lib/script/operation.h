#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "python/tree.h"
#include "script/value.h"

// The operations of Python's library: methods, builtin functions and functions of modules. Each is a row of a table.
namespace sparsecfg::script {

class Interpreter;
struct Arguments;

// Sets of kinds of arguments. A value that is not completely known is only `any`.
using Types = std::uint8_t;

namespace types {
inline constexpr Types none = 1;
inline constexpr Types boolean = 2;
inline constexpr Types integer = 4;
inline constexpr Types real = 8;
inline constexpr Types text = 16;
inline constexpr Types tuple = 32;  // all elements are listed
inline constexpr Types any = 255;
}  // namespace types

struct Parameter {
  enum class Presence : std::uint8_t {
    required,
    optional,
    rest,     // all further positional arguments
    mapping,  // all further named arguments
  };

  std::string_view name;  // empty if it cannot be passed by name
  Types types = types::any;
  Presence presence = Presence::required;
};

// What an operation reads. It is charged before the operation runs.
enum class Cost : std::uint8_t {
  constant,  // a number of elements or bytes that does not depend on the arguments, or what the operation charges
  receiver,  // the elements or bytes of the receiver, or of the first argument of a function
  all,       // the elements or bytes of the receiver and of all arguments
};

// Properties of a row, as a sum.
using Traits = std::uint8_t;

namespace traits {
// If a call does not fit the row, the receiver and the arguments can change. Without this trait, only the result is
// unknown.
inline constexpr Traits escapes = 1;
inline constexpr Traits changes = 2;     // changes its receiver
inline constexpr Traits open = 4;        // can be called with unknown further arguments
inline constexpr Traits partial = 8;     // accepts a receiver with placeholders
inline constexpr Traits any_class = 16;  // accepts objects of classes that the script defines
}  // namespace traits

// A call whose arguments fit a row.
struct Call {
  Interpreter& interpreter;
  const python::Node& node;
  Ref self;                 // the receiver; null for a function
  std::vector<Ref> values;  // by parameter; null if it is absent
  std::vector<Ref> rest;    // further positional arguments
  const Arguments& arguments;
  std::string_view name;  // of the row

  [[nodiscard]] bool has(std::size_t parameter) const { return values[parameter] != nullptr; }

  // The value of a parameter that is present and has the type.
  [[nodiscard]] const std::string& text(std::size_t parameter) const { return *values[parameter]->string(); }

  [[nodiscard]] std::int64_t integer(std::size_t parameter, std::int64_t otherwise) const;
  // Returns true if an argument is absent or None.
  [[nodiscard]] bool is_none(std::size_t parameter) const;

  // The text of the receiver.
  [[nodiscard]] const std::string& text() const { return *self->string(); }
};

// The result of an operation; null if it is not modeled for these arguments.
using Function = Ref (*)(const Call& call);

struct Operation {
  std::string_view name;
  std::vector<Parameter> parameters;
  Cost cost = Cost::all;
  Function function = nullptr;
  Traits traits = 0;

  [[nodiscard]] bool has(Traits trait) const { return (traits & trait) != 0; }
};

// The rows for one kind of receiver, or for the functions of one module.
struct OperationTable {
  std::string_view name;  // "str", "builtins", "os.path"
  std::span<const Operation> rows;
};

// Returns all tables.
[[nodiscard]] std::span<const OperationTable> operation_tables();

// Returns the row of a function by its path, such as "json.loads" or "builtins.len"; null if there is none.
[[nodiscard]] const Operation* find_function(std::string_view path);

// Returns the row of a method of a value; null if there is none.
[[nodiscard]] const Operation* find_method(const Value& receiver, std::string_view name);

// Returns the kinds of a value that a parameter may accept.
[[nodiscard]] Types types_of(const Value& value);

// Binds the arguments to the parameters of a row. Returns false if number, names or types do not fit.
[[nodiscard]] bool bind(const Operation& operation, const Arguments& arguments, Call& call);

}  // namespace sparsecfg::script
