#pragma once

#include <span>
#include <string_view>

#include "dialect/record/spec.h"

// Keys of the policy files of ai8x-training (docs/semantics/ai8x.md#c1, #d1).
namespace sparsecfg::dialect::ai8x {

extern const ClassSpec kQatPolicy;
extern const ClassSpec kOverride;  // of one layer in a QAT policy

extern const ClassSpec kNasPolicy;
extern const ClassSpec kElastic;  // one stage of a NAS policy
extern const ClassSpec kDistillation;
extern const ClassSpec kSearch;
extern const ClassSpec kConstraints;

// The stages of a NAS policy in the order in which they run.
inline constexpr std::string_view kStages[] = {"elastic_kernel", "elastic_depth", "elastic_width"};

// Known values of `teacher_model`: the whole network, or the one of the previous stage.
inline constexpr std::string_view kTeachers[] = {"full_model", "prev_stage_model"};

// Returns all classes, in the order of a file.
[[nodiscard]] std::span<const ClassSpec* const> classes();

// Bit widths of the hardware.
inline constexpr double kBits[] = {1, 2, 4, 8};

// Returns true if a class of ai8x.py is a layer with weights, which a QAT policy quantizes.
[[nodiscard]] bool is_quantized_type(std::string_view type);

}  // namespace sparsecfg::dialect::ai8x
