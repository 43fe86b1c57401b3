#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sparsecfg::python {

// A node of an expression. Constructs that a SparseML evaluator supports have their own kind. Other Python
// constructs are `unsupported`; they are kept because an earlier error takes precedence.
struct Node {
  enum class Kind : std::uint8_t {
    number,
    name,
    constant,  // True, False, None
    binary,
    unary,        // - + ~ not
    comparison,   // a chain is left-nested: the parts of (a < b) < c
    logical,      // and, or
    conditional,  // parts: value, condition, other value
    attribute,    // attribute of its only part
    call,
    unsupported,
  };
  // True if Python accepts `=` after it; after a list only for plain assignment.
  enum class Target : std::uint8_t { no, single, list };

  Kind kind = Kind::unsupported;
  Target target = Target::no;
  std::uint32_t offset = 0;
  std::string text;  // the literal, name, operator or function, or a description of the unsupported construct
  std::vector<Node> parts;
  std::vector<std::string> keywords;  // names of the last arguments of a call
  std::size_t height = 1;
};

// Returns the name of a node for messages: "unary `-`", "a tuple".
[[nodiscard]] std::string describe(const Node& node);

}  // namespace sparsecfg::python
