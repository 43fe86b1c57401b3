#pragma once

#include <span>

#include "dialect/record/spec.h"

namespace sparsecfg::dialect::gptqmodel {

// Arguments of `QuantizeConfig` and keys of `quantize_config.json`.
extern const ClassSpec kQuantizeConfig;
// Keys of an entry of `dynamic`.
extern const ClassSpec kDynamicEntry;

[[nodiscard]] std::span<const ClassSpec* const> classes();

}  // namespace sparsecfg::dialect::gptqmodel
