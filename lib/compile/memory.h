#pragma once

#include <string>

#include "compile/compile.h"
#include "diag/sink.h"
#include "ir/recipe.h"
#include "outcome/outcome.h"

// The memory that the weights of a result take on the GPUs of a runtime.
namespace sparsecfg {

// Reports weights that exceed the memory of the GPUs together (MD935), or leave no room for the cache (MD938).
void check_memory(const ir::Recipe& recipe, const outcome::Outcome& outcome, const CompileOptions& options,
                  diag::Sink& sink);

// Returns the part of the memory that the weights take: "35 % of the memory of 2 RTX 4090". Empty if the size or the
// GPU is unknown.
[[nodiscard]] std::string memory_text(const ir::Recipe& recipe, const outcome::Outcome& outcome,
                                      const CompileOptions& options);

}  // namespace sparsecfg
