#pragma once

#include <map>
#include <string>
#include <utility>

#include "dialect/nni/config.h"

namespace sparsecfg::dialect::nni {

// A module that an entry selects. Where the model is not known, what stands for some of its modules:
// a name without a type, or a type without a name.
struct Selected {
  std::string name;
  std::string type;
  bool of_model = true;

  // How messages call it: the root module has no name.
  [[nodiscard]] std::string shown() const;
};

// The modules of an entry by the rules of NNI 3.0 (reference 1.2), in the order of the model. Reports
// names that the model lacks and patterns that can't be compiled, which are refused, and what takes
// nothing. If the model is not known, only what is wrong for any model. `patterns` counts those of all entries, which
// are limited together.
[[nodiscard]] std::vector<Selected> select(Entry& entry, const Context& context, std::size_t& patterns);

// A tensor of a module with what is said of it.
struct Target {
  std::size_t entry = 0;  // index into the entries of its compressor
  Selected module;
  std::string name;                       // "weight", "_input_0"
  source::Map settings;                   // that the file gives for it
  const source::Map* defaults = nullptr;  // of what it does not give; null: there are none

  [[nodiscard]] bool is_parameter() const { return !name.starts_with("_input_") && !name.starts_with("_output_"); }

  // The value of a setting; null where there is none or where it is Python's None.
  [[nodiscard]] const source::Value* get(std::string_view key) const;

  // "fc1.weight"
  [[nodiscard]] std::string shown() const { return module.shown() + "." + name; }
};

// The ratio that masks of a target are made with: `sparse_ratio` within `min_sparse_ratio` and `max_sparse_ratio`.
// In a dependency group it is the ratio alone, and so it is in a global group, whose bounds are for the whole group.
// Returns nullopt if there is no ratio.
[[nodiscard]] std::optional<double> effective_ratio(const Target& target);

using GroupId = std::pair<bool, std::string>;  // true for a string: 1 and "1" differ

[[nodiscard]] GroupId group_id_of(const source::Value& value);

// The targets of a compressor that are ranked together by `global_group_id`.
class GlobalGroups {
 public:
  GlobalGroups(const std::vector<Target>& all, const Model& model);

  // Returns the ratio that a member of a group gets for itself: the least one of its own where those of all members
  // come to as many elements as the group asks for, or the greatest one where those come to no more. Returns nullopt if
  // the members are ranked together, or if not all sizes are known.
  [[nodiscard]] std::optional<double> bound_of(const Target& member) const;

 private:
  // Elements, and how many of them are removed at least and at most.
  struct Count {
    double all = 0;
    double least = 0;
    double most = 0;
    bool known = true;  // false: the size of a member is not
  };

  static void add(const Target& member, const Model& model, Count& count);

  std::map<GroupId, Count> counts_;
};

// The targets of each compressor that its entries select and no earlier one has (reference 1.3, 1.4).
// Reports what stops NNI 3.0 on the way, and entries that come too late.
[[nodiscard]] std::vector<std::vector<Target>> resolve(Configuration& configuration, const Context& context);

}  // namespace sparsecfg::dialect::nni
