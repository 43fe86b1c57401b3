#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "ir/operation.h"

// Decisions of readers that are more than their rules, such as chains of lists or defaults that depend on tensors.
namespace sparsecfg::dialect {

// The decision about one module, layer or tensor.
struct DecidedUnit {
  std::optional<std::uint32_t> scheme{};    // index of the scheme; nullopt: not quantized
  std::optional<std::uint32_t> rule{};      // index of the deciding rule
  std::vector<std::uint32_t> overridden{};  // indexes of the other rules that match
  ir::Decisions::Reason reason = ir::Decisions::Reason::by_default;
  bool unknown = false;
};

// Returns the decisions of all units. Units with equal decisions share one entry.
[[nodiscard]] std::shared_ptr<const ir::Decisions> decisions_of(const std::vector<DecidedUnit>& units);

}  // namespace sparsecfg::dialect
