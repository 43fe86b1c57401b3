#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dialect/record/setting.h"

// Arguments that several rules or the schedule read, as typed values. An argument that a class does not have is absent.
namespace sparsecfg::dialect::distiller {

// Names of parameters: the items of a list, the keys of a mapping, or a string that is searched for them.
struct Names {
  std::vector<const source::Value*> values;
  bool searched = false;

  [[nodiscard]] static std::optional<Names> from(const source::Value& value);
};

// An entry of `reg_regims`. Its value is a strength, or a list of a strength and a group of weights.
struct Regim {
  const source::Value* name;
  const source::Value* value;
  const source::Value* strength;
  const source::Value* group;  // null if the value is not such a list

  // Return the strings; null for other values.
  [[nodiscard]] const std::string* name_text() const { return name->get<std::string>(); }

  [[nodiscard]] const std::string* group_text() const;
};

struct Regims : std::vector<Regim> {
  [[nodiscard]] static std::optional<Regims> from(const source::Value& value);
};

// The arguments of a pruner or regularizer. They refer to the checked record, which must not be moved or changed.
struct Arguments {
  const Record& record;

  Setting<Names> weights{record, "weights", Has::maybe};
  Setting<std::string> group_type{record, "group_type", Has::maybe};
  Setting<std::string> group_dependency{record, "group_dependency", Has::maybe};
  Setting<double> group_size{record, "group_size", Has::maybe};
  Setting<Pairs> kwargs{record, "kwargs", Has::maybe};
  Setting<double> desired_sparsity{record, "desired_sparsity", Has::maybe};
  Setting<double> initial_sparsity{record, "initial_sparsity", Has::maybe};
  Setting<double> final_sparsity{record, "final_sparsity", Has::maybe};
  Setting<Pairs> levels{record, "levels", Has::maybe};
  Setting<Regims> reg_regims{record, "reg_regims", Has::maybe};
  Setting<std::string> threshold_criteria{record, "threshold_criteria", Has::maybe};

  // Returns true if all weights lose the structures that the first one loses.
  [[nodiscard]] bool has_leader() const { return group_dependency.is("Leader"); }

  [[nodiscard]] bool has_blocks() const { return group_type.is("Blocks"); }

  [[nodiscard]] bool has_channels() const { return group_type.is("Channels") || group_type.is("Rows"); }

  // Returns the size of the blocks, or null.
  [[nodiscard]] const source::Value* block_shape() const;
};

// Returns the field if its value is true in Python, else null.
[[nodiscard]] const Field* enabled(const Record& record, FieldName name);

[[nodiscard]] inline bool is_enabled(const Record& record, FieldName name) { return enabled(record, name) != nullptr; }

// The arguments that a policy passes to its pruner. Their types are checked later.
struct RunArguments {
  Record record;

  Setting<Pairs> levels{record, "levels"};
  Setting<double> mini_batch_pruning_frequency{record, "mini_batch_pruning_frequency"};
  const Field* keep_mask = enabled(record, "keep_mask");
  const Field* mask_gradients = enabled(record, "mask_gradients");
  bool mask_on_forward_only = is_enabled(record, "mask_on_forward_only");
  bool skip_first_minibatch = is_enabled(record, "skip_first_minibatch");
  bool use_double_copies = is_enabled(record, "use_double_copies");
  bool discard_masks_at_minibatch_end = is_enabled(record, "discard_masks_at_minibatch_end");
};

// Reads `args` of a policy. Empty if the value is not a mapping.
[[nodiscard]] RunArguments run_arguments(source::Span key, const source::Value& args);

}  // namespace sparsecfg::dialect::distiller
