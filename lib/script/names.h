#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "python/tree.h"

// The names that code binds or uses, computed from the syntax.
namespace sparsecfg::script {

using Form = python::Node::Kind;
using Names = std::set<std::string>;

// The names of a function or class body.
struct Binding {
  Names locals;     // bound in the body, without those of inner functions and classes
  Names globals;    // declared by `global`
  Names nonlocals;  // declared by `nonlocal`
};

[[nodiscard]] Binding binding_of(const python::Statement& definition);

// The names through which a function can change objects or names outside.
struct Effects {
  Names stored;                         // by `global` and `nonlocal`
  Names exposed;                        // used where an object can be changed or passed on
  std::map<std::string, Names> passed;  // passed to a function, by its name
  Names elements;                       // used where only elements of a container can be reached
};

[[nodiscard]] Effects effects_of(const python::Statement& function);

// Returns the names that code uses, also those of inner functions.
[[nodiscard]] Names names_of(const python::Node& node);
[[nodiscard]] Names names_of(const python::Statement& statement);

// Returns true if a block can leave the code around it by `return` or `break`, or by `continue` unless `loop` is true.
[[nodiscard]] bool leaves(const std::vector<python::Statement>& block, bool loop);

// Returns all words of a text, for code that could not be parsed.
[[nodiscard]] Names words_of(std::string_view text);

// Returns true for a name of the module `builtins`.
[[nodiscard]] bool is_builtin(std::string_view name);

// Returns true for an expression with a call or `:=`.
[[nodiscard]] bool has_effects(const python::Node& node);

// Adds the names that an expression binds by `:=`.
void add_named(const python::Node& node, Names& out);

// Adds the names that a target or pattern binds.
void add_targets(const python::Node& node, Names& out);

}  // namespace sparsecfg::script
