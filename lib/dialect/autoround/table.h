#pragma once

#include <span>

#include "dialect/options.h"
#include "dialect/quantizers/defects.h"
#include "dialect/record/spec.h"

namespace sparsecfg::dialect::autoround {

// Releases that differ, the newest first.
inline constexpr std::string_view kReleaseNames[] = {"0.14", "0.13", "0.12", "0.11", "0.10", "0.9", "0.8"};

inline constexpr ReaderOption kReaderOptions[] = {
    {"autoround", "AutoRound release that reads the configuration", kReleaseNames},
};

extern const std::span<const quantizers::Defect> kDefects;

// Arguments of `AutoRound`.
extern const ClassSpec kAutoRound;
// Settings of an entry of `layer_config`.
extern const ClassSpec kLayerConfig;
// Keys of the saved configuration.
extern const ClassSpec kSavedConfig;

[[nodiscard]] std::span<const ClassSpec* const> classes();

}  // namespace sparsecfg::dialect::autoround
