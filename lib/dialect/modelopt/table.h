#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "dialect/options.h"
#include "dialect/record/spec.h"

// The classes and fields of NVIDIA Model Optimizer (ModelOpt) recipes.
namespace sparsecfg::dialect::modelopt {

// Releases that read recipes differently, newest first.
enum class Release : std::uint8_t { v0_47, v0_46, v0_45, v0_44, v0_43 };

inline constexpr std::string_view kReleaseNames[] = {"0.47", "0.46", "0.45", "0.44", "0.43"};

inline constexpr ReaderOption kReaderOptions[] = {
    {"modelopt", "ModelOpt release that reads the recipe", kReleaseNames},
    {"library", "Folder of the ModelOpt recipes that imports name; default: modelopt_recipes or the built-in ones", {}},
};

[[nodiscard]] inline Release release_of(const ReadOptions& options) {
  return static_cast<Release>(options.choice(kReaderOptions[0]));
}

// Returns true if `release` is `first` or newer.
[[nodiscard]] constexpr bool is_at_least(Release release, Release first) { return release <= first; }

extern const ClassSpec kMetadata;
extern const ClassSpec kEntryClass;       // an entry of `quant_cfg`
extern const ClassSpec kAttributesClass;  // `cfg` of an entry
extern const ClassSpec kRotate;
extern const ClassSpec kQuantizeClass;
extern const ClassSpec kAutoQuantize;
extern const ClassSpec kConstraints;
extern const ClassSpec kCost;
extern const ClassSpec kSearchSpace;
extern const ClassSpec kLayerwise;

// All classes with a manual page, and the classes of `algorithm`, whose names are the values of `method`.
[[nodiscard]] std::span<const ClassSpec* const> classes();
[[nodiscard]] std::span<const ClassSpec* const> algorithms();
[[nodiscard]] const ClassSpec* find_algorithm(std::string_view method);

// Values of `metadata.recipe_type`, and the section that a recipe of this type requires.
struct RecipeType {
  std::string_view name;
  std::string_view section;
  bool quantizes;  // false: a recipe for speculative decoding, which is not read further
};

[[nodiscard]] std::span<const RecipeType> recipe_types();

}  // namespace sparsecfg::dialect::modelopt
