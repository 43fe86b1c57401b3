#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/budget.h"
#include "python/tree.h"
#include "source/value.h"

// The values of a Python script, as far as they are known without running it.
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

// The placeholder of an unknown value in a string.
inline constexpr std::string_view kHole = "\u27E6\u27E7";

struct Scope;

// The part of a value that statements can change.
struct Content {
  std::vector<Ref> items;
  std::vector<source::Located<std::string>> names;  // of the last arguments of an object; `**` for an unknown mapping
  std::vector<Ref> variants;  // of a list: the lists that it may be, if all of them are known and differ
  // True if the value has more elements, keys or arguments than `items`, or other ones. The items of an open list are
  // possible elements; those of an open dictionary or object are certain.
  bool open = false;
  bool escaped = false;  // code that is not known can change the object at any time
  std::string text;      // the reason why the value is unknown or open; the name of a method or class
  source::Span why;      // where it became unknown or open
};

// A flag that copies do not take over.
struct OwnFlag {
  OwnFlag() = default;

  OwnFlag(const OwnFlag& /*other*/) {}

  OwnFlag& operator=(const OwnFlag&) = delete;
  ~OwnFlag() = default;

  bool is_set = false;
};

struct Value : Content {
  Value() = default;
  Value(const Value&) = default;
  Value& operator=(const Value&) = delete;
  // Destroys nested values one after the other, because they may be nested deeply.
  ~Value();

  enum class Kind : std::uint8_t {
    unknown,     // text: the reason; why: its place; items: objects that the value may be
    scalar,      // None, bool, int, float, string
    list,        // items
    tuple,       // items
    set,         // items
    dictionary,  // items: key, value, key, value ...
    object,      // the result of a call that is not evaluated: path, items, names
    name,        // an imported name, a builtin, or an attribute of one: path
    function,    // a function of the script; items: defaults of the last parameters that have one
    type,        // a class of the script; items: bases
    instance,    // of a class of the script: items, names: attributes
    method,      // items: receiver; text: name
    partial,     // items: function, arguments; names of the last arguments
  };

  // What a value is besides its kind.
  enum class Role : std::uint8_t {
    plain,
    here,           // a string: a path from the folder of the script
    range,          // a list: an immutable `range`
    iterator,       // a list: the elements that are left
    generator,      // a list: an iterator whose elements are computed later
    context,        // a list: what a function with `contextlib.contextmanager` returns; the body computes its element
    view,           // a list: the keys, values or entries of a dictionary
    environment,    // a dictionary: `os.environ`
    path,           // an object: `pathlib.Path`; items: its text
    file,           // an object: an open file; items: the arguments of `open`
    parser,         // an object: `argparse.ArgumentParser`
    option,         // an object: an option of a parser
    name_space,     // an object with attributes of any name
    super,          // an object: `super()`; items: the object; owner: its class
    all_names,      // an object: `globals()`
    module,         // a type: a module next to the script
    dataclass,      // a type; names: the fields; variants: their defaults or null
    enumeration,    // a type: an `Enum`
    network,        // a type: its only base is `torch.nn.Module`, or such a type
    static_method,  // a function of a class
    class_method,   // a function of a class
    property,       // a function of a class
    manager,        // a function with `contextlib.contextmanager`
  };

  Kind kind = Kind::unknown;
  Role role = Role::plain;
  bool imported = false;     // of a name or object: true if an import defines the start of the path
  bool constructed = false;  // of a dictionary: true if it represents an object of a framework
  bool reassigned = false;   // of an object: true if the script has set an attribute, which no validator has seen
  bool possible = false;     // of an object: true if the script may construct another one in its place
  source::Span span;         // where the value was constructed
  source::Value::Data data;  // of a scalar
  // "llmcompressor.modifiers.quantization.GPTQModifier"; of an undefined name the name; of a dictionary that a
  // framework defines its name; of a generator the names that its code uses
  std::string path;
  std::string assumed;  // an option of the command line whose default the value depends on
  // Of an unknown value with items, and a list with variants: an option whose default selects the first of them.
  std::string option;
  source::Span name_span;     // of the called name
  std::vector<Piece> pieces;  // of a string
  const python::Statement* function = nullptr;
  std::shared_ptr<Scope> scope;  // of a function or generator: where it is; of a class: its names
  // The class of an instance; of a method of an object the object; of a call that changes a model in place the call
  // before it that has changed the same model.
  Ref owner;
  std::vector<Ref> aliases;  // of an unknown value: objects that it may be or contain; of a generator: what it calls
  std::vector<std::weak_ptr<Value>> linked;            // values that may change when this one changes
  std::uint32_t branch = 0;                            // of a recorded call: the part of Trace::branches
  const Value* origin = nullptr;                       // of a copy of a whole recipe: the original
  std::size_t born = 0;                                // the time of its construction
  std::size_t changes = 0;                             // number of changes, including those that were undone
  std::size_t changed = 0;                             // the time of the last change
  OwnFlag counted;                                     // set if it is among the changed values of the heap
  std::size_t logged = 0;                              // the period in which its content was saved
  std::unordered_map<std::string, std::size_t> index;  // of a large dictionary: the places of keys

  [[nodiscard]] const std::string* string() const {
    return kind == Kind::scalar ? std::get_if<std::string>(&data) : nullptr;
  }

  // Returns true if no part of the string is unknown.
  [[nodiscard]] bool is_whole() const;

  // Returns the argument of an object, or null.
  [[nodiscard]] Ref argument(std::string_view name) const;
  // Returns the argument with the name or, without it, the positional argument at `position`; null without both.
  [[nodiscard]] Ref argument(std::string_view name, std::size_t position) const;

  // Identifies the object in copies of a recipe.
  [[nodiscard]] const Value* identity() const { return origin == nullptr ? this : origin; }
};

[[nodiscard]] Ref unknown(source::Span span, std::string why);
[[nodiscard]] Ref scalar(source::Span span, source::Value::Data data);
[[nodiscard]] Ref container(Value::Kind kind, source::Span span, std::vector<Ref> items = {});

// Returns true for the value `None`.
[[nodiscard]] bool is_none(const Value& value);
// Returns true for an argument that may differ from None; false for null.
[[nodiscard]] bool is_given(const Ref& value);
// Returns true for the value `True`; false for null.
[[nodiscard]] bool is_true(const Ref& value);
// The same for `False`.
[[nodiscard]] bool is_false(const Ref& value);
// Returns a string without unknown parts, or null.
[[nodiscard]] const std::string* whole_string(const Ref& value);
// Returns true for a list, tuple or set whose elements are all listed.
[[nodiscard]] bool is_sequence(const Value& value);
// Returns true for a dictionary whose keys are all known.
[[nodiscard]] bool is_closed_mapping(const Value& value);
// Returns true if a value is a dictionary.
[[nodiscard]] bool has_dictionary(const std::vector<Ref>& values);
// Returns true for an object that statements can change.
[[nodiscard]] bool is_mutable(const Value& value);

// Returns a text that is equal for keys that Python treats as equal; nullopt if the value is unknown or not a key.
[[nodiscard]] std::optional<std::string> key_text(const Value& key);
// Returns true for a value with this text as its key.
[[nodiscard]] bool has_key(const Value& value, const std::string& key_text);

// Removes equal elements of a set. The set is open if some elements cannot be compared.
void make_unique(Value& set);

// Returns the value of a key of a dictionary, or null.
[[nodiscard]] Ref find(const Value& dictionary, std::string_view key);
// The same for a key of any type. `place` is its offset in the items, or their number.
[[nodiscard]] std::size_t place_of(const Value& dictionary, const std::string& key_text);
// Adds or replaces an entry of a dictionary.
void put(Value& dictionary, const Ref& key, const Ref& value);
void erase_entry(Value& dictionary, std::size_t place);

// Sets an attribute of an object or instance.
void set_argument(Value& object, const std::string& name, source::Span span, const Ref& value);

// Returns a copy that has the same elements, and no links to other values.
[[nodiscard]] Ref shallow_copy(const Ref& value);

// Returns a deep copy. All values of the copy keep their places. Values that occur repeatedly in the original are also
// shared in the copy, and scalars with the original. Returns null if it has more than `limit` values or exceeds the
// budget. `born` is the time of the copies.
[[nodiscard]] Ref copy(const Ref& value, base::Budget& budget, std::size_t limit, std::size_t born = 0);

}  // namespace sparsecfg::script
