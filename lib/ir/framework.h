#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ir/effect.h"
#include "model/names.h"

namespace sparsecfg::ir {

// The number of dimensions that a weight may have.
enum class Ranks : std::uint8_t { any, from_two, two_or_four, four };

// The requirements of a framework for the shapes of structured-pruned weights, and its behavior for other weights. The
// defaults apply if the framework is unknown.
struct ShapeRules {
  // The position of the sides of an n by m block.
  enum class BlockPlace : std::uint8_t {
    first_dimensions,
    last_dimensions,
    flattened,  // n * m consecutive elements of the flattened weight
  };

  Ranks filters = Ranks::any;
  Ranks channels = Ranks::from_two;
  Ranks blocks = Ranks::from_two;
  BlockPlace block_place = BlockPlace::first_dimensions;
  bool first_weight_sets_sides = false;  // true: a side of -1 is the size of the first weight; false: of each weight
  bool leaves_weights_without_filters = false;  // true: weights of other ranks are skipped; false: the framework fails
  bool groups_along_moved_inputs = false;       // N:M groups run along the inputs, moved last in convolutions
  bool leaves_single_structures = false;        // true: the only filter or channel of a weight is kept and the number
                                                // of removed ones is rounded to the nearest; false: rounded down
};

// Returns true if a weight with this number of dimensions is allowed.
[[nodiscard]] bool allows(Ranks ranks, std::size_t rank);

// Returns a description: "2 or 4 dimensions".
[[nodiscard]] std::string_view text_of(Ranks ranks);

// Returns the numbers of dimensions of weights from which the structure can be removed.
[[nodiscard]] Ranks ranks_of(const ShapeRules& rules, const Structure& structure);

// Returns true if the side of a block divides the side of a weight. A side of -1 means the whole side.
[[nodiscard]] bool divides(std::int64_t side, std::uint64_t size);

// Returns true if a weight of an allowed rank consists of whole blocks or N:M groups.
[[nodiscard]] bool holds_whole_blocks(const ShapeRules& rules, const Structure& structure, const model::Shape& shape);

// A mask of padded blocks stores inputs after the kernel, in rows padded to a multiple of four. Returns true if its
// elements, in the order of the weight, have a constant stride in memory, as torch's view(-1) requires.
[[nodiscard]] bool has_padded_mask_in_one_row(const model::Shape& shape);

// Constructs of a dialect that help lines and fixes of checks name, as text to paste. Empty if the dialect lacks them.
struct Remedies {
  std::string_view variable = {};           // a use of the variable {}
  std::string_view keep_mask = {};          // what keeps the masks of an action after epoch {}
  std::string_view mask_release = {};       // the argument that stops masks from staying
  std::string_view mask_keeper = {};        // the entry beside it that keeps them
  std::string_view mask_switch = {};        // the field of a pruner that removes the mask if it is false
  std::string_view layer_schemes = {};      // the field for layers with other quantization schemes
  std::string_view separate_ranking = {};   // what ranks each parameter separately
  std::string_view single_weights = {};     // a structure that fits weights of any shape
  std::string_view blocks = {};             // a structure that fits convolutions
  std::string_view pattern_prefix = "re:";  // what marks a regular expression in selectors
  std::string_view tied_head = {};          // what leaves a head with a shared weight as it is; empty: `ignore`
  std::string_view last_mask = {};          // what makes the last mask after the last increase of the sparsity
};

}  // namespace sparsecfg::ir
