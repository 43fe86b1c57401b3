#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "source/value.h"

// The input of the YAML writer: a tree of strings with all that decides how PyYAML reads them again.
namespace sparsecfg::emit {

struct Node;
struct Pair;

struct Scalar {
  std::string text;
  bool is_text = false;  // a string, to be quoted wherever it would be read as something else
};

using Sequence = std::vector<Node>;
using Mapping = std::vector<Pair>;

struct Node {
  std::variant<Scalar, Sequence, Mapping> data;
  std::string tag{};  // of the recipe's own, without its `!`; empty: none
};

struct Pair {
  Node key;
  Node value;
};

[[nodiscard]] Node text(std::string_view text);

// A value as its own kind of scalar: floats always with a point and a sign before the exponent, so
// that they are read as floats again.
[[nodiscard]] Node node_of(source::Value value);

// The tree as a YAML document with a line feed at its end, the same for the same tree: mappings in
// blocks, lists of scalars in one line where they fit. Returns nullopt if it can't be written.
[[nodiscard]] std::optional<std::string> to_yaml(const Node& root);

}  // namespace sparsecfg::emit
