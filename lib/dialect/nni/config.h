#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/edit_distance.h"
#include "diag/sink.h"
#include "dialect/nni/table.h"
#include "dialect/nni/values.h"
#include "dialect/options.h"
#include "model/model.h"
#include "source/source_file.h"
#include "source/value.h"

// Data model of an NNI configuration: compressors, each with a list of entries.
namespace sparsecfg::dialect::nni {

// One item of a config_list.
struct Entry {
  const source::Map* written;  // in `Configuration::root`
  source::Map fields;          // after NNI 3.0 has translated 2.x keys
  source::Span span;
  std::string path;  // "config_list[1]"
  int ordinal = 0;   // 1-based, over all compressors
  // Names of the selected modules, if known; empty if no entry of the list has `fuse_names`.
  std::set<std::string, std::less<>> selected{};
  bool valid = true;  // false if NNI rejects the entry

  // Returns the location of a value, or of the entry if the value is absent or not in the file.
  [[nodiscard]] source::Span place(const source::Value* value) const {
    return value == nullptr || value->span.empty() ? span : value->span;
  }
};

// A class and its constructor arguments.
struct ConstructorCall {
  source::Located<std::string> name;
  const ClassSpec* spec = nullptr;  // null if NNI 3.0 does not have the class
  source::Map arguments;
  std::set<std::string, std::less<>> unknown{};  // names of arguments whose values a script computes
};

// The length of a run: the arguments of `compress`.
struct RunLength {
  std::optional<source::Entry> max_steps;
  bool computes_steps = false;  // true if a script passes `max_steps` with a value that is not known
  std::optional<source::Entry> max_epochs;

  // Returns the numbers; nullopt if they are not given.
  [[nodiscard]] std::optional<double> steps() const { return max_steps ? max_steps->second.number() : std::nullopt; }

  [[nodiscard]] std::optional<double> epochs() const { return max_epochs ? max_epochs->second.number() : std::nullopt; }
};

// A run of one compressor in a script, by its own call of `compress`.
struct OwnRun : RunLength {
  std::size_t order = 0;  // among the calls of the script
};

struct Compressor {
  Mode mode = Mode::pruning;
  std::optional<ConstructorCall> main;
  std::optional<ConstructorCall> inner;  // the pruner that a scheduled pruner wraps
  bool fused = false;                    // true if several compressors share the run
  std::string name;                      // variable name of the list in a script; empty in other files
  std::size_t script_list = 0;           // 1-based index of the list in a script; 0 if there is one configuration
  bool makes_masks = true;               // false: the first mask would be made after the run, or never
  bool quantizes = true;                 // false: the run ends before its first step with quantized values
  std::optional<OwnRun> own_run{};       // of a script; nullopt if other compressors may share the run
  std::uint64_t earlier_steps = 0;       // of the runs before this one
  source::Span compress_call{};          // of a script; empty if no call of `compress` is known
  source::Span speedup{};                // where a script speeds up the model while it is wrapped; empty: nowhere
  source::Span list;
  std::vector<Entry> entries;
  bool valid = true;  // false if NNI rejects the compressor, not only single entries

  // Returns the class that makes the masks, whose conditions apply to the entries. Null if unknown.
  [[nodiscard]] const ClassSpec* mask_class() const {
    return inner                                                                     ? inner->spec
           : main && main->spec != nullptr && main->spec->kind != Schedule::repeated ? main->spec
                                                                                     : nullptr;
  }

  // Returns true if the checks that all classes share apply: the class is known, or the list names none.
  [[nodiscard]] bool has_known_checks() const { return !main || mask_class() != nullptr; }
};

// Default settings by target, for module types that the file registers.
using Registered = std::map<std::string, source::Map, std::less<>>;

struct Configuration : RunLength {
  std::vector<Compressor> compressors;
  std::vector<Compressor> other_calls{};  // constructors of a script that share a list, without entries
  Registered registered;
  std::optional<std::size_t> steps_per_epoch;
  source::Value root;                           // the whole file, or the lists of a script by name
  std::optional<source::Value> given_pruner{};  // from the command line or the script, if a list uses it
  bool valid = true;                            // false if NNI rejects the whole configuration

  // Returns the length of the run of a compressor.
  [[nodiscard]] const RunLength& run_of(const Compressor& compressor) const {
    return compressor.own_run ? static_cast<const RunLength&>(*compressor.own_run) : *this;
  }
};

// Inputs shared by all rules.
struct Context {
  const source::SourceFile& file;
  const ReadOptions& options;
  const model::Model& model;
  const std::set<source::Span>& tuples;  // locations of Python tuples
  const std::set<source::Span>& unread;  // locations of unknown values of a script
  bool in_script;                        // scripts have tuples where YAML files use lists
  diag::Sink& sink;
  base::Guesses& names;  // module names of the model
  base::Guesses& types;
};

// A configuration stored in a recipe, and the NNI release that reads it.
struct StoredConfiguration {
  source::Value configuration;
  Release release = Release::v3_0;
};

// Return a configuration as the metadata of a recipe, and the configuration in metadata; nullopt if it holds none.
[[nodiscard]] source::Value store_configuration(source::Value configuration, Release release);
[[nodiscard]] std::optional<StoredConfiguration> stored_configuration(const source::Value& metadata);

// Writes a configuration as canonical YAML: keys in table order followed by unknown keys, arguments beside the class
// name, ratios as floats. Keeps the order of entries, targets and list items, which is significant.
[[nodiscard]] std::string print(source::Value configuration);

}  // namespace sparsecfg::dialect::nni
