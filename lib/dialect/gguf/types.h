#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "ir/scheme.h"

// The tensor types of ggml, and the mixes of llama-quantize.
namespace sparsecfg::dialect::gguf {

enum class Program : std::uint8_t { llama, ik_llama };

// Returns "llama.cpp" or "ik_llama.cpp".
[[nodiscard]] std::string_view title_of(Program program);

struct TensorType {
  std::string_view name;
  std::uint32_t block;  // columns that are stored together
  double bits;          // of a weight, with scales
  bool only_ik = false;
  bool only_llama = false;
  std::string_view fallback{};     // of llama.cpp for other numbers of columns; empty: it stops
  std::string_view ik_fallback{};  // of ik_llama.cpp; empty: f16
  bool needs_imatrix = false;
};

[[nodiscard]] std::span<const TensorType> tensor_types();

// Returns the type of a name as a program reads it: llama.cpp ignores the letter case. Null: unknown.
[[nodiscard]] const TensorType* find_type(Program program, std::string_view name);
// Returns the type of this name; null if there is none.
[[nodiscard]] const TensorType* type_called(std::string_view name);

// Returns true for f32, f16 and bf16.
[[nodiscard]] bool is_plain(const TensorType& type);

// Returns the type in which a matrix with this number of columns is stored; null if the program stops.
[[nodiscard]] const TensorType* fitting(const TensorType& type, std::uint64_t columns, Program program);

[[nodiscard]] ir::Scheme scheme_of(const TensorType& type);

}  // namespace sparsecfg::dialect::gguf
