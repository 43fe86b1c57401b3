#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "source/value.h"

// Input of the YAML writer: a tree of strings with all properties that affect how PyYAML reads them.
namespace sparsecfg::emit {

struct Node;
struct Pair;

struct Scalar {
  std::string text;
  bool is_text = false;  // a string; quoted if it would be read as another type
};

using Sequence = std::vector<Node>;
using Mapping = std::vector<Pair>;

struct Node {
  std::variant<Scalar, Sequence, Mapping> data;
  std::string tag{};  // custom tag without its `!`; empty: none
};

struct Pair {
  Node key;
  Node value;
};

[[nodiscard]] Node text(std::string_view text);

// Converts a value to a node. Floats always get a point and a signed exponent, so that YAML 1.1 reads them as floats.
[[nodiscard]] Node node_of(source::Value value);

// Writes the tree as a YAML document that ends in a line feed. Mappings are in block style, lists of scalars on one
// line if they fit. The result depends only on the tree. Returns nullopt if the tree can't be written.
[[nodiscard]] std::optional<std::string> to_yaml(const Node& root);

}  // namespace sparsecfg::emit
