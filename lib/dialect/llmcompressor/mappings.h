#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dialect/llmcompressor/types.h"
#include "model/names.h"
#include "source/span.h"

// Mappings of SmoothQuantModifier and AWQModifier: layers that are balanced with the module before them.
namespace sparsecfg::dialect::llmcompressor {

// The patterns of one mapping: the layers to balance and the scaled module before them.
struct Mapping {
  std::vector<std::string> balanced;
  std::string scaled;
  source::Span span;     // of the mapping, or of the modifier without mappings
  std::string hooked{};  // `activation_hook_target` of AWQ
};

// Returns the default mappings of SmoothQuantModifier or AWQModifier for a model class. Empty if they depend on more
// than the class.
[[nodiscard]] std::vector<Mapping> usual_mappings(ClassKind kind, std::string_view model, source::Span span);

// Returns the mappings of such a modifier, or the defaults of the model class.
[[nodiscard]] std::vector<Mapping> mappings_of(const Modifier& modifier, const std::vector<model::Module>& modules);

}  // namespace sparsecfg::dialect::llmcompressor
