#pragma once

#include <string>
#include <vector>

#include "diag/sink.h"
#include "doc/document.h"
#include "source/value.h"

namespace sparsecfg::doc {

// One key and its value as PyYAML puts them into its dictionary.
struct Item {
  NodeId key{};
  NodeId value{};
  source::Value::Data data;  // what the key is
  std::string identity;      // the same for keys that Python holds equal
};

// The items of a mapping in the order in which PyYAML adds them, merged ones first. Of equal keys
// the last one's value is kept, in the first one's place.
[[nodiscard]] std::vector<Item> items_of(const Document& document, const Node& mapping, diag::Sink& sink);

// For each item, the place that its key takes among the distinct keys.
[[nodiscard]] std::vector<std::size_t> places_of(const std::vector<Item>& items);

}  // namespace sparsecfg::doc
