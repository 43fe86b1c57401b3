#pragma once

#include <vector>

#include "diag/fix.h"
#include "dialect/distiller/component.h"

// What may be written in the place of what Distiller refuses or drops.
namespace sparsecfg::dialect::distiller {

// The fields of a policy that say in which epochs it is active.
inline constexpr std::string_view kRange[] = {"starting_epoch", "ending_epoch", "frequency"};

// One of several kinds with the same epochs, in a policy behind that of the others.
[[nodiscard]] diag::Fix policy_of_its_own(const Fields& policy, const Field& kind);

// The epochs of a list in order. None where one is listed twice: it counts twice.
[[nodiscard]] diag::Fix ascending(const std::vector<source::Located<double>>& epochs);

// A whole number that is written as a float or as a string.
[[nodiscard]] diag::Fix as_int(const Value& value);

// A number that is a string: within quotes, or without the point that YAML wants.
[[nodiscard]] diag::Fix as_number(const Value& value);

// `args` with the flag that `mask_gradients` needs.
[[nodiscard]] diag::Fix with_forward_only(const Fields& args);

}  // namespace sparsecfg::dialect::distiller
