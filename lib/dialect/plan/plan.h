#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/recipe.h"

// Data about a recipe that a writer of another dialect needs beyond its schedule. The dialect of the recipe fills the
// plan (Dialect::plan), so no writer asks for the names or fields of another dialect.
namespace sparsecfg::dialect {

// A field that has an effect, but none that the schedule expresses.
struct LostField {
  std::string name;
  source::Span span;
  std::string consequence;  // "`name` is dropped"
};

// Known facts about an action.
struct ActionPlan {
  bool does_nothing = false;    // neither masks weights nor decides masks of others
  bool discards_masks = false;  // removes its masks again, after each batch or at the end
  bool masks_biases = false;    // masks the biases of the selected modules along with their weights
  bool assumes_class = false;   // the class is not named, but assumed
  bool fuses_layers = false;
  bool moves_momentum = false;  // changes the momentum of the optimizer together with the learning rate
  std::string in_script{};      // how the training script can do the same; empty: unknown
  std::vector<LostField> lost{};
};

struct Plan {
  std::vector<ActionPlan> actions{};  // one for each action of the recipe; empty: unknown
  bool selects_layers = false;        // quantization applies to only the layers that an action selects
  bool names_are_wrapped = false;     // names have a prefix `module.` while a model is wrapped for several devices
  bool stage_modifiers = false;       // actions have the classes and fields of one-shot stages, which dialects share
  bool layer_schemes = false;         // actions assign schemes to layers (dialect/schemes), comparable across dialects
  bool is_result = false;             // the file describes a model that is already quantized, not how to quantize it

  [[nodiscard]] const ActionPlan& of(std::size_t action) const;
};

// Returns the plan of a recipe, as its dialect fills it.
[[nodiscard]] Plan plan_of(const ir::Recipe& recipe);

// Progress of a ramp: 0 % at step `begin`, 100 % at step `last`, updated every `every` steps.
struct UpdateRamp {
  std::uint64_t begin = 0;
  std::uint64_t every = 1;
  std::uint64_t last = 0;
  bool at_once = false;  // true if the only update is the last one
};

// Converts counted updates to a ramp. Returns nullopt without updates, or if the ramp is cut at either end.
[[nodiscard]] std::optional<UpdateRamp> as_update_ramp(const ir::StepSchedule& counted);

// Returns true if a target selects modules but not their weights, for example only their biases.
[[nodiscard]] bool omits_weights(const ir::Prune& prune);

}  // namespace sparsecfg::dialect
