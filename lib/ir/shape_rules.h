#pragma once

#include <cstdint>

namespace sparsecfg::ir {

// Which numbers of dimensions a weight may have.
enum class Ranks : std::uint8_t { any, from_two, two_or_four, four };

// What a framework asks of the shapes of the weights that it removes structures from, and what it does with others. The
// defaults are those of a schedule whose framework is not known.
struct ShapeRules {
  // Where the sides of a block of n by m lie.
  enum class BlockPlace : std::uint8_t {
    first_dimensions,
    last_dimensions,
    flattened,  // n * m elements of the whole weight in one row
  };

  Ranks filters = Ranks::any;
  Ranks channels = Ranks::from_two;
  Ranks blocks = Ranks::from_two;
  BlockPlace block_place = BlockPlace::first_dimensions;
  bool leaves_weights_without_filters = false;  // a weight of another rank stays as it is; else the framework stops
  bool groups_along_moved_inputs = false;  // N:M groups go along the inputs, which convolutions have moved to the end
  bool leaves_single_structures = false;   // the only filter or channel of a weight stays, and the count of those
                                           // removed is rounded to the nearest; else rounded down
};

}  // namespace sparsecfg::ir
