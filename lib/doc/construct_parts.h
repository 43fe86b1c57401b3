#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diag/sink.h"
#include "doc/document.h"
#include "doc/scalar_type.h"
#include "source/value.h"

namespace sparsecfg::doc {

// Returns the value that PyYAML's constructor for `type` creates. Returns nullopt, after a report at the node, if it
// raises.
[[nodiscard]] std::optional<source::Value::Data> construct_data(const Node& scalar, ScalarType type, diag::Sink& sink);

// Returns the value that PyYAML constructs from an int: signs, `0b`, `0x`, a leading 0 for octal, base-60 numbers with
// colons, underscores anywhere. The result is an int64 or a BigInt. Returns nullopt if Python raises, as for more than
// 4,300 digits, and for numbers in another base than 10 with more than 400 digits.
[[nodiscard]] std::optional<source::Value::Data> construct_int(std::string_view text);

// Returns a key that is equal for dates or times whose Python datetime objects are equal. Returns nullopt if PyYAML
// can't construct one, as for 2024-13-45.
[[nodiscard]] std::optional<std::string> timestamp_identity(std::string_view text);

// One key-value pair of PyYAML's dictionary.
struct Item {
  NodeId key{};
  NodeId value{};
  source::Value::Data data;  // value of the key
  bool is_text = false;      // true for a string, false for bytes
};

// Returns the items of a mapping in the order in which PyYAML adds them, merged ones first. For equal keys, keeps the
// last value at the position of the first.
[[nodiscard]] std::vector<Item> items_of(const Document& document, const Node& mapping, diag::Sink& sink);

// Returns for each item the index of its key among the distinct keys. Empty if all keys are distinct.
[[nodiscard]] std::vector<std::size_t> places_of(const std::vector<Item>& items);

// Shortens a string for quoting in a message.
[[nodiscard]] inline std::string excerpt(std::string_view text) {
  constexpr std::size_t kMaxLength = 40;
  if (text.size() <= kMaxLength) {
    return std::string(text);
  }
  std::size_t end = kMaxLength;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) {
    --end;
  }
  return std::string(text.substr(0, end)) + "...";
}

}  // namespace sparsecfg::doc
