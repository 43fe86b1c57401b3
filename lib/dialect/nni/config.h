#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/guesses.h"
#include "diag/sink.h"
#include "dialect/nni/model.h"
#include "dialect/nni/table.h"
#include "dialect/nni/values.h"
#include "dialect/options.h"

// A configuration as it is given: compressors, each with its list of entries.
namespace sparsecfg::dialect::nni {

// One item of a config_list.
struct Entry {
  const source::Map* written;  // in `Configuration::root`
  source::Map fields;          // as NNI 3.0 goes on with them, after the translation of 2.x keys
  source::Span span;
  std::string path;  // "config_list[1]"
  int ordinal = 0;   // from 1, over all compressors
  // Names of its modules, as far as they are known; empty if no entry of the list has `fuse_names`.
  std::set<std::string, std::less<>> selected{};
  bool valid = true;  // true if nothing of it is refused

  // Where the value of a key stands, or the entry where the key is absent or not written.
  [[nodiscard]] source::Span place(const source::Value* value) const {
    return value == nullptr || value->span.empty() ? span : value->span;
  }
};

// A class and what its constructor is given.
struct Part {
  source::Located<std::string> name;
  const ClassSpec* spec = nullptr;  // null where NNI 3.0 has no such class
  source::Map arguments;
};

struct Compressor {
  Mode mode = Mode::pruning;
  std::optional<Part> main;
  std::optional<Part> inner;    // the pruner that a scheduled one wraps
  bool fused = false;           // true if it shares the run with other compressors
  std::string name;             // what a script calls the list; empty elsewhere
  std::size_t script_list = 0;  // which list of a script; 0 where there is one configuration
  bool makes_masks = true;      // false: its first mask would come after the run, or never
  bool quantizes = true;        // false: the run ends before its first step with quantized values
  source::Span list;
  std::vector<Entry> entries;
  bool valid = true;  // true if nothing but single entries is refused

  // The class whose conditions hold for the entries: the one that makes masks. Null where unknown.
  [[nodiscard]] const ClassSpec* maker() const {
    return inner                                                                         ? inner->spec
           : main && main->spec != nullptr && main->spec->schedule != Schedule::repeated ? main->spec
                                                                                         : nullptr;
  }
};

// Default settings of each target of a type, for those that the file registers itself.
using Registered = std::map<std::string, source::Map, std::less<>>;

struct Configuration {
  std::vector<Compressor> compressors;
  Registered registered;
  std::optional<source::Entry> max_steps;  // of compress()
  std::optional<source::Entry> max_epochs;
  std::optional<std::size_t> steps_per_epoch;
  source::Value root;                           // the whole file; of a script its literals by name
  std::optional<source::Value> given_pruner{};  // of the command line, if a list gets it
  bool valid = true;                            // true if nothing but single compressors is refused
};

// The inputs that all rules share.
struct Context {
  const ReadOptions& options;
  const Model& model;
  const std::set<source::Span>& tuples;  // places of Python's tuples
  const std::set<source::Span>& unread;  // places of a script's expressions, which is reported
  bool has_tuples;                       // true if the file can hold any; in YAML lists stand for them
  diag::Sink& sink;
  base::Guesses& names;  // of the model's modules
  base::Guesses& types;
};

}  // namespace sparsecfg::dialect::nni
