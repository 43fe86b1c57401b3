#pragma once

#include <string>
#include <vector>

#include "convert/convert.h"
#include "diag/sink.h"

namespace sparsecfg::convert {

// Two recipes that were compared, and the run that the first one was followed for.
struct Compared {
  const ir::Recipe& recipe;
  const ir::Recipe& back;
  const timeline::Run& run;
};

// What a comparison says beyond the result of single actions.
struct Resolution {
  std::vector<std::string> mismatches;  // what differs although it was said to be exact: a fault of our own
  bool rate_differs = false;            // true if learning rates that were written differ
};

// Corrects what the writer said of each action by what the comparison measured, and reports what that changes.
[[nodiscard]] Resolution resolve(const Comparison& comparison, const Compared& compared,
                                 std::vector<Fidelity>& fidelity, diag::Sink& sink);

// Reports that an action is written approximately, and says so in its result.
void approximate(Fidelity& each, const ir::Recipe& recipe, const std::string& reason, diag::Sink& sink);

}  // namespace sparsecfg::convert
