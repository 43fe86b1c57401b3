#pragma once

#include "dialect/back_end.h"
#include "source/value.h"

// Writes schemes as compressed-tensors does.
namespace sparsecfg::dialect::schemes {

// The parts of a recipe or file that assign schemes.
struct WrittenGroups {
  source::Map groups;  // `config_groups`
  source::List ignored;
  source::Value cache;  // `kv_cache_scheme`; null: none
};

// Returns the groups of an outcome. The largest group targets `Linear` if it has no other class.
[[nodiscard]] WrittenGroups written_groups(const GroupedOutcome& outcome);

// Returns the arguments of one tensor that describe its format. `weights`: a tensor of weights, else one of
// activations.
[[nodiscard]] source::Value arguments_of(const ir::TensorFormat& format, bool weights);

// Returns the scheme of a preset without the names of usual observers. An unknown name: an empty scheme.
[[nodiscard]] ir::Scheme preset_scheme(const std::string& name);

// The formats that a cache can have.
inline constexpr FormatRow kCacheFormat{.type = ir::NumberType::floating, .granularity = ir::Granularity::tensor};

}  // namespace sparsecfg::dialect::schemes
