#include "dialect/sparseml/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "python/numbers.h"
#include "python/tree.h"
#include "python/value.h"

namespace sparsecfg::dialect::sparseml {

using python::ErrorKind;
using python::Fault;
using python::Outcome;

// Longer expressions are rejected to bound the parsing time.
constexpr std::size_t kMaxLength = 4096;

// Evaluates a tree in the order of the SparseML evaluator: checks the kind of a node before its parts.
class RestrictedEvaluator {
 public:
  explicit RestrictedEvaluator(const NumberLookup& number_of) : number_of_(number_of) {}

  std::variant<Number, ExpressionError> run(const python::Node& node) {
    const std::optional<Number> value = evaluate(node);
    if (value) {
      return *value;
    }
    return *error_;
  }

 private:
  std::optional<Number> evaluate(const python::Node& node);
  std::optional<Number> variable(const python::Node& node);
  std::optional<Number> binary(const python::Node& node);
  std::optional<Number> function(const python::Node& node);
  std::optional<Number> unsupported(const python::Node& node, std::string_view what);
  std::optional<Number> result(const python::Node& node, Outcome outcome);

  const NumberLookup& number_of_;
  std::optional<ExpressionError> error_;
};

// The error for Python that SparseML's evaluator refuses.
static std::string not_supported(std::string_view what) { return fmt::format("{} is not supported by SparseML", what); }

std::optional<Number> RestrictedEvaluator::evaluate(const python::Node& node) {
  switch (node.kind) {
    case python::Node::Kind::number:
      return node.text.find_first_of("jJ") == std::string::npos ? result(node, python::number_value(node.text))
                                                                : unsupported(node, "a complex number");
    case python::Node::Kind::name: return variable(node);
    case python::Node::Kind::binary: return binary(node);
    case python::Node::Kind::call:
      return python::is_function(node.text) ? function(node)
                                            : unsupported(node, fmt::format("the function `{}`", node.text));
    default: return unsupported(node, describe(node));
  }
}

std::optional<Number> RestrictedEvaluator::unsupported(const python::Node& node, std::string_view what) {
  return result(node, Fault{ErrorKind::unsupported, not_supported(what)});
}

std::optional<Number> RestrictedEvaluator::result(const python::Node& node, Outcome outcome) {
  if (auto* fault = std::get_if<Fault>(&outcome)) {
    error_ = ExpressionError{fault->kind, std::move(fault->message), node.offset, {}};
    return std::nullopt;
  }
  return std::get<Number>(outcome);
}

std::optional<Number> RestrictedEvaluator::variable(const python::Node& node) {
  const std::optional<Number> found = number_of_(node.text);
  if (!found) {
    error_ = ExpressionError{ErrorKind::unknown_variable, fmt::format("undefined variable `{}`", node.text),
                             node.offset, node.text};
  }
  return found;
}

std::optional<Number> RestrictedEvaluator::binary(const python::Node& node) {
  const std::optional<Number> left = evaluate(node.parts[0]);
  const std::optional<Number> right = left ? evaluate(node.parts[1]) : std::nullopt;
  return right ? result(node, python::calculate(node.text, *left, *right)) : std::nullopt;
}

std::optional<Number> RestrictedEvaluator::function(const python::Node& node) {
  const std::size_t positional_count = node.parts.size() - node.keywords.size();
  std::vector<Number> positional;
  Numbers named;
  for (std::size_t at = 0; at < node.parts.size(); ++at) {
    const std::optional<Number> value = evaluate(node.parts[at]);
    if (!value) {
      return std::nullopt;
    }
    if (at < positional_count) {
      positional.push_back(*value);
    } else {
      named.insert_or_assign(node.keywords[at - positional_count], *value);
    }
  }
  return result(node, python::call(node.text, positional, named));
}

static std::variant<python::Node, ExpressionError> parse_bounded(std::string_view text) {
  if (text.size() > kMaxLength) {
    return ExpressionError{
        ErrorKind::too_large, fmt::format("the expression is longer than {} bytes", kMaxLength), 0, {}};
  }
  // Python rejects a null character anywhere, even in a comment.
  if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos) {
    return ExpressionError{
        ErrorKind::syntax, "the expression contains a null character", static_cast<std::uint32_t>(zero), {}};
  }
  auto parsed = python::parse(text);
  if (auto* error = std::get_if<ExpressionError>(&parsed); error != nullptr && error->kind == ErrorKind::unsupported) {
    error->message = not_supported(error->message);
  }
  return parsed;
}

Expression::Expression(std::string_view text) : parsed_(parse_bounded(text)) {}

std::variant<Number, ExpressionError> Expression::evaluate(const NumberLookup& number_of) const {
  if (const auto* error = std::get_if<ExpressionError>(&parsed_)) {
    return *error;
  }
  return RestrictedEvaluator(number_of).run(std::get<python::Node>(parsed_));
}

static void collect_names(const python::Node& node, std::vector<const python::Node*>& names) {
  if (node.kind == python::Node::Kind::name) {
    names.push_back(&node);
  }
  for (const python::Node& part : node.parts) {
    collect_names(part, names);
  }
  if (node.function != nullptr) {  // of a lambda
    for (const python::Statement& statement : node.function->body) collect_names(statement.value, names);
  }
}

std::vector<std::string> Expression::names() const {
  const auto* tree = std::get_if<python::Node>(&parsed_);
  if (tree == nullptr) {
    return {};
  }
  std::vector<const python::Node*> found;
  collect_names(*tree, found);
  // Keyword arguments were moved after the positional ones, so this restores source order.
  std::ranges::stable_sort(found, {}, &python::Node::offset);
  std::vector<std::string> names;
  std::ranges::transform(found, std::back_inserter(names), &python::Node::text);
  return names;
}

std::variant<Number, ExpressionError> evaluate(std::string_view text, const Numbers& variables) {
  return Expression(text).evaluate([&](std::string_view name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  });
}

std::vector<std::string> names_in(std::string_view text) { return Expression(text).names(); }

}  // namespace sparsecfg::dialect::sparseml
