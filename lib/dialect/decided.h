#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "ir/operation.h"

// Decisions of readers that are more than their rules, such as chains of lists or defaults that depend on tensors.
namespace sparsecfg::dialect {

// The decision about one unit of a recipe: a module, a layer of a runtime or a tensor.
struct DecidedUnit {
  std::optional<std::uint32_t> scheme{};  // index of the scheme; nullopt: not quantized
  std::string_view entry{};               // the deciding entry; empty: none decides
  source::Span span{};                    // of the entry
  bool reached = true;                    // false if the program never examines the unit
  bool unknown = false;
};

// Returns a selection with one rule for each unit, in the order of the units. `name` names the reader.
[[nodiscard]] ir::Selection decided_selection(const ir::Language* language, const std::vector<DecidedUnit>& units);

// The function Language::decide of such a selection: the rule of a unit has the same index.
[[nodiscard]] ir::Decisions decide_by_position(const ir::Selection& selection, std::span<const ir::Scheme> schemes,
                                               std::span<const model::Module> units);

}  // namespace sparsecfg::dialect
