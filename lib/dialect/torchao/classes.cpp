#include "dialect/torchao/classes.h"

#include <algorithm>
#include <iterator>

namespace sparsecfg::dialect::torchao {

constexpr auto kFloating = ir::NumberType::floating;
constexpr Granularities kOneSide = granularities::tensor | granularities::row | granularities::group;
constexpr Granularities kBothSides = granularities::tensor | granularities::row;
constexpr Granularities kIntx = granularities::group | granularities::axis;

constexpr ClassTraits kTraits[] = {
    {.name{"Int4WeightOnlyConfig"}, .bits = 4, .group = 128, .symmetric = false},
    {.name{"Int8WeightOnlyConfig"}, .granularities = kOneSide, .misfit = Misfit::stops},
    {.name{"Float8WeightOnlyConfig"}, .type = kFloating, .granularities = kOneSide, .misfit = Misfit::stops},
    {.name{"Int8DynamicActivationInt8WeightConfig"}, .input_bits = 8, .granularities = kBothSides, .pairs = Pairs::any},
    {.name{"Int8DynamicActivationIntxWeightConfig"},
     .group = 32,
     .input_bits = 8,
     .granularities = kIntx,
     .misfit = Misfit::stops,
     .only_matrices = true},
    {.name{"IntxWeightOnlyConfig"},
     .granularities = kIntx,
     .misfit = Misfit::stops,
     .only_matrices = true,
     .convolutions = true},
    {.name{"Float8DynamicActivationFloat8WeightConfig"},
     .type = kFloating,
     .input_bits = 8,
     .granularities = kBothSides,
     .pairs = Pairs::equal,
     .multiple = 16},
    {.name{"Float8DynamicActivationInt4WeightConfig"}, .bits = 4, .group = 128, .input_bits = 8},
    {.name{"MXDynamicActivationMXWeightConfig"},
     .type = kFloating,
     .group = 32,
     .input_bits = 8,
     .misfit = Misfit::stops},
    {.name{"NVFP4DynamicActivationNVFP4WeightConfig"},
     .type = kFloating,
     .bits = 4,
     .group = 16,
     .input_bits = 4,
     .multiple = 16,
     .misfit = Misfit::stops},
    {.name{"NVFP4WeightOnlyConfig"},
     .type = kFloating,
     .bits = 4,
     .group = 16,
     .multiple = 16,
     .misfit = Misfit::stops},
    {.name{"Int8DynamicActivationUIntxWeightConfig"}, .bits = 4, .group = 128, .input_bits = 8},
};

const ClassTraits* traits_of(std::string_view name) {
  const auto* found = std::ranges::find(kTraits, name, &ClassTraits::name);
  return found == std::end(kTraits) ? nullptr : found;
}

}  // namespace sparsecfg::dialect::torchao
