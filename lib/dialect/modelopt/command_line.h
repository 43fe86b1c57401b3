#pragma once

#include "dialect/modelopt/read.h"

// Command lines of `hf_ptq.py`, the example script of ModelOpt.
namespace sparsecfg::dialect::modelopt {

inline constexpr std::string_view kScriptName = "hf_ptq.py";

// Reads a command: adds the preset of `--qformat` to a recipe, and reports options that have no effect. `words`: its
// arguments.
void read_command(const Context& context, const source::Value& words, ir::Recipe& out);

}  // namespace sparsecfg::dialect::modelopt
