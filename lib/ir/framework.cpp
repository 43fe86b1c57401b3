#include "ir/framework.h"

#include <functional>
#include <numeric>

namespace sparsecfg::ir {

bool allows(Ranks ranks, std::size_t rank) {
  switch (ranks) {
    case Ranks::any: return true;
    case Ranks::from_two: return rank >= 2;
    case Ranks::two_or_four: return rank == 2 || rank == 4;
    case Ranks::four: return rank == 4;
  }
  return true;
}

std::string_view text_of(Ranks ranks) {
  switch (ranks) {
    case Ranks::any: return "any dimensions";
    case Ranks::from_two: return "2 or more dimensions";
    case Ranks::two_or_four: return "2 or 4 dimensions";
    case Ranks::four: return "4 dimensions";
  }
  return {};
}

Ranks ranks_of(const ShapeRules& rules, const Structure& structure) {
  switch (structure.kind) {
    case Structure::Kind::unstructured: return Ranks::any;
    case Structure::Kind::n_of_m: return Ranks::two_or_four;
    case Structure::Kind::filter: return rules.filters;
    case Structure::Kind::channel: return rules.channels;
    case Structure::Kind::block: return structure.padded ? Ranks::any : rules.blocks;
  }
  return Ranks::any;
}

bool divides(std::int64_t side, std::uint64_t size) {
  return side <= 0 || size % static_cast<std::uint64_t>(side) == 0;
}

// Blocks of several channels span filters and channels at one position of the kernel. Other blocks span as many whole
// filters as fit and divide the elements evenly.
static bool holds_flattened_blocks(const Structure& structure, const model::Shape& shape, std::uint64_t elements) {
  const auto filters = static_cast<std::uint64_t>(structure.n);
  const std::uint64_t block = filters * static_cast<std::uint64_t>(structure.m);
  if (shape.size() != 4) {
    return elements % block == 0;
  }
  if (structure.m > 1) {
    return shape[0] * shape[1] % block == 0;
  }
  const std::uint64_t laid = shape[0] / filters * filters;
  return elements % block == 0 && laid > 0 && elements % laid == 0;
}

bool holds_whole_blocks(const ShapeRules& rules, const Structure& structure, const model::Shape& shape) {
  using BlockPlace = ShapeRules::BlockPlace;
  const std::uint64_t elements = model::elements_of(shape).value_or(0);
  if (structure.kind == Structure::Kind::n_of_m) {
    return divides(structure.m, elements);
  }
  if (rules.block_place == BlockPlace::flattened) {
    constexpr std::int64_t kLargest = 1 << 24;
    const bool sane = structure.n > 0 && structure.n < kLargest && structure.m > 0 && structure.m < kLargest;
    return !sane || holds_flattened_blocks(structure, shape, elements);
  }
  const std::size_t first = rules.block_place == BlockPlace::last_dimensions ? shape.size() - 2 : 0;
  return divides(structure.n, shape[first]) && divides(structure.m, shape[first + 1]);
}

bool has_padded_mask_in_one_row(const model::Shape& shape) {
  if (shape.size() < 2 || shape[1] <= 1) {
    return true;
  }
  const std::uint64_t kernel = std::accumulate(shape.begin() + 2, shape.end(), std::uint64_t{1}, std::multiplies<>());
  return kernel <= 1 && (shape[0] <= 1 || shape[1] % 4 == 0);
}

}  // namespace sparsecfg::ir
