#include "python/tree.h"

#include <fmt/format.h>

namespace sparsecfg::python {

static bool is_comprehension(const Node& node) {
  return node.parts.size() == 1 && node.parts.front().kind == Node::Kind::comprehension;
}

std::string describe(const Node& node) {
  switch (node.kind) {
    case Node::Kind::conditional: return "a conditional expression";
    case Node::Kind::attribute: return fmt::format("`.{}`", node.text);
    case Node::Kind::unary: return fmt::format("{}`{}`", node.text == "not" ? "" : "unary ", node.text);
    case Node::Kind::string:
    case Node::Kind::bytes:
    case Node::Kind::format: return "a quoted string";
    case Node::Kind::subscript: return "`[...]` after a value";
    case Node::Kind::slice: return "a slice";
    case Node::Kind::call_of: return "a call of an expression";
    case Node::Kind::spread: return "`*` before a value";
    case Node::Kind::tuple: return is_comprehension(node) ? "`for`" : "a tuple";
    case Node::Kind::list: return is_comprehension(node) ? "`for`" : "a list";
    case Node::Kind::set: return is_comprehension(node) ? "`for`" : "a set";
    case Node::Kind::dictionary: return is_comprehension(node) ? "`for`" : "a dictionary";
    case Node::Kind::hole:
    case Node::Kind::comprehension:
    case Node::Kind::other: return node.text;
    case Node::Kind::number:
    case Node::Kind::name:
    case Node::Kind::constant:
    case Node::Kind::binary:
    case Node::Kind::comparison:
    case Node::Kind::logical:
    case Node::Kind::call: return fmt::format("`{}`", node.text);
  }
  return {};
}

}  // namespace sparsecfg::python
