#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/budget.h"

namespace sparsecfg::selectors {

// Finds the texts with which a name starts or ends, by their hashes. A text may have characters that match any
// character; texts of equal length in which the same characters may be any have one shape, and each shape needs one
// lookup per name.
class AnchoredTexts {
 public:
  enum class Side : std::uint8_t {
    whole,  // a text is the whole name; without characters that may be any
    start,
    end,
  };

  explicit AnchoredTexts(Side side) : side_(side) {}

  // Adds a text with a number. If it is a piece, kAnyLetter matches any character. Returns false if there are too many
  // shapes.
  bool add(std::string_view text, bool is_piece, std::uint32_t number);

  // Calls visit(number) for each text that matches, and for some that don't. Returns false if the budget is exhausted.
  bool find(std::string_view name, base::Budget& budget, auto visit) const;

 private:
  struct Shape {
    std::size_t length;
    std::vector<std::uint32_t> any;  // offsets from the side
    friend auto operator<=>(const Shape&, const Shape&) = default;
  };

  struct Item {
    std::uint64_t hash;
    std::uint32_t number;
    std::uint32_t next;  // in the chain of its slot
  };

  static constexpr std::uint32_t kNone = UINT32_MAX;
  static constexpr std::size_t kMaxShapes = 128;
  static constexpr std::uint64_t kBase = 0x9E3779B97F4A7C15;

  [[nodiscard]] static std::uint64_t value_of(char letter) {
    return static_cast<unsigned char>(letter) + std::uint64_t{1};
  }

  // Returns the sum of the letters up to each length, each multiplied with a power of its offset from the side.
  void sum_up(std::string_view name, std::vector<std::uint64_t>& sums, std::vector<std::uint64_t>& powers) const;

  [[nodiscard]] static std::uint64_t hash_of(std::uint64_t sum, std::size_t shape) {
    const std::uint64_t mixed = (sum ^ (shape + 1) * 0xD6E8FEB86659FD93) * kBase;
    return mixed ^ mixed >> 32U;
  }

  // Returns the number of a shape, which is added; kNone if there are too many.
  std::size_t number_of(Shape shape);
  void insert(std::uint64_t hash, std::uint32_t number);
  void grow();

  Side side_;
  std::vector<std::pair<Shape, std::size_t>> shapes_;  // sorted, with their numbers
  std::vector<Item> items_;
  std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(16, kNone);
};

bool AnchoredTexts::find(std::string_view name, base::Budget& budget, auto visit) const {
  if (items_.empty()) return true;
  static thread_local std::vector<std::uint64_t> sums;
  static thread_local std::vector<std::uint64_t> powers;
  sum_up(name, sums, powers);
  const auto letter = [&](std::size_t offset) {
    const std::size_t at = side_ == Side::end ? name.size() - 1 - offset : offset;
    return value_of(name[at]);
  };
  std::size_t work = name.size() / 4;
  const auto look_up = [&](std::uint64_t hash) {
    for (std::uint32_t at = slots_[hash & (slots_.size() - 1)]; at != kNone; at = items_[at].next) {
      ++work;
      if (items_[at].hash == hash) visit(items_[at].number);
    }
  };
  if (side_ == Side::whole) {
    look_up(hash_of(sums[name.size()], name.size()));
    return budget.spend(work + 1);
  }
  for (const auto& [shape, number] : shapes_) {
    if (shape.length > name.size()) break;
    std::uint64_t sum = sums[shape.length];
    for (const std::uint32_t offset : shape.any) sum -= letter(offset) * powers[offset];
    work += 1 + shape.any.size() / 4;
    look_up(hash_of(sum, number));
  }
  return budget.spend(work);
}

}  // namespace sparsecfg::selectors
