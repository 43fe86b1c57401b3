#pragma once

#include <span>
#include <string_view>

// The files in `tables/`, embedded when CMake configures the build.
namespace sparsecfg::architecture {

[[nodiscard]] std::span<const std::string_view> family_tables();

extern const std::string_view kDefaults;     // by configuration class: default values, other names, nested classes
extern const std::string_view kAutoClasses;  // by Auto class: the class of each model type
extern const std::string_view kModelIds;     // by model id: its configuration
extern const std::string_view kTorchvision;  // listings of networks
extern const std::string_view kSparseml;

}  // namespace sparsecfg::architecture
