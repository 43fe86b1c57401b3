#pragma once

#include <span>

#include "dialect/options.h"
#include "dialect/quantizers/defects.h"
#include "dialect/record/spec.h"

namespace sparsecfg::dialect::gptqmodel {

// Releases that differ, the newest first.
inline constexpr std::string_view kReleaseNames[] = {"7.3.4", "7.3.2", "7.0", "6.0", "5.0"};

inline constexpr ReaderOption kReaderOptions[] = {
    {"gptqmodel", "GPTQModel release that reads the configuration", kReleaseNames},
};

extern const std::span<const quantizers::Defect> kDefects;

// Arguments of `QuantizeConfig` and keys of `quantize_config.json`.
extern const ClassSpec kQuantizeConfig;
// Keys of an entry of `dynamic`.
extern const ClassSpec kDynamicEntry;

[[nodiscard]] std::span<const ClassSpec* const> classes();

}  // namespace sparsecfg::dialect::gptqmodel
