#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "python/numbers.h"
#include "source/value.h"

// Operations on Python mappings, with the semantics of NNI.
namespace sparsecfg::dialect::nni {

[[nodiscard]] source::Entry* find_entry(source::Map& map, std::string_view key);
[[nodiscard]] const source::Entry* find_entry(const source::Map& map, std::string_view key);
[[nodiscard]] const source::Value* find_value(const source::Map& map, std::string_view key);

[[nodiscard]] inline bool has(const source::Map& map, std::string_view key) { return find_entry(map, key) != nullptr; }

// Replaces the value of a key or appends it. The key gets the location of the value.
void put(source::Map& map, std::string_view key, source::Value value);
// Removes a key and returns its value, or nullopt if the key is absent.
std::optional<source::Value> pop(source::Map& map, std::string_view key);

// Returns the key if it is a string, else its Python representation.
[[nodiscard]] std::string name_of(const source::Entry& entry);

// Returns the strings of a list with their locations. Skips items that are not strings. Empty if `value` is not a list.
[[nodiscard]] std::vector<source::Located<std::string>> texts_of(const source::Value* value);

[[nodiscard]] inline std::vector<source::Located<std::string>> texts_of(const source::Map& map, std::string_view key) {
  return texts_of(find_value(map, key));
}

// Returns a number, or nullopt for other types, including strings and booleans.
[[nodiscard]] std::optional<double> plain_number(const source::Value* value);

}  // namespace sparsecfg::dialect::nni
