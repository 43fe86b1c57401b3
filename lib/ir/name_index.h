#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace sparsecfg::ir {

// Finds the names of a list by their hashes, in a flat table of some ten bytes for each: a model has hundreds of
// thousands of them.
class NameIndex {
 public:
  NameIndex() = default;

  // For so many names.
  explicit NameIndex(std::size_t names) : slots_(std::bit_ceil(names + names / 4 + 1)) {}

  void add(std::string_view name, std::uint32_t number) {
    const std::size_t hash = std::hash<std::string_view>()(name);
    std::size_t at = hash & (slots_.size() - 1);
    while (slots_[at].hash != kFree) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = {part_of(hash), number};
  }

  // Calls visit(number) for each name with this hash, among which are all that are equal to `name`.
  void for_each_like(std::string_view name, auto visit) const {
    const std::size_t hash = std::hash<std::string_view>()(name);
    for (std::size_t at = hash; !slots_.empty(); ++at) {
      const Slot& slot = slots_[at & (slots_.size() - 1)];
      if (slot.hash == kFree) {
        return;
      }
      if (slot.hash == part_of(hash)) visit(slot.number);
    }
  }

 private:
  static constexpr std::uint32_t kFree = 0;

  struct Slot {
    std::uint32_t hash = kFree;  // a part of it, which is odd
    std::uint32_t number = 0;
  };

  static std::uint32_t part_of(std::size_t hash) { return static_cast<std::uint32_t>(hash >> 32) | 1; }

  std::vector<Slot> slots_;
};

}  // namespace sparsecfg::ir
