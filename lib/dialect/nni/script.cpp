#include "dialect/nni/read.h"

#include <algorithm>
#include <string>
#include <utility>

#include "dialect/nni/table.h"
#include "dialect/nni/values.h"
#include "python/numbers.h"
#include "python/tree.h"

namespace sparsecfg::dialect::nni {

using python::Node;
using source::Map;
using source::Value;

static std::optional<Value> literal_of(const Node& node) {
  if (node.kind == Node::Kind::constant && node.text != "...") {
    return node.text == "None" ? Value{} : Value{node.text == "True", {}};
  }
  if (node.kind == Node::Kind::string) {
    return Value{node.text, {}};
  }
  const bool negative = node.kind == Node::Kind::unary && node.text == "-";
  const Node& literal = negative ? node.parts.front() : node;
  const auto number =
      literal.kind == Node::Kind::number ? python::number_value(literal.text) : python::Outcome(python::Fault{});
  const auto* known = std::get_if<python::Number>(&number);
  if (known == nullptr) {
    return std::nullopt;
  }
  const auto* whole = std::get_if<std::int64_t>(known);
  return whole != nullptr ? Value{negative ? -*whole : *whole, {}}
                          : Value{(negative ? -1 : 1) * python::as_double(python::operand(*known)), {}};
}

static std::optional<Value> call_of(const Node& node);

// Adds one argument. Of names and calls only a pruner counts.
static bool add_argument(Map& part, const Node& node, const std::string& name) {
  if (node.kind == Node::Kind::name || node.kind == Node::Kind::call) {
    auto inner = call_of(node);
    const bool known = inner && find_class(source::python_str(*find_value(*inner->get<Map>(), "class"))) != nullptr;
    if (known && (name.empty() || name == "pruner")) put(part, "pruner", *std::move(inner));
    return inner.has_value();
  }
  const auto value = literal_of(node);
  if (value && !name.empty()) put(part, name, *value);
  return value && !name.empty();
}

// Returns the class and the arguments of a call, or of a name without arguments.
static std::optional<Value> call_of(const Node& node) {
  if (node.kind != Node::Kind::name && node.kind != Node::Kind::call) {
    return std::nullopt;
  }
  Map part;
  put(part, "class", {node.text, {}});
  const std::size_t positional = node.parts.size() - node.keywords.size();
  for (std::size_t at = 0; at < node.parts.size(); ++at) {
    const std::string name = at < positional ? std::string() : node.keywords[at - positional];
    if (!add_argument(part, node.parts[at], name)) return std::nullopt;
  }
  return Value{std::move(part), {}};
}

std::optional<Value> parse_constructor_call(std::string_view text) {
  const auto parsed = python::parse_expression(text);
  const auto* node = std::get_if<Node>(&parsed);
  return node == nullptr ? std::nullopt : call_of(*node);
}

static Value mapping_with(source::Entry first, std::string_view key, Value value) {
  Map map;
  map.push_back(std::move(first));
  put(map, key, std::move(value));
  return {std::move(map), {}};
}

// Returns the first of the lists of a script.
static Value first_list(Map& lists) {
  const auto found =
      std::ranges::find_if(lists, [](const source::Entry& list) { return is_list_of_entries(list.second); });
  return found == lists.end() ? Value() : std::move(found->second);
}

// Adds the pruner from the command line to a file.
static Value with_pruner(const Value& pruner, Value document) {
  const source::Entry named(Value{std::string("pruner"), {}}, pruner);
  if (auto* map = std::get_if<Map>(&document.data)) {
    map->insert(map->begin(), named);
    return document;
  }
  const source::Span span = document.span;
  Value out = mapping_with(named, "config_list", std::move(document));
  out.span = span;
  return out;
}

Value as_file(Configuration configuration, bool script) {
  auto* lists = script ? std::get_if<Map>(&configuration.root.data) : nullptr;
  Value out = lists == nullptr ? std::move(configuration.root) : first_list(*lists);
  return configuration.given_pruner ? with_pruner(*configuration.given_pruner, std::move(out)) : out;
}

}  // namespace sparsecfg::dialect::nni
