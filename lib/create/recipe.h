#pragma once

#include <string>

#include "create/choices.h"

namespace sparsecfg::create {

// Returns the recipe of SparseML that resolved choices stand for. Epochs are expressions of `num_epochs`, so that the
// recipe stays consistent if that is set to another value:
//
//   num_qat_epochs      min(5, N/4): quantization-aware training at the end, its observers off in the second half
//   num_pruning_epochs  half of what is left; the other half trains with the mask held
[[nodiscard]] std::string recipe(const Choices& choices);

// The recipe as front matter of a Markdown page that says what it does.
[[nodiscard]] std::string markdown(const Choices& choices);

}  // namespace sparsecfg::create
