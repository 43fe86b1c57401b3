#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "dialect/nni/config.h"

namespace sparsecfg::dialect::nni {

// A module that an entry selects. Without a model, a placeholder for modules: a name without a type, or a type without
// a name.
struct Selected {
  std::string name;
  std::string type;
  bool of_model = true;

  // Returns the name for messages; the name of the root module is empty.
  [[nodiscard]] std::string shown() const;
};

// Defined in selection.cpp. Returns the modules of an entry by the rules of NNI 3.0 (docs/semantics/nni.md#b1-7), in
// the order of the model. Reports names that the model lacks, invalid patterns, and selectors that match nothing.
// Without a model, reports only errors for any model. `cost` is the time for matching the patterns of all entries with
// a name; they share a limit.
// `all`: the entries of the list, for advice.
[[nodiscard]] std::vector<Selected> select(Entry& entry, std::span<const Entry> all, const Context& context,
                                           std::size_t& cost);

// A tensor of a module and its settings.
struct Target {
  std::size_t entry = 0;  // index into the entries of its compressor
  Selected module;
  std::string name;                       // "weight", "_input_0"
  source::Map settings;                   // from the file
  const source::Map* defaults = nullptr;  // for settings that the file omits; null: no defaults

  [[nodiscard]] bool is_parameter() const { return !name.starts_with("_input_") && !name.starts_with("_output_"); }

  // Returns the value of a setting; null if it is absent or None.
  [[nodiscard]] const source::Value* get(std::string_view key) const;

  // Returns true if the target has a ratio or a threshold for its mask.
  [[nodiscard]] bool is_rated() const { return get("sparse_ratio") != nullptr || get("sparse_threshold") != nullptr; }

  // "fc1.weight"
  [[nodiscard]] std::string shown() const { return module.shown() + "." + name; }
};

// Returns the default settings of a target, in the order of NNI.
[[nodiscard]] const source::Map& default_settings(Mode mode, std::string_view target);

// Returns the effective ratio of a target: `sparse_ratio` limited by `min_sparse_ratio` and `max_sparse_ratio`. The
// bounds are ignored in dependency groups, and in global groups, where they apply to the whole group. Returns nullopt
// without a ratio.
[[nodiscard]] std::optional<double> effective_ratio(const Target& target);

using GroupId = std::pair<bool, std::string>;  // true for a string: 1 and "1" differ

[[nodiscard]] GroupId group_id_of(const source::Value& value);

// The targets of a compressor that are ranked together by `global_group_id`.
class GlobalGroups {
 public:
  GlobalGroups(const std::vector<Target>& all, const model::Model& model);

  // Returns the ratio of a single group member if the bounds determine it: its minimum if the minimums of all members
  // already remove as many elements as the group requires, or its maximum if the maximums remove no more than that.
  // Returns nullopt if the members are ranked together, or if a size is unknown.
  [[nodiscard]] std::optional<double> bound_of(const Target& member) const;

 private:
  // Number of elements, and the minimum and maximum number of removed elements.
  struct Count {
    double all = 0;
    double least = 0;
    double most = 0;
    bool known = true;  // false: the size of a member is unknown
  };

  static void add(const Target& member, const model::Model& model, Count& count);

  std::map<GroupId, Count> counts_;
};

// Returns the targets of each compressor; a target belongs to the first entry that selects it
// (docs/semantics/nni.md#b3-7). Reports errors of NNI 3.0, and entries whose targets all belong to earlier entries.
[[nodiscard]] std::vector<std::vector<Target>> resolve(Configuration& configuration, const Context& context);

// Returns true if an entry has exclusions from its own selection. Entries with `exclude: true` exclude from all entries
// instead.
[[nodiscard]] bool has_exclusions(const Entry& entry);

// Returns another entry that selects a module and does not exclude it; null if there is none. `type`: empty if unknown.
[[nodiscard]] const Entry* entry_that_selects(std::span<const Entry> all, const Entry& own, const std::string& name,
                                              const std::string& type);

// Exclusions by name that belong to another entry, which selects the modules.
class Misplaced {
 public:
  // `key`: the list of the entry that has the exclusions.
  explicit Misplaced(std::string_view key) : key_(key) {}

  void add(const Entry& other, const source::Located<std::string>& name) { names_[&other].push_back(name); }

  // Reports all names for one entry as one mistake. `reason`: why they exclude nothing here.
  void report(diag::Sink& sink, std::string_view reason) const;

 private:
  std::string_view key_;
  std::map<const Entry*, std::vector<source::Located<std::string>>> names_;
};

// Reports exclusions that remove everything or nothing from the entry's selection, if this is certain for every model.
void check_exclusions(const Entry& entry, std::span<const Entry> all, diag::Sink& sink);

// Reports modules that one entry excludes and a later, broader one selects. `targets`: those of the entries.
void check_local_exclusions(const std::vector<Entry>& entries, const std::vector<Target>& targets,
                            const Context& context);

}  // namespace sparsecfg::dialect::nni
