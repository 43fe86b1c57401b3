#pragma once

#include <vector>

#include "diag/diagnostic.h"
#include "dialect/distiller/component.h"

// Fixes for values that Distiller rejects or ignores.
namespace sparsecfg::dialect::distiller {

// The fields of a policy that define its range of epochs.
inline constexpr std::string_view kRange[] = {"starting_epoch", "ending_epoch", "frequency"};

// Moves one of several kinds in a policy to a new policy with the same epochs, after the original one.
[[nodiscard]] diag::Fix split_policy(const Record& policy, const Field& kind);

// Sorts a list of epochs. Returns an empty fix if an epoch is listed twice, because it then acts twice.
[[nodiscard]] diag::Fix ascending(const std::vector<source::Located<double>>& epochs);

// Replaces a float or string that is a whole number of at least `least` by an int.
[[nodiscard]] diag::Fix as_int(const Value& value, double least);

// Suggests the number of bits that a string such as `8 bits` is intended to mean.
void offer_bits(diag::Diagnostic& report, const Value& value);

// Sets `mask_on_forward_only`, which `mask_gradients` requires.
[[nodiscard]] diag::Fix with_forward_only(const RunArguments& args);

}  // namespace sparsecfg::dialect::distiller
