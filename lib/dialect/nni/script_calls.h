#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "dialect/nni/config.h"
#include "source/value.h"

// Constructors of compressors in Python scripts.
namespace sparsecfg::dialect::nni {

struct ScriptCall {
  std::string path;               // of the class, with its modules
  source::Value part;             // as in a file: `class`, the arguments by name, and `pruner` for a wrapped pruner
  std::set<std::string> unknown;  // names of the arguments whose values are unknown, also of the wrapped pruner
  source::Map compress;           // the known arguments of `compress`, by name
  bool computes_steps = false;    // true if `compress` has `max_steps` with an unknown value
  source::Span compress_call;     // empty if no call of `compress` is known
  std::size_t order = 0;          // of this call among the calls of the script
  source::Span speedup;           // of a call that needs an unwrapped model, but gets the wrapped one; empty: none
};

// Returns the constructors that receive a list of a script, from the mapping of all lists.
[[nodiscard]] std::vector<ScriptCall> script_calls_of(const source::Map& lists, const std::string& list);

// Checks the constructors of pruners of NNI 2.x in a script.
void check_older_calls(const source::Map& lists, const Context& context);

}  // namespace sparsecfg::dialect::nni
