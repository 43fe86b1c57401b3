#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "python/tree.h"
#include "source/value.h"

// Values of a Python script that can be determined without running it.
namespace sparsecfg::script {

struct Value;
using Ref = std::shared_ptr<Value>;  // Python's objects have an identity: `a = b; a.append(1)` changes both

// A part of a string and its place in the file.
struct Piece {
  std::uint32_t begin = 0;  // offset in the string
  source::Span span;
  bool exact = false;  // true if the bytes of the place are those of the part
  bool hole = false;   // true for a placeholder of an unknown value
};

struct Scope;

struct Value {
  enum class Kind : std::uint8_t {
    unknown,     // text: the reason
    scalar,      // None, bool, int, float, string
    list,        // items
    tuple,       // items
    set,         // items
    dictionary,  // items: key, value, key, value ...
    object,      // the result of a call that is not evaluated: path, items, names
    name,        // an imported name, or an attribute of one: path
    function,    // a function of the script
  };

  Kind kind = Kind::unknown;
  source::Span span;         // where the value was constructed
  source::Value::Data data;  // of a scalar
  std::string text;          // the reason why the value is unknown
  // "llmcompressor.modifiers.quantization.GPTQModifier"; of an undefined name the name; of a dictionary that a
  // framework defines its name
  std::string path;
  bool imported = false;     // of a name or object: true if an import defines the start of the path
  bool constructed = false;  // of a dictionary: true if it represents an object of a framework
  source::Span name_span;    // of the called name
  std::vector<Ref> items;
  std::vector<source::Located<std::string>> names;  // of the last arguments of an object; `**` for an unknown mapping
  std::vector<Piece> pieces;                        // of a string
  const python::Statement* function = nullptr;
  std::shared_ptr<Scope> scope;  // the scope in which the function is defined

  [[nodiscard]] const std::string* string() const {
    return kind == Kind::scalar ? std::get_if<std::string>(&data) : nullptr;
  }

  // Returns true if no part of the string is unknown.
  [[nodiscard]] bool is_whole() const;

  // Returns the argument of an object, or null.
  [[nodiscard]] Ref argument(std::string_view name) const;
};

[[nodiscard]] Ref unknown(source::Span span, std::string why);
[[nodiscard]] Ref scalar(source::Span span, source::Value::Data data);
[[nodiscard]] Ref container(Value::Kind kind, source::Span span, std::vector<Ref> items = {});

// Returns the value of a key of a dictionary, or null.
[[nodiscard]] Ref find(const Value& dictionary, std::string_view key);

// Returns a deep copy. All values of the copy keep their places.
[[nodiscard]] Ref copy(const Ref& value);

// Returns the value of an imported name that a framework defines, such as a dictionary, or null.
using Constant = std::function<Ref(std::string_view path, source::Span span)>;

// An import that the script needs to run.
struct Import {
  std::string module;
  std::string name;  // empty for a whole module
  source::Span span;
  source::Span statement;  // if it is the only imported name; otherwise empty
};

// A dictionary of a framework that the script changes.
struct Change {
  std::string path;
  std::string key;
  source::Span span;
};

// The result of following a script.
struct Trace {
  std::vector<Ref> objects;  // calls in the order of evaluation
  std::vector<Ref> lists;    // lists and tuples that are written with elements
  std::vector<Ref> strings;  // strings that were assigned to a name or passed to a call
  std::vector<Import> imports;
  std::vector<Change> changes;
  std::vector<std::string> classes;     // defined by the script
  std::optional<source::Span> limit{};  // where the script exceeds a limit; what follows may be missing
};

// Follows scripts that share their names, such as the cells of a notebook: assignments, calls of functions that they
// define, conditions and loops over known values. Does not import or run any code. Functions that are never called are
// followed with unknown arguments.
// `text` is the text that the places of the scripts refer to.
[[nodiscard]] Trace follow(std::string_view text, std::span<const python::Script> scripts, const Constant& constant);

}  // namespace sparsecfg::script
