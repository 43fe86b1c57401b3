#pragma once

#include "dialect/modelopt/read.h"

// Command lines of `hf_ptq.py`, the example script of ModelOpt.
namespace sparsecfg::dialect::modelopt {

inline constexpr std::string_view kScriptName = "hf_ptq.py";

// Reports options of a command that have no effect. `words`: its arguments.
void check_command(const Context& context, const source::Value& words);

}  // namespace sparsecfg::dialect::modelopt
