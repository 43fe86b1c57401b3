#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string_view>
#include <vector>

namespace sparsecfg::model {

// Returns the upper 32 bits of a hash. The lower bits decide the slot, so the upper ones distinguish more names. On a
// 32-bit platform that is the whole hash.
template <std::unsigned_integral Hash>
constexpr std::uint32_t upper_bits(Hash hash) {
  return static_cast<std::uint32_t>(hash >> (std::numeric_limits<Hash>::digits - 32));
}

// A flat hash table of names with about ten bytes per entry, since a model can have hundreds of thousands of names.
class NameIndex {
 public:
  NameIndex() = default;

  // `names` is the maximum number of entries.
  explicit NameIndex(std::size_t names) : slots_(std::bit_ceil(names + names / 4 + 1)) {}

  void add(std::string_view name, std::uint32_t number) {
    const std::size_t hash = std::hash<std::string_view>()(name);
    std::size_t at = hash & (slots_.size() - 1);
    while (slots_[at].hash != kFree) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = {part_of(hash), number};
  }

  // Calls visit(number) for each name with this hash, including all names equal to `name`.
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
    std::uint32_t hash = kFree;  // part of the hash, always odd
    std::uint32_t number = 0;
  };

  static std::uint32_t part_of(std::size_t hash) { return upper_bits(hash) | 1; }

  std::vector<Slot> slots_;
};

}  // namespace sparsecfg::model
