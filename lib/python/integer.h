#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "source/value.h"

namespace sparsecfg::python {

// Returns the value of a digit of a base up to 36, or a larger number for any other character.
[[nodiscard]] std::uint32_t digit_value(char c);

// A Python integer of arbitrary size.
class Integer {
 public:
  // Python's limit since 3.11.
  static constexpr std::size_t kMaxDigits = 4300;
  // Our limit for digits that must be converted to decimal. The time is quadratic.
  static constexpr std::size_t kMaxOtherDigits = 400;

  // Python's int(text, base) for the bases 2, 8, 10 and 16: accepts surrounding white space, a sign and the prefix of
  // the base, but no underscores.
  [[nodiscard]] static std::optional<Integer> parse(std::string_view text, std::uint32_t base);

  [[nodiscard]] bool is_negative() const { return negative_; }

  void negate() { negative_ = !negative_; }

  // Both change the magnitude.
  void multiply(std::uint32_t factor);
  void add(std::uint32_t term);

  // Returns the value if it fits into an int64.
  [[nodiscard]] std::optional<std::int64_t> small() const;

  // Returns an int64, or a BigInt.
  [[nodiscard]] source::Value::Data value() const;

 private:
  static Integer from_decimal(std::string_view digits);
  [[nodiscard]] std::string digits() const;
  void push(std::uint64_t carry);

  std::vector<std::uint32_t> limbs_;  // least significant limb first
  bool negative_ = false;
};

}  // namespace sparsecfg::python
