#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "python/numbers.h"
#include "source/value.h"

// Mappings of Python's, changed as NNI changes them.
namespace sparsecfg::dialect::nni {

[[nodiscard]] source::Entry* find_entry(source::Map& map, std::string_view key);
[[nodiscard]] const source::Entry* find_entry(const source::Map& map, std::string_view key);
[[nodiscard]] const source::Value* find_value(const source::Map& map, std::string_view key);

[[nodiscard]] inline bool has(const source::Map& map, std::string_view key) { return find_entry(map, key) != nullptr; }

// Replaces the value of a key, or adds it at the end; the key then stands where the value does.
void put(source::Map& map, std::string_view key, source::Value value);
// Takes a key away and answers its value; nullopt if it is not there.
std::optional<source::Value> pop(source::Map& map, std::string_view key);

// The key if it is a string, else what Python prints for it.
[[nodiscard]] std::string name_of(const source::Entry& entry);

// The texts of a list, each with its place. Empty for anything else; what is not a string is passed over.
[[nodiscard]] std::vector<source::Located<std::string>> texts_of(const source::Value* value);

[[nodiscard]] inline std::vector<source::Located<std::string>> texts_of(const source::Map& map, std::string_view key) {
  return texts_of(find_value(map, key));
}

// Returns true if a character has a meaning of its own in a pattern of Python's.
[[nodiscard]] bool is_special(char c);

// A text as a pattern of Python's that takes it alone.
[[nodiscard]] std::string escaped(std::string_view text);

// A number, and not a string or a boolean.
[[nodiscard]] std::optional<double> plain_number(const source::Value* value);

}  // namespace sparsecfg::dialect::nni
