#pragma once

#include <string_view>

namespace sparsecfg::ir {

// Constructs of a dialect that help lines and fixes of checks name, as text to paste. Empty if the dialect lacks them.
struct Remedies {
  std::string_view variable = {};          // a use of the variable {}
  std::string_view keep_mask = {};         // what keeps the masks of an action after epoch {}
  std::string_view layer_schemes = {};     // the field for layers with other quantization schemes
  std::string_view separate_ranking = {};  // what ranks each parameter separately
  std::string_view single_weights = {};    // a structure that fits weights of any shape
  std::string_view blocks = {};            // a structure that fits convolutions
  std::string_view last_mask = {};         // what makes the last mask after the last increase of the sparsity
};

}  // namespace sparsecfg::ir
