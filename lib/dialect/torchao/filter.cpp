#include "dialect/torchao/filter.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "base/text.h"

namespace sparsecfg::dialect::torchao {

using NodeKind = python::Node::Kind;

namespace {

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

Filter::Filter(const source::SourceFile& file, std::shared_ptr<const python::Script> script,
               std::shared_ptr<const python::Statement> function, std::uint32_t offset, source::Span use)
    : file_(&file),
      script_(std::move(script)),
      function_(std::move(function)),
      definitions_(script_->statements),
      offset_(offset),
      use_(use),
      shared_(std::make_shared<Evaluations>()) {}

std::optional<Filter> Filter::at(const source::SourceFile& file, source::Span place) {
  const std::string_view text = file.text(place);
  auto script = std::make_shared<const python::Script>(python::parse_script(file.text()));
  std::shared_ptr<const python::Statement> function;
  if (text.starts_with("lambda")) {
    auto parsed = python::parse_expression(text);
    const auto* node = std::get_if<python::Node>(&parsed);
    if (node != nullptr && node->kind == NodeKind::lambda) function = node->function;
    if (function != nullptr) return Filter(file, std::move(script), std::move(function), place.begin, place);
    return std::nullopt;
  }
  const python::Statement* found = Definitions(script->statements).function(name_of_function(text));
  if (found == nullptr) return std::nullopt;
  function = {script, found};
  return Filter(file, std::move(script), std::move(function), 0, place);
}

const python::Node* Filter::expression() const {
  using StatementKind = python::Statement::Kind;
  const auto& body = function_->body;
  const bool documented =
      body.size() == 2 && body[0].kind == StatementKind::expression && body[0].value.kind == NodeKind::string;
  const bool single = (body.size() == 1 || documented) && body.back().kind == StatementKind::result;
  return single && !python::is_absent(body.back().value) ? &body.back().value : nullptr;
}

std::optional<bool> Filter::selects(const model::Module& module) const {
  return Predicate(definitions_, module, *shared_)(*function_);
}

source::Span Filter::place() const {
  if (const python::Node* own = expression()) return shifted(own->span);
  const std::size_t line = file_->text().find('\n', function_->span.begin);
  return {function_->span.begin, std::min(function_->span.end, static_cast<std::uint32_t>(line))};
}

source::Span Filter::shifted(source::Span span) const { return {offset_ + span.begin, offset_ + span.end}; }

namespace {

// Returns the first string with a text, or null.
const python::Node* find_string(const python::Node& node, std::string_view text) {
  if (node.kind == NodeKind::string && node.text == text) return &node;
  for (const python::Node& part : node.parts) {
    if (const python::Node* found = find_string(part, text)) return found;
  }
  return nullptr;
}

const python::Node* find_string(const std::vector<python::Statement>& statements, std::string_view text) {
  for (const python::Statement& each : statements) {
    if (const python::Node* found = find_string(each.value, text)) return found;
    for (const auto* block : {&each.body, &each.clauses, &each.otherwise, &each.last}) {
      if (const python::Node* found = find_string(block->items(), text)) return found;
    }
  }
  return nullptr;
}

}  // namespace

// A string that the function does not contain is that of a list.
source::Span Filter::place_of_string(std::string_view text) const {
  if (const python::Node* own = find_string(function_->body.items(), text)) return shifted(own->span);
  const python::Node* other = find_string(script_->statements, text);
  return other == nullptr ? source::Span() : other->span;
}

std::vector<source::Located<std::string>> Filter::unmatched() const {
  std::vector<source::Located<std::string>> out;
  for (const auto& [text, matched] : shared_->compared) {
    const source::Span place = matched ? source::Span() : place_of_string(text);
    if (!place.empty()) out.push_back({text, place});
  }
  return out;
}

std::string Filter::only_linear() const {
  const python::Node* body = expression();
  if (body == nullptr || function_->parameters.empty()) return {};
  const std::string_view own = file_->text(place());
  const bool either = body->kind == NodeKind::logical && body->text == "or";
  return fmt::format("{} and {}", test_for_linear(), either ? fmt::format("({})", own) : std::string(own));
}

std::string Filter::test_for_linear() const {
  const bool torch = file_->text().find("import torch\n") != std::string_view::npos;
  const std::string name = function_->parameters.empty() ? "module" : function_->parameters[0].name;
  return fmt::format("isinstance({}, {}nn.Linear)", name, torch ? "torch." : "");
}

}  // namespace sparsecfg::dialect::torchao
