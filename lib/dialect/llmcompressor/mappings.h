#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dialect/llmcompressor/table.h"
#include "source/names.h"

namespace sparsecfg::dialect::llmcompressor {

// The patterns of one mapping: layers to balance and what is scaled in front of them.
struct Mapping {
  std::vector<std::string> balanced;
  std::string scaled;
  source::Span span;  // of the mapping, or of the modifier that has none
};

// The mappings that SmoothQuantModifier or AWQModifier takes for models of a class where a recipe has none. Empty where
// it looks at more of the model than its class.
[[nodiscard]] std::vector<Mapping> usual_mappings(Meaning meaning, std::string_view model, source::Span span);

// Follows the mappings of a SmoothQuantModifier or AWQModifier through a model, those that the model's class stands for
// where the recipe has none. Reports sets that can't be put together (LC806), and shapes that do not fit.
void check_mappings(const Reading& reading, const Modifier& modifier, const std::vector<source::Module>& modules);

}  // namespace sparsecfg::dialect::llmcompressor
