#pragma once

#include <string>
#include <vector>

#include "convert/convert.h"
#include "convert/refusals.h"
#include "diag/sink.h"

namespace sparsecfg::convert {

// Two compared recipes, and the run of the first one.
struct Compared {
  const ir::Recipe& recipe;
  const ir::Recipe& back;
  const timeline::Run& run;
};

// Results of a comparison that do not belong to a single action.
struct Resolution {
  std::vector<Fault> mismatches;  // unannounced differences
  bool rate_differs = false;      // true if converted learning rates differ
};

// Updates the result that the writer reported for each action by the measured differences, and reports the changes.
[[nodiscard]] Resolution resolve(const Comparison& comparison, const Compared& compared,
                                 std::vector<Fidelity>& fidelity, diag::Sink& sink);

// Reports that an action is approximated, and records it in its result.
void approximate(Fidelity& each, const ir::Recipe& recipe, const std::string& reason, diag::Sink& sink);

}  // namespace sparsecfg::convert
