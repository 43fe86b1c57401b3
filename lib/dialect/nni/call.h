#pragma once

#include <optional>
#include <string_view>

#include "source/value.h"

namespace sparsecfg::dialect::nni {

// A compressor as a script constructs it, "AGPPruner(LevelPruner, interval_steps=10, total_times=4)", as the mapping
// that stands for it in a file: `class`, the arguments, and `pruner` for the one that it wraps. Arguments that are no
// literals, such as `model`, are passed over. Returns nullopt if the string is no such call.
[[nodiscard]] std::optional<source::Value> part_of_call(std::string_view text);

}  // namespace sparsecfg::dialect::nni
