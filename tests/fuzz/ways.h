#pragma once

#include "compile/compile.h"

// What the commands do with a recipe that was compiled. Each way ends the program where something does not hold.
namespace sparsecfg::fuzz {

// Spans lie inside the text, and edits are in order.
void check_spans(const Compilation& result);

// Runs the recipe through one command, which a hash of its text chooses: all of them would take many times as long, and
// texts that differ little go through the others.
void run_one_way(Compilation result, const CompileOptions& options);

}  // namespace sparsecfg::fuzz
