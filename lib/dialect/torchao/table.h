#pragma once

#include <span>
#include <string_view>

#include "dialect/record/spec.h"

namespace sparsecfg::dialect::torchao {

extern const ClassSpec kQuantize;
extern const ClassSpec kTorchAoConfig;
extern const ClassSpec kFqnToConfig;

[[nodiscard]] std::span<const ClassSpec* const> classes();

// Classes of configurations. The flags of a row are its current version.
[[nodiscard]] std::span<const ClassSpec* const> config_classes();
[[nodiscard]] const ClassSpec* find_class(std::string_view name);

}  // namespace sparsecfg::dialect::torchao
