#include "format/layout.h"

#include <algorithm>

#include "base/number.h"
#include "base/text.h"
#include "doc/scalar_type.h"

namespace sparsecfg::format {

using source::Span;

bool is_missing(const Node& node) {
  return node.kind == Kind::scalar && node.span.empty() && node.tag_span.empty() && node.anchor_span.empty();
}

bool ends_with_property(const Node& node) {
  return node.kind == Kind::scalar && node.span.empty() && !is_missing(node);
}

// A colon directly after an alias would be read as part of its name.
bool may_touch_colon(const Node& key) { return key.kind != Kind::alias && !ends_with_property(key); }

std::vector<Span> properties_of(const Node& node) {
  std::vector<Span> properties;
  for (const Span property : {node.tag_span, node.anchor_span}) {
    if (!property.empty()) properties.push_back(property);
  }
  std::ranges::sort(properties);
  return properties;
}

bool is_word(std::string_view text) {
  const bool begins = text.size() > 1 && (base::is_letter(text.front()) || text.front() == '_');
  const auto means_nothing = [](char c) {
    return base::is_letter(c) || base::is_digit(c) || std::string_view("_./-").find(c) != std::string_view::npos;
  };
  return begins && std::ranges::all_of(text, means_nothing) && !base::python_float(text) &&
         doc::resolve_plain(text) == doc::ScalarType::string;
}

}  // namespace sparsecfg::format
