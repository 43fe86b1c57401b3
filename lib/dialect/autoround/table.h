#pragma once

#include <span>

#include "dialect/record/spec.h"

namespace sparsecfg::dialect::autoround {

// Arguments of `AutoRound`.
extern const ClassSpec kAutoRound;
// Settings of an entry of `layer_config`.
extern const ClassSpec kLayerConfig;
// Keys of the saved configuration.
extern const ClassSpec kSavedConfig;

[[nodiscard]] std::span<const ClassSpec* const> classes();

}  // namespace sparsecfg::dialect::autoround
