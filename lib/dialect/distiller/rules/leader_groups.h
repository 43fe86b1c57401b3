#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "diag/diagnostic.h"
#include "dialect/distiller/component.h"
#include "dialect/distiller/policy.h"

// Offers one pruner for each width of the weights of a leader.
namespace sparsecfg::dialect::distiller {

// Weights with the same number of filters, channels or blocks, in file order.
struct LeaderGroup {
  std::uint64_t structures = 0;
  std::vector<std::string> names;
};

// Writes the pruner with the first group, and a new pruner with its policies for each of the other groups. Without a
// list of weights, writes an instruction.
void offer_groups(diag::Diagnostic& report, const Component& pruner, const std::vector<LeaderGroup>& groups,
                  const std::vector<Policy>& policies, const Context& context);

}  // namespace sparsecfg::dialect::distiller
