#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dialect/schemes/schemes.h"
#include "ir/recipe.h"
#include "model/names.h"

// The schemes that a recipe of llm-compressor or a `quantization_config` assigns to the modules of a model.
namespace sparsecfg::dialect::schemes {

// Returns quantization arguments with all keys in order, as the library writes them: strategies, observers and types
// are inferred.
[[nodiscard]] source::Value complete(const source::Value& arguments);

// Returns a group as a mapping of `targets` and complete arguments. `group` is a mapping, or the list of targets of the
// preset `name`.
[[nodiscard]] source::Value complete_group(const std::string& name, const source::Value& group);

// Returns the groups of an action with all keys, by name in order.
[[nodiscard]] source::Map groups_of(const ir::Origin& origin);

// Returns the names of modules that an action skips; null if it names none.
[[nodiscard]] const source::Value* ignored_by(const ir::Origin& origin);

struct Assignment {
  std::vector<source::Value> groups;  // distinct, in the order of their first modules
  std::vector<std::optional<std::size_t>> groups_of_modules;
  source::Value cache;   // null: none
  bool complete = true;  // false, and no groups, if matching all patterns with all modules would be too slow
};

// Returns the groups after all modifiers of a recipe have been applied.
[[nodiscard]] Assignment assign(const ir::Recipe& recipe, const std::vector<model::Module>& modules);

// Returns the format in which the library stores a complete group.
[[nodiscard]] std::string_view inferred_format(const source::Value& group);

// Returns a description of a complete group, such as "weights int4 in groups of 128".
[[nodiscard]] std::string describe_group(const source::Value& group);

}  // namespace sparsecfg::dialect::schemes
