#pragma once

#include "dialect/nni/config.h"
#include "dialect/nni/table.h"
#include "source/span.h"

// The call of `ModelSpeedup` in a script, which needs the model without the wrappers of a pruner.
namespace sparsecfg::dialect::nni {

struct WrappedSpeedup {
  source::Span speedup;                 // the name `ModelSpeedup` of the call with the wrapped model; empty: none
  source::Span compress;                // the call `pruner.compress()` before it
  source::Located<std::string> pruner;  // the class that wraps the model
};

// Reports a call with a model that is still wrapped, with the statement that unwraps it in the release.
void check_wrapped(const WrappedSpeedup& call, const Context& context);

}  // namespace sparsecfg::dialect::nni
