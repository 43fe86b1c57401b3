#pragma once

#include <optional>
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

// Returns a mapping with the layers that this model has in place of those of another family, such as `qkv_proj` for
// `q_proj`, `k_proj` and `v_proj`; nullopt if none is known. `awq`: the scaled module is matched first.
[[nodiscard]] std::optional<Mapping> fitting_mapping(const Mapping& mapping, const std::vector<model::Module>& modules,
                                                     bool awq);

// Returns true if the default mappings of the model class all match modules of the model.
[[nodiscard]] bool usual_mappings_fit(ClassKind kind, const std::vector<model::Module>& modules);

// Returns a list of mappings as one line of YAML.
[[nodiscard]] std::string text_of(const std::vector<Mapping>& mappings, bool awq);

}  // namespace sparsecfg::dialect::llmcompressor
