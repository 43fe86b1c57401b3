#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dialect/compressed_tensors/config.h"

// The smallest change of a group with which a runtime has an implementation for it.
namespace sparsecfg::dialect::compressed_tensors {

// One value of a group, and what it must be.
struct FittingEdit {
  std::string_view tensor;  // "weights", "input_activations"
  std::string_view name;    // "num_bits"; empty: the tensor itself
  std::string value;        // as YAML: "8"
  source::Span place{};     // of the value that the file has
  source::Span key{};       // of the key of a tensor

  // Returns "`num_bits: 8` in `weights`", or "`input_activations: null`".
  [[nodiscard]] std::string text() const;
};

// Returns the first edit of one written value of the group that `choose` accepts on this runtime, in the format that
// the library infers for the result; nullopt if several values must change.
[[nodiscard]] std::optional<FittingEdit> fitting_edit(const ConfigGroup& group, const RuntimeChoice& runtime);

// Returns true if the runtime loads a group in a format.
using Loads = std::function<bool(const ConfigGroup&, std::string_view)>;

// Returns the first edits of one or two values of the inputs, but not of their type, with which the runtime loads the
// group, in the format that the library infers for the result; empty if other values must change. The file states the
// first value.
[[nodiscard]] std::vector<FittingEdit> fitting_edits_of_inputs(const ConfigGroup& group, const Loads& loads);

// Returns the first edit of dynamic inputs with which the runtime loads the group and the tensors that are stored in
// `format`: of one written value, or to leave the inputs in 16 bits. nullopt for other inputs, which have tensors.
[[nodiscard]] std::optional<FittingEdit> fitting_inputs(const ConfigGroup& group, std::string_view format,
                                                        const RuntimeChoice& runtime);

// Returns the place of a value that the file states for a tensor of a group, such as `group_size` of "weights"; empty
// if there is none.
[[nodiscard]] source::Span written_value(const ConfigGroup& group, std::string_view tensor, std::string_view name);

}  // namespace sparsecfg::dialect::compressed_tensors
