#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "model/model_names.h"

// The layer that computes the outputs of a model, such as the scores of classes.
namespace sparsecfg::model {

// Returns true for a name whose first part is usual for such a layer or the module around it: `fc.weight`,
// `classifier.1.weight`.
[[nodiscard]] bool names_output_layer(std::string_view name);

// Returns the index of the last weight matrix or convolution if its name is that of an output layer; nullopt for
// others, and if the shapes are unknown.
[[nodiscard]] std::optional<std::size_t> output_layer_of(const ModelNames& names);

}  // namespace sparsecfg::model
