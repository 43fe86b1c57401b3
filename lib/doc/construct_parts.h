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

// What PyYAML's constructor for `type` makes of a text; nothing, and reported at the node, where
// it raises.
[[nodiscard]] std::optional<source::Value::Data> construct_data(const Node& scalar, ScalarType type, diag::Sink& sink);

// What PyYAML makes of a text that it takes for an int: signs, `0b`, `0x`, a leading 0 for octal,
// numbers to the base of 60 with colons, underscores anywhere. An int64 or a BigInt; nullopt if
// Python raises, as on more than 4,300 digits, and where the number is to another base than 10 and
// has more than 400.
[[nodiscard]] std::optional<source::Value::Data> construct_int(std::string_view text);

// A key that two dates or times share if Python's datetime objects for them are equal; nothing
// where PyYAML can't make one of the text, as of 2024-13-45.
[[nodiscard]] std::optional<std::string> timestamp_identity(std::string_view text);

// One key and its value as PyYAML puts them into its dictionary.
struct Item {
  NodeId key{};
  NodeId value{};
  source::Value::Data data;  // what the key is
  bool is_text = false;      // a string, and not of bytes
};

// The items of a mapping in the order in which PyYAML adds them, merged ones first. Of equal keys
// the last one's value is kept, in the first one's place.
[[nodiscard]] std::vector<Item> items_of(const Document& document, const Node& mapping, diag::Sink& sink);

// For each item, the place that its key takes among the distinct keys; empty if each has its own.
[[nodiscard]] std::vector<std::size_t> places_of(const std::vector<Item>& items);

// As much of a text as a message can quote.
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
