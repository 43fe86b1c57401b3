#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "source/load.h"
#include "source/span.h"

namespace sparsecfg::source {

struct Value;
struct Entry;

using List = std::vector<Value>;
// In document order; a key that the recipe repeats has been reduced to its last value.
using Map = std::vector<Entry>;

// An integer of Python's that does not fit into 64 bits, kept as its decimal digits.
struct BigInt {
  std::string digits;
  friend bool operator==(const BigInt&, const BigInt&) = default;
};

// A date or time of YAML 1.1, kept as written.
struct Timestamp {
  std::string text;
  friend bool operator==(const Timestamp&, const Timestamp&) = default;
};

// What the recipe states, typed as the frameworks' own loader types it (int and float are
// different things), each part with the place it came from. Equality ignores the places, and nan equals
// nan.
struct Value {
  using Data = std::variant<std::monostate, bool, std::int64_t, BigInt, double, std::string, Timestamp, List, Map>;

  Data data;
  Span span;

  [[nodiscard]] bool is_null() const { return std::holds_alternative<std::monostate>(data); }

  template <class T>
  [[nodiscard]] const T* get() const {
    return std::get_if<T>(&data);
  }

  // bool, int and float, as Python's arithmetic takes them; nothing for the rest.
  [[nodiscard]] std::optional<double> number() const;
  // The value under a text key of a map, or null.
  [[nodiscard]] const Value* find(std::string_view key) const;

  friend bool operator==(const Value& a, const Value& b);
};

// One key of a map and its value. Not a std::pair: clang can't tell what a pair of a type that
// holds such pairs is made of.
struct Entry {
  Value first;
  Value second;

  Entry(Value key, Value value) : first(std::move(key)), second(std::move(value)) {}

  friend bool operator==(const Entry&, const Entry&) = default;
};

inline bool operator==(const Value& a, const Value& b) {
  const auto* one = a.get<double>();
  const auto* other = b.get<double>();
  return one != nullptr && other != nullptr ? is_same(*one, *other) : a.data == b.data;
}

// Returns a value as messages name it: "the int 0", "the string `fast`", "a list".
[[nodiscard]] std::string describe(const Value& value);

// Python's str(): 0.1, 1e-05, True, None, ['a', 1].
[[nodiscard]] std::string python_str(const Value& value);

// An integer of any size from its decimal digits, with `-` before them if it is negative.
[[nodiscard]] Value::Data integer_of(std::string_view digits);

// Returns the value of a JSON text, nullopt if it is not JSON, or why it is not read: nested more than 128 levels deep.
[[nodiscard]] std::variant<std::optional<Value>, LoadError> read_json(std::string_view text);

// Returns the byte at which a text stops being JSON as Python's `json` reads it; nullopt if it is JSON.
[[nodiscard]] std::optional<std::size_t> json_error_at(std::string_view text);

}  // namespace sparsecfg::source
