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
// In document order. Of a repeated key only the last value is kept.
using Map = std::vector<Entry>;

// A Python integer that does not fit into 64 bits, stored as decimal digits.
struct BigInt {
  std::string digits;
  friend bool operator==(const BigInt&, const BigInt&) = default;
};

// A YAML 1.1 date or time, stored as written.
struct Timestamp {
  std::string text;
  friend bool operator==(const Timestamp&, const Timestamp&) = default;
};

// A value of the recipe, typed like the frameworks' loader types it (int and float are different), with the source
// spans of all parts. Equality ignores spans, and nan equals nan.
struct Value {
  using Data = std::variant<std::monostate, bool, std::int64_t, BigInt, double, std::string, Timestamp, List, Map>;

  Data data;
  Span span;

  [[nodiscard]] bool is_null() const { return std::holds_alternative<std::monostate>(data); }

  template <class T>
  [[nodiscard]] const T* get() const {
    return std::get_if<T>(&data);
  }

  // Returns bools, ints and floats as Python's arithmetic does; nullopt for other types.
  [[nodiscard]] std::optional<double> number() const;
  // Returns the value of a string key of a mapping, or null.
  [[nodiscard]] const Value* find(std::string_view key) const;
  // Returns the same, or null if the value is None.
  [[nodiscard]] const Value* given(std::string_view key) const;

  friend bool operator==(const Value& a, const Value& b);
};

// One key of a mapping and its value. Not a std::pair, because clang can't determine the type traits of a pair that
// contains such pairs.
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

// Returns a description of a value for messages: "the int 0", "the string `fast`", "a list".
[[nodiscard]] std::string describe(const Value& value);

// Returns Python's str() of a value: 0.1, 1e-05, True, None, ['a', 1].
[[nodiscard]] std::string python_str(const Value& value);

// Returns an integer of any size from decimal digits, with a leading `-` if it is negative.
[[nodiscard]] Value::Data integer_of(std::string_view digits);

// Returns the value of a JSON text, nullopt if it is not JSON, or an error if it is nested more than 128 levels deep.
[[nodiscard]] std::variant<std::optional<Value>, LoadError> read_json(std::string_view text);

// Returns the offset at which the text is not JSON as Python's `json` reads it; nullopt if it is JSON.
[[nodiscard]] std::optional<std::size_t> json_error_at(std::string_view text);

}  // namespace sparsecfg::source
