#pragma once

#include <algorithm>
#include <span>
#include <string_view>

#include "doc/document.h"

namespace sparsecfg::dialect {

// Queries about one node, used to detect the dialect. Aliases are resolved.
class View {
 public:
  View(const doc::Document& document, doc::NodeId id) : document_(document), node_(document[document.resolve(id)]) {}

  explicit View(const doc::Document& document) : View(document, document.root) {}

  [[nodiscard]] bool is(doc::Kind kind) const { return node_.kind == kind; }

  // Returns true if the test is true for any item of a sequence.
  [[nodiscard]] bool any_item(auto test) const {
    return is(doc::Kind::sequence) &&
           std::ranges::any_of(node_.items, [&](doc::NodeId item) { return test(View(document_, item)); });
  }

  // Returns true if the test is true for any key and value of a mapping.
  [[nodiscard]] bool any_entry(auto test) const {
    for (std::size_t at = 0; is(doc::Kind::mapping) && at + 1 < node_.items.size(); at += 2) {
      if (test(document_[document_.resolve(node_.items[at])].text, View(document_, node_.items[at + 1]))) {
        return true;
      }
    }
    return false;
  }

  [[nodiscard]] bool has_key(std::span<const std::string_view> names) const {
    return any_entry([&](std::string_view key, const View&) { return std::ranges::find(names, key) != names.end(); });
  }

 private:
  const doc::Document& document_;
  const doc::Node& node_;
};

}  // namespace sparsecfg::dialect
