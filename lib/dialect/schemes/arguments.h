#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "diag/sink.h"
#include "dialect/schemes/schemes.h"

// Checks the arguments of quantization, also against the tensors that they are for.
namespace sparsecfg::dialect::schemes {

// The tensors that arguments are for.
enum class TensorRole : std::uint8_t { weights, inputs, outputs, cache };

// Returns "weights", "input_activations" ...
[[nodiscard]] std::string_view field_of(TensorRole role);

// Returns a label with a message of compressed-tensors.
[[nodiscard]] std::string quoted_error(std::string_view words);

// Reports arguments that contradict each other (LC208, LC209). With `quotes` a label has the message of
// compressed-tensors. Returns false if the strategy is not known, so that other checks make no sense.
bool check_arguments(diag::Sink& sink, const source::Value& arguments, TensorRole role, bool quotes = false);

// Reports a string that is not the name of a torch dtype, with or without `torch.` (LC115).
void check_dtype(diag::Sink& sink, const source::Value& value, std::string_view name);
// Applies check_dtype() to the dtypes in a value.
void check_dtypes(diag::Sink& sink, const source::Value& value);

// Reports a strategy that the tensors can't have (LC212, LC213).
void check_role(diag::Sink& sink, const source::Value& arguments, TensorRole role);

}  // namespace sparsecfg::dialect::schemes
