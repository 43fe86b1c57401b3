#pragma once

#include "dialect/torchao/config.h"
#include "dialect/torchao/program.h"

namespace sparsecfg::dialect::torchao {

// Reports a use of the result of a call of `quantize_`, which is None. `whole`: the place of the call.
void report_use(const Context& context, const Program& program, const source::Value& call, source::Span whole);

}  // namespace sparsecfg::dialect::torchao
