#pragma once

#include <cstdint>
#include <string>

#include "dialect/record/setting.h"

namespace sparsecfg::dialect::stages {

// The fields of SparseGPT and Wanda that both frameworks have. A field with values of two types has a setting for each
// type.
struct OneShotPruning {
  explicit OneShotPruning(const Record& record)
      : sparsity(record, "sparsity"),
        sparsities(record, "sparsity"),
        mask_structure(record, "mask_structure"),
        sparsity_profile(record, "sparsity_profile"),
        owl_m(record, "owl_m"),
        owl_lmbda(record, "owl_lmbda") {}

  Setting<double> sparsity;
  Setting<Items> sparsities;  // `sparsity` as a list
  Setting<std::string> mask_structure;
  Setting<std::string> sparsity_profile;
  Setting<std::int64_t> owl_m;
  Setting<double> owl_lmbda;
};

}  // namespace sparsecfg::dialect::stages
