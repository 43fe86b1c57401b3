#include "rescale/expressions.h"

#include <algorithm>

#include "base/number.h"
#include "doc/fixes.h"
#include "python/tree.h"
#include "rescale/scalars.h"

namespace sparsecfg::rescale {

using python::Node;
using Kind = python::Node::Kind;

Expressions::Expressions(const Scalars& scalars, const ir::Recipe& recipe, const Factor& factor)
    : scalars_(scalars), factor_(factor) {
  for (const ir::Variable& variable : recipe.variables) {
    variables_.insert_or_assign({variable.stage, variable.name}, Variable{&variable, std::nullopt});
  }
}

// Returns true if the expression has only linear operations, so that single factors can be scaled.
static bool is_linear(const Node& node) {
  const bool leaf = node.kind == Kind::number || node.kind == Kind::name;
  const bool operation = node.kind == Kind::binary && node.text != "%" && node.text != "**";
  const bool divisible = leaf || operation || node.kind == Kind::call || node.kind == Kind::unary;
  return divisible && std::ranges::all_of(node.parts, is_linear);
}

Expressions::Text* Expressions::text_at(source::Span place, const std::string& stage) {
  if (const auto found = texts_.find(place); found != texts_.end()) {
    return &found->second;
  }
  const doc::Node* scalar = scalars_.at(place);
  const auto inside = scalar == nullptr ? std::nullopt : inside_eval(scalar->text);
  if (!inside) {
    return nullptr;
  }
  auto parsed = python::parse(*inside);
  auto* tree = std::get_if<Node>(&parsed);
  return tree == nullptr ? nullptr : &texts_.emplace(place, Text{scalar, stage, std::move(*tree), {}}).first->second;
}

Expressions::Variable* Expressions::find(const std::string& stage, const std::string& name) {
  for (const std::string& scope : {stage, std::string()}) {
    const auto found = variables_.find({scope, name});
    if (found != variables_.end()) return &found->second;
  }
  return nullptr;
}

void Expressions::require(source::Span place, const std::string& stage, bool time) {
  Text* text = text_at(place, stage);
  if (text == nullptr) {
    return;
  }
  const bool linear = is_linear(text->tree);
  text->wrapped = text->wrapped || (time && !linear);
  visit(*text, text->tree, time && linear);
}

// --- analysis ---------------------------------------------------------------------------------------

void Expressions::visit(Text& text, const Node& node, bool time) {
  switch (node.kind) {
    case Kind::name: return visit_name(text, node, time);
    case Kind::call: return visit_call(text, node, time);
    case Kind::number:
      if (const auto number = base::python_float(node.text); time && number) {
        text.changes[node.offset] = {node.text.size(), written_like(node.text, factor_.of(*number))};
      }
      return;
    case Kind::binary: {
      const bool divides = node.text == "/" || node.text == "//";
      const bool settled = node.text == "*" ? visit_product(text, node, time)
                           : divides        ? visit_quotient(text, node, time)
                                            : false;
      if (settled) return;
      if (divides || node.text == "*") {
        open_.push_back({&text, &node, time});
        return;
      }
      break;
    }
    default: break;
  }
  for (const Node& part : node.parts) visit(text, part, time);
}

// If another expression already fixed the variable as the other kind, multiplies or divides it where it is used.
void Expressions::visit_name(Text& text, const Node& node, bool time) {
  Variable* variable = find(text.stage, node.text);
  if (variable == nullptr) {
    return;
  }
  if (!variable->time) {
    assign(*variable, time);
  } else if (*variable->time != time) {
    const Factor factor = time ? factor_ : factor_.inverse();
    const bool alone = &node == &text.tree;
    text.changes[node.offset] = {node.text.size(),
                                 alone ? factor.multiplied(node.text) : "(" + factor.multiplied(node.text) + ")"};
  }
}

// The second argument of `round` is a number of digits, which is not a time.
void Expressions::visit_call(Text& text, const Node& node, bool time) {
  const bool all_alike = node.text == "min" || node.text == "max";
  for (std::size_t at = 0; at < node.parts.size(); ++at) {
    visit(text, node.parts[at], time && (all_alike || at == 0));
  }
}

// Returns false if it is not yet known which factor is the time.
bool Expressions::visit_product(Text& text, const Node& node, bool time) {
  const auto left = known(text, node.parts[0]);
  const auto right = known(text, node.parts[1]);
  if (time && !left && !right) {
    return false;
  }
  const bool left_is_time = time && (left ? *left : !*right);
  visit(text, node.parts[0], left_is_time);
  visit(text, node.parts[1], time && !left_is_time);
  return true;
}

// A time divided by a number is a time. A value that is not a time may be the quotient of two times. Returns false if
// it is not yet known which case applies.
bool Expressions::visit_quotient(Text& text, const Node& node, bool time) {
  const auto left = known(text, node.parts[0]);
  const auto right = known(text, node.parts[1]);
  if (!time && !left && !right) {
    return false;
  }
  const bool both = !time && (left.value_or(false) || right.value_or(false));
  visit(text, node.parts[0], time || both);
  visit(text, node.parts[1], both);
  return true;
}

void Expressions::assign(Variable& variable, bool time) {
  variable.time = time;
  const source::Span place = variable.written->value.span;
  const doc::Node* scalar = scalars_.at(place);
  if (scalar == nullptr) {
    return;
  }
  if (inside_eval(scalar->text)) {
    require(place, variable.written->stage, time);
    return;
  }
  const auto number = variable.written->value.number();
  if (!time || !number) {
    return;
  }
  if (auto edit = scalars_.rewritten(*scalar, written_like(scalar->text, factor_.of(*number)))) {
    numbers_.push_back(std::move(*edit));
    multiplied_.push_back(variable.written);
  }
}

// --- known kinds ------------------------------------------------------------------------------------

// Returns true if the node is a time, false if it is not, and nullopt if unknown. A plain number can be either.
std::optional<bool> Expressions::known(const Text& text, const Node& node) {
  if (node.kind == Kind::name) {
    const Variable* variable = find(text.stage, node.text);
    return variable == nullptr ? std::nullopt : variable->time;
  }
  if (node.kind == Kind::number || node.parts.empty()) {
    return std::nullopt;
  }
  const auto first = known(text, node.parts.front());
  if (node.kind == Kind::unary || node.parts.size() < 2) {
    return first;
  }
  const auto second = known(text, node.parts[1]);
  if (node.kind == Kind::call) {
    return first || node.text == "round" ? first : second;
  }
  if (node.text == "*") {
    return first && second ? std::optional(*first || *second) : std::nullopt;
  }
  if (node.text == "/" || node.text == "//") {
    return first && second ? std::optional(*first && !*second) : std::nullopt;
  }
  return first ? first : second;
}

// Ranks factors that may both be the time: a name before a number, a larger value before a smaller one.
std::pair<bool, double> Expressions::rank(const Text& text, const Node& node) {
  const Variable* variable = node.kind == Kind::name ? find(text.stage, node.text) : nullptr;
  if (variable != nullptr) {
    return {true, variable->written->value.number().value_or(0)};
  }
  const auto number = node.kind == Kind::number ? base::python_float(node.text) : std::nullopt;
  const bool names = std::ranges::any_of(node.parts, [&](const Node& part) { return rank(text, part).first; });
  return {names, number.value_or(1)};
}

void Expressions::guess(const Open& open) {
  const Node& left = open.node->parts[0];
  const Node& right = open.node->parts[1];
  const bool left_is_time = open.time && rank(*open.text, left) >= rank(*open.text, right);
  visit(*open.text, left, left_is_time);
  visit(*open.text, right, open.time && !left_is_time);
}

// --- result -----------------------------------------------------------------------------------------

std::string Expressions::content_of(const Text& text) const {
  std::string inside(*inside_eval(text.scalar->text));
  for (auto change = text.changes.rbegin(); change != text.changes.rend(); ++change) {
    inside.replace(change->first, change->second.first, change->second.second);
  }
  return std::string(kEval) + (text.wrapped ? factor_.multiplied("(" + inside + ")") : inside) + ")";
}

std::vector<format::Edit> Expressions::solve() {
  std::size_t tried = 0;  // consecutive attempts without progress
  while (!open_.empty()) {
    const Open open = open_.front();
    open_.pop_front();
    const bool settled = open.node->text == "*" ? visit_product(*open.text, *open.node, open.time)
                                                : visit_quotient(*open.text, *open.node, open.time);
    tried = settled ? 0 : tried + 1;
    if (!settled && tried > open_.size()) {
      guess(open);
      tried = 0;
    } else if (!settled) {
      open_.push_back(open);
    }
  }
  std::vector<format::Edit> edits = numbers_;
  for (const auto& [place, text] : texts_) {
    if (text.changes.empty() && !text.wrapped) continue;
    if (auto edit = scalars_.rewritten(*text.scalar, content_of(text))) edits.push_back(std::move(*edit));
  }
  return edits;
}

Scalars::Scalars(const source::SourceFile& file, const doc::Document& document) : file_(file) {
  for (const doc::Node& node : document.nodes) {
    const doc::Node& meant = node.kind == doc::Kind::alias ? document[node.target] : node;
    if (meant.kind == doc::Kind::scalar) scalars_.emplace(node.span, &meant);
  }
}

const doc::Node* Scalars::at(source::Span place) const {
  const auto found = scalars_.find(place);
  return found == scalars_.end() || place.empty() ? nullptr : found->second;
}

// A scalar without quotes stays unquoted, because the content has only digits, names, blanks and operators.
std::optional<format::Edit> Scalars::rewritten(const doc::Node& scalar, const std::string& content) const {
  const std::string_view written = file_.text(scalar.span);
  if (scalar.style == doc::Style::plain && written == scalar.text) {
    return format::Edit{scalar.span, content};
  }
  const auto text = doc::rewrite_scalar(written, content, false);
  return text ? std::optional(format::Edit{scalar.span, *text}) : std::nullopt;
}

std::optional<std::string_view> inside_eval(std::string_view text) {
  if (!text.starts_with(kEval) || !text.ends_with(')')) {
    return std::nullopt;
  }
  return text.substr(kEval.size(), text.size() - kEval.size() - 1);
}

}  // namespace sparsecfg::rescale
