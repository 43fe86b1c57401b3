#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "source/value.h"

// Values of a config as Python reads them.
namespace sparsecfg::dialect::checkpoint {

using source::Value;

// Returns the value of a string, or nullopt for other types.
[[nodiscard]] std::optional<std::string_view> text_of(const Value* value);

// Returns the value of the first key that is present, or null.
[[nodiscard]] const Value* first_of(const Value& config, std::initializer_list<std::string_view> keys);

// Returns Python's bool() of the value of a key; false if it is absent.
[[nodiscard]] bool is_set(const Value& config, std::string_view key);

// The keys of bitsandbytes that select the number of bits.
inline constexpr std::string_view kFourBits = "load_in_4bit";
inline constexpr std::string_view kEightBits = "load_in_8bit";
inline constexpr std::string_view kBitsFlags[] = {kFourBits, kEightBits};

// Returns true if a config of bitsandbytes sets one of them.
[[nodiscard]] bool sets_bits(const Value& config);

// Returns a number that is not a bool; nullopt for other types. Null: the key is absent, and `fallback` applies.
[[nodiscard]] std::optional<double> number_of(const Value* value, std::optional<double> fallback = std::nullopt);

// Returns true if the value is one of the strings, or if it is absent.
[[nodiscard]] bool is_one_of(const Value* value, std::initializer_list<std::string_view> choices);
// The same for Python's str() of the value in lower case.
[[nodiscard]] bool is_one_of_lower(const Value* value, std::initializer_list<std::string_view> choices);

// Returns true if the value is absent or a number of the list.
[[nodiscard]] bool is_number_in(const Value* value, std::initializer_list<std::int64_t> choices);

}  // namespace sparsecfg::dialect::checkpoint
