#pragma once

#include <span>
#include <string_view>

#include "dialect/options.h"
#include "dialect/quantizers/defects.h"
#include "dialect/record/spec.h"

namespace sparsecfg::dialect::torchao {

// Releases that differ, the newest first.
inline constexpr std::string_view kReleaseNames[] = {"0.19", "0.18", "0.17", "0.16", "0.15"};

inline constexpr ReaderOption kReaderOptions[] = {
    {"torchao", "torchao release that reads the configuration", kReleaseNames},
};

extern const std::span<const quantizers::Defect> kDefects;

extern const ClassSpec kQuantize;
extern const ClassSpec kTorchAoConfig;
extern const ClassSpec kFqnToConfig;
extern const ClassSpec kQatConfig;

[[nodiscard]] std::span<const ClassSpec* const> classes();

// Classes of configurations. The flags of a row are its current version.
[[nodiscard]] std::span<const ClassSpec* const> config_classes();
[[nodiscard]] const ClassSpec* find_class(std::string_view name);

// Returns true for a class whose configurations contain another one, and are applied in steps.
[[nodiscard]] bool is_wrapper(const ClassSpec& spec);

}  // namespace sparsecfg::dialect::torchao
