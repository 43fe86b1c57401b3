#pragma once

#include <cstdint>
#include <optional>

#include "dialect/write.h"
#include "ir/recipe.h"

// What writers ask of the actions of other dialects.
namespace sparsecfg::dialect {

// A ramp from 0 by counted updates: at `begin` it has gone nothing of its way and at `last` all of it.
struct Way {
  std::uint64_t begin = 0;
  std::uint64_t every = 1;
  std::uint64_t last = 0;
  bool at_once = false;  // whether its only update is the last one
};

// Nothing where there is no update, or where the first ones or the last one are missing.
[[nodiscard]] std::optional<Way> way_of(const ir::Counted& counted);

// Whether the last counted update comes after the last step of the run, where other frameworks have none.
[[nodiscard]] bool ends_with_run(const ir::Cadence& cadence, const WriteOptions& options);

// NNI masks the biases of what it masks unless it is told to take the weights alone.
[[nodiscard]] bool masks_biases(const ir::Origin& origin);

// An entry of NNI's that sets no share and follows no other tensor's mask.
[[nodiscard]] bool masks_nothing(const ir::Recipe& recipe, const ir::Action& action);

}  // namespace sparsecfg::dialect
