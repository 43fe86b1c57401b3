#pragma once

#include <cstdint>
#include <string_view>

#include "ir/scheme.h"

// What the classes of configurations store by default, and what they require (docs/semantics/torchao.md#a1-10).
namespace sparsecfg::dialect::torchao {

// Classes of granularities, as a bit mask.
using Granularities = std::uint8_t;

namespace granularities {
inline constexpr Granularities tensor = 1;
inline constexpr Granularities row = 2;
inline constexpr Granularities group = 4;
inline constexpr Granularities axis = 8;
}  // namespace granularities

// The granularities of inputs and weights in one field.
enum class Pairs : std::uint8_t {
  none,   // the field has one granularity
  equal,  // both are of one class, in a tuple or a list; or the two blocks of 1 x 128 and 128 x 128
  any,    // both can differ, but only in a list
};

// What the transformation does with a weight of a shape that it does not support.
enum class Misfit : std::uint8_t {
  skips,  // leaves it unquantized
  stops,  // raises an error
};

struct ClassTraits {
  std::string_view name;
  ir::NumberType type = ir::NumberType::integer;
  std::int64_t bits = 8;
  std::int64_t group = 0;       // 0: a row
  std::int64_t input_bits = 0;  // 0: not quantized
  bool symmetric = true;
  Granularities granularities = 0;  // 0: it has no such field
  Pairs pairs = Pairs::none;
  std::uint64_t multiple = 1;  // rows and columns must be multiples of it
  Misfit misfit = Misfit::skips;
  bool only_matrices = false;  // rejects weights without exactly 2 dimensions
  bool convolutions = false;   // also accepts 4 dimensions
};

// Returns the row of a class, or null.
[[nodiscard]] const ClassTraits* traits_of(std::string_view name);

}  // namespace sparsecfg::dialect::torchao
