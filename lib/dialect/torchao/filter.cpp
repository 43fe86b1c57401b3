#include "dialect/torchao/filter.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "base/text.h"

namespace sparsecfg::dialect::torchao {

using NodeKind = python::Node::Kind;

namespace {

// Classes of torch. Other classes of a model do not derive from them as far as names show.
constexpr std::array<std::string_view, 12> kTorchClasses = {"Linear", "Embedding",  "Conv1d",     "Conv2d",
                                                            "Conv3d", "LayerNorm",  "RMSNorm",    "Dropout",
                                                            "ReLU",   "ModuleList", "Sequential", "MultiheadAttention"};

// Evaluates the expression of a function for one module.
class FilterEvaluator {
 public:
  FilterEvaluator(std::string_view module, std::string_view name, std::string_view type, std::string_view full_name)
      : module_(module), name_(name), type_(type), full_name_(full_name) {}

  [[nodiscard]] std::optional<bool> truth(const python::Node& node) const {
    switch (node.kind) {
      case NodeKind::constant:
        return node.text == "True"    ? std::optional<bool>(true)
               : node.text == "False" ? std::optional<bool>(false)
                                      : std::optional<bool>();
      case NodeKind::logical: return logical(node);
      case NodeKind::unary: return node.text == "not" ? negated(truth(node.parts.front())) : std::optional<bool>();
      case NodeKind::membership: return membership(node);
      case NodeKind::comparison: return comparison(node);
      case NodeKind::call: return node.text == "isinstance" ? is_instance(node) : std::optional<bool>();
      case NodeKind::call_of: return method(node);
      default: return {};
    }
  }

 private:
  static std::optional<bool> negated(std::optional<bool> value) {
    return value ? std::optional<bool>(!*value) : std::optional<bool>();
  }

  // An operand can decide although the other one is not known.
  [[nodiscard]] std::optional<bool> logical(const python::Node& node) const {
    const bool decides = node.text == "or";
    bool known = true;
    for (const python::Node& part : node.parts) {
      const std::optional<bool> value = truth(part);
      if (value == decides) return decides;
      known = known && value.has_value();
    }
    return known ? std::optional<bool>(!decides) : std::optional<bool>();
  }

  [[nodiscard]] std::optional<std::string> text(const python::Node& node) const {
    if (node.kind == NodeKind::name && node.text == name_) return std::string(full_name_);
    return node.kind == NodeKind::string ? std::optional(node.text) : std::nullopt;
  }

  // Returns the strings of a collection, or one string.
  [[nodiscard]] std::optional<std::vector<std::string>> texts(const python::Node& node) const {
    std::vector<std::string> out;
    const bool collection = node.kind == NodeKind::tuple || node.kind == NodeKind::list || node.kind == NodeKind::set;
    const std::span<const python::Node> parts =
        collection ? std::span<const python::Node>(node.parts) : std::span(&node, 1);
    for (const python::Node& part : parts) {
      auto each = text(part);
      if (!each) return std::nullopt;
      out.push_back(*std::move(each));
    }
    return out;
  }

  [[nodiscard]] std::optional<bool> membership(const python::Node& node) const {
    if (node.text != "in" && node.text != "not in") return {};
    const auto item = text(node.parts[0]);
    const auto all = texts(node.parts[1]);
    if (!item || !all) return {};
    const bool is_string = text(node.parts[1]).has_value();
    const bool found =
        is_string ? all->front().find(*item) != std::string::npos : std::ranges::find(*all, *item) != all->end();
    return found == (node.text == "in");
  }

  [[nodiscard]] std::optional<bool> comparison(const python::Node& node) const {
    const auto one = text(node.parts[0]);
    const auto other = text(node.parts[1]);
    if (!one || !other || (node.text != "==" && node.text != "!=")) return {};
    return (*one == *other) == (node.text == "==");
  }

  [[nodiscard]] std::optional<bool> is_class(const python::Node& node) const {
    if (node.kind != NodeKind::name && node.kind != NodeKind::attribute) return {};
    const std::string_view name = node.text;
    if (name == "Module" || name == type_) return true;
    return base::contains(kTorchClasses, name) ? std::optional<bool>(false) : std::optional<bool>();
  }

  [[nodiscard]] std::optional<bool> is_instance(const python::Node& node) const {
    const bool known = node.parts.size() == 2 && node.parts[0].kind == NodeKind::name && node.parts[0].text == module_;
    if (!known) return {};
    if (node.parts[1].kind != NodeKind::tuple) return is_class(node.parts[1]);
    bool sure = true;
    for (const python::Node& part : node.parts[1].parts) {
      const std::optional<bool> value = is_class(part);
      if (value == true) return true;
      sure = sure && value.has_value();
    }
    return sure ? std::optional<bool>(false) : std::optional<bool>();
  }

  // `fqn.startswith("model.")`
  [[nodiscard]] std::optional<bool> method(const python::Node& node) const {
    if (node.parts.size() != 2 || node.parts[0].kind != NodeKind::attribute) return {};
    const std::string_view name = node.parts[0].text;
    const auto object = text(node.parts[0].parts.front());
    const auto ends = texts(node.parts[1]);
    if (!object || !ends || (name != "startswith" && name != "endswith")) return {};
    return std::ranges::any_of(*ends, [&](const std::string& each) {
      return name == "startswith" ? object->starts_with(each) : object->ends_with(each);
    });
  }

  std::string_view module_;
  std::string_view name_;
  std::string_view type_;
  std::string_view full_name_;
};

// Returns true for a function of two parameters that returns one expression.
bool is_one_expression(const python::Statement& function) {
  return function.parameters.size() >= 2 && function.body.size() == 1 &&
         function.body[0].kind == python::Statement::Kind::result && !python::is_absent(function.body[0].value);
}

// Returns the name in `name` or `def name(...): ...`; empty for other texts.
std::string_view name_of_function(std::string_view text) {
  constexpr std::string_view kDefinition = "def ";
  const bool defines = text.starts_with(kDefinition);
  if (defines) text.remove_prefix(kDefinition.size());
  const auto end = std::ranges::find_if_not(text, base::is_name_letter);
  return defines || end == text.end() ? text.substr(0, static_cast<std::size_t>(end - text.begin()))
                                      : std::string_view();
}

}  // namespace

std::optional<Filter> Filter::at(const source::SourceFile& file, source::Span place) {
  const std::string_view text = file.text(place);
  if (text.starts_with("lambda")) {
    auto parsed = python::parse_expression(text);
    const auto* node = std::get_if<python::Node>(&parsed);
    const bool simple = node != nullptr && node->kind == NodeKind::lambda && node->function != nullptr &&
                        is_one_expression(*node->function);
    return simple ? std::optional(Filter(file, node->function, place.begin)) : std::nullopt;
  }
  const std::string_view name = name_of_function(text);
  if (name.empty()) return std::nullopt;
  python::Script script = python::parse_script(file.text());
  for (python::Statement& statement : script.statements) {
    if (statement.kind == python::Statement::Kind::function && statement.text == name && is_one_expression(statement))
      return Filter(file, std::make_shared<const python::Statement>(std::move(statement)), 0);
  }
  return std::nullopt;
}

const python::Node& Filter::body() const { return function_->body[0].value; }

// Returns an empty name for `*args`.
std::string_view Filter::parameter(std::size_t at) const {
  using Form = python::Parameter::Form;
  const python::Parameter& parameter = function_->parameters[at];
  const bool one = parameter.form == Form::plain || parameter.form == Form::positional;
  return one ? std::string_view(parameter.name) : std::string_view();
}

std::optional<bool> Filter::selects(std::string_view type, std::string_view name) const {
  return FilterEvaluator(parameter(0), parameter(1), type, name).truth(body());
}

source::Span Filter::place() const { return {offset_ + body().span.begin, offset_ + body().span.end}; }

std::string Filter::only_linear() const {
  const std::string_view own = file_->text(place());
  const bool torch = file_->text().find("import torch\n") != std::string_view::npos;
  const bool either = body().kind == NodeKind::logical && body().text == "or";
  return fmt::format("isinstance({}, {}nn.Linear) and {}", parameter(0), torch ? "torch." : "",
                     either ? fmt::format("({})", own) : std::string(own));
}

}  // namespace sparsecfg::dialect::torchao
