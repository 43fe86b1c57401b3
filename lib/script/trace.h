#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "python/imported_names.h"
#include "script/branches.h"
#include "script/value.h"

namespace sparsecfg::script {

// What a framework can use of the interpreter to construct an object.
struct Builder {
  // Returns the value of a constant of a framework as it is now, or null.
  std::function<Ref(std::string_view path)> constant;
  // Returns a deep copy, or an unknown value.
  std::function<Ref(const Ref& value)> copy;
};

// The knowledge of frameworks and of the project that a script can use.
struct Library {
  // Returns the text of a file, as `find_file` does.
  [[nodiscard]] std::optional<std::string> read_file(const std::string& path, bool here) const {
    bool unclear = false;
    return find_file(path, here, unclear);
  }

  // Returns the value of an imported name that a framework defines, such as a dictionary, or null.
  std::function<Ref(std::string_view path, source::Span span)> constant = [](std::string_view, source::Span) {
    return Ref();
  };
  // Returns true if a call of the path neither changes its arguments nor runs other code of the script. The object that
  // a class constructs has the arguments as its attributes.
  std::function<bool(std::string_view path)> keeps_arguments = [](std::string_view) { return false; };
  // Returns true if a method of an object, which a call that is not evaluated returned, changes neither the object nor
  // its arguments, and runs no other code of the script.
  std::function<bool(const Value& object, std::string_view method)> keeps_object = [](const Value&, std::string_view) {
    return false;
  };
  // Changes the object of a call of keeps_arguments() to the object that the framework constructs: names the positional
  // arguments, and fills presets in.
  std::function<void(Value& object, const Builder& builder)> construct = [](Value&, const Builder&) {};
  // Returns true for a class that keeps the lists and dictionaries that it gets. Other classes copy them.
  std::function<bool(std::string_view path)> keeps_references = [](std::string_view) { return false; };
  // Returns the value that a script reads from a field: the argument, the value that a validator makes of it, or null
  // if that is not known.
  std::function<Ref(std::string_view path, std::string_view field, const Ref& argument)> field_value =
      [](std::string_view, std::string_view, const Ref& argument) { return argument; };
  // Returns true for the name of a field of a class that `keeps_arguments` knows.
  std::function<bool(std::string_view name)> is_field = [](std::string_view) { return true; };
  // Returns the text of a file next to the script; nullopt if it does not exist or is not in the project. `here`: the
  // path begins at the folder of the script; otherwise Python looks in the current folder. If the folders have
  // different files, the result is nullopt and `unclear` is set.
  std::function<std::optional<std::string>(const std::string& path, bool here, bool& unclear)> find_file =
      [](const std::string&, bool, bool&) { return std::optional<std::string>(); };
  // Returns the value of a YAML text; nullopt if it is not valid.
  std::function<std::optional<source::Value>(std::string_view text)> read_yaml = [](std::string_view) {
    return std::optional<source::Value>();
  };
};

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

// A list that the script assigns to a name. If it is unknown, its aliases are possible elements.
struct Assigned {
  source::Located<std::string> name;
  Ref value;
};

// The sign before a mapping whose entries another mapping gets.
inline constexpr std::string_view kSpread = "**";

// A string as the index of a list: `value` in `object[value] = assigned`. The last two are text of the script.
struct ListKey {
  std::string value;
  source::Span span{};
  std::string object{};
  std::string assigned{};
};

// A reason for which Python stops at a statement that every run of the script reaches.
struct Failure {
  enum class Kind : std::uint8_t {
    undefined,  // a name that nothing defines; text: the name
    missing,    // a name that a module next to the script does not define; text: the name
    absent,     // a module that a package next to the script does not have; text: its path
    module,     // a module next to the script that Python cannot parse; text: the reason
  };
  Kind kind = Kind::undefined;
  source::Span span;
  std::string text;
  std::string near;  // a defined name that is spelled similarly; may be empty
};

// The result of following a script.
struct Trace {
  // Calls in the order of evaluation. A call that accepts a recipe has a copy of it, as it is at that time.
  std::vector<Ref> objects;
  std::size_t reached = 0;  // number of `objects` of code that runs; the others are in functions that nothing calls
  Branches branches;
  std::vector<Ref> lists;          // lists and tuples that are written with elements
  std::vector<Assigned> assigned;  // lists that are empty or may contain dictionaries
  std::vector<Ref> strings;        // strings that were assigned to a name or passed to a call
  std::string_view text;           // of the script, without that of other files
  std::vector<Import> imports;
  python::ImportedNames imported;  // by all imports of the script
  std::vector<Change> changes;
  std::vector<Failure> failures;
  bool writes = false;  // true if the script has written a file
  // Strings that are used as an index of a list, or `**` before a list, which fails.
  std::vector<ListKey> list_keys;
  std::vector<std::string> classes;  // defined by the script
  source::Span limited;              // where a limit of the reader was reached, or empty
  std::string limit;                 // the limit
};

// The text of a script, and its parts that share their names, such as the cells of a notebook. Spans refer to the text.
struct Source {
  std::string_view text;
  std::span<const python::Script> scripts;
};

// The name of the parameter that accepts a recipe, in any function.
inline constexpr std::string_view kRecipe = "recipe";

// Returns the place of the recipe among the items of a call: its argument `recipe` or `config_list`, or a list of
// dictionaries after the first argument, which is the model. Returns nullopt if there is none.
[[nodiscard]] std::optional<std::size_t> place_of_recipe(const Value& call);

// Follows scripts without running or importing any code, except for the constants and functions of modules next to the
// script. Each value of the result is either correct for every run of the script, or unknown. Functions that are never
// called are followed with unknown arguments.
[[nodiscard]] Trace follow(const Source& source, const Library& library);

}  // namespace sparsecfg::script
