#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ir/effect.h"
#include "source/shape.h"

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
  bool first_weight_sets_sides = false;         // a side of -1 is that of the first weight, for all; else of each
  bool leaves_weights_without_filters = false;  // a weight of another rank stays as it is; else the framework stops
  bool groups_along_moved_inputs = false;  // N:M groups go along the inputs, which convolutions have moved to the end
  bool leaves_single_structures = false;   // the only filter or channel of a weight stays, and the count of those
                                           // removed is rounded to the nearest; else rounded down
};

// Returns true if a weight of that many dimensions is one of those ranks.
[[nodiscard]] bool allows(Ranks ranks, std::size_t rank);

// Returns "2 or 4 dimensions".
[[nodiscard]] std::string_view text_of(Ranks ranks);

// Returns how many dimensions a weight may have from which that structure is removed.
[[nodiscard]] Ranks ranks_of(const ShapeRules& rules, const Structure& structure);

// Returns true if the side of a block divides that of a weight; a side of -1 is the whole of it.
[[nodiscard]] bool divides(std::int64_t side, std::uint64_t size);

// Returns true if a weight, whose rank is allowed, is made of whole blocks or N:M groups.
[[nodiscard]] bool holds_whole_blocks(const ShapeRules& rules, const Structure& structure, const source::Shape& shape);

// A mask of padded blocks has its inputs behind the kernel, each row of them filled up to a multiple of four. Returns
// true if its elements, in the order of the weight's, are equally far from each other in memory, as torch's view(-1)
// needs.
[[nodiscard]] bool has_padded_mask_in_one_row(const source::Shape& shape);

}  // namespace sparsecfg::ir
