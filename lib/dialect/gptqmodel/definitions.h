#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/names.h"

// The modules that GPTQModel quantizes in each architecture (docs/semantics/gptqmodel.md#b1-4).
namespace sparsecfg::dialect::gptqmodel {

// The definition of an architecture.
struct Definition {
  std::string_view blocks;  // name of the list of blocks
  std::string_view layers;  // names in a block, separated by spaces: `a.{q,k}_proj` is two names, `#` a number
  std::string_view types;   // values of `model_type`, separated by spaces
};

[[nodiscard]] std::span<const Definition> definitions();

// Returns for each module its name in its block; empty for modules that GPTQModel does not quantize. The definition is
// the one that contains most layers of the model. A model that fits none gets all layers of its first list of blocks.
[[nodiscard]] std::vector<std::string> names_in_blocks(std::span<const model::Module> modules);

}  // namespace sparsecfg::dialect::gptqmodel
