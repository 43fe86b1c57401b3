#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sparsecfg::python {

// A part of an expression. What one of SparseML's evaluators knows has a kind of its own; the rest
// of Python's grammar is `unsupported`, kept because an error before it comes first.
struct Node {
  enum class Kind : std::uint8_t {
    number,
    name,
    constant,  // True, False, None
    binary,
    unary,        // - + ~ not
    comparison,   // a chain of them leans to the left: the parts of (a < b) < c
    logical,      // and, or
    conditional,  // the parts are the value, the condition and the other value
    attribute,    // of its one part
    call,
    unsupported,
  };
  // True if Python lets `=` stand behind it: behind a list only for plain assignment.
  enum class Target : std::uint8_t { no, single, list };

  Kind kind = Kind::unsupported;
  Target target = Target::no;
  std::uint32_t offset = 0;
  std::string text;  // the literal, the name, the operator, the function, or what it is that is not supported
  std::vector<Node> parts;
  std::vector<std::string> keywords;  // the names of a call's last arguments
  std::size_t height = 1;
};

// Returns the name of a part for messages: "unary `-`", "a tuple".
[[nodiscard]] std::string describe(const Node& node);

}  // namespace sparsecfg::python
