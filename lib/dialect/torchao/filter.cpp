#include "dialect/torchao/filter.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "base/text.h"
#include "dialect/quantizers/arity.h"
#include "dialect/torchao/short_line.h"

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
  auto script = python::parse_script(file);
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

std::optional<bool> Filter::selects_by_name_first(const model::Module& module) const {
  Evaluations other;  // its comparisons do not count
  return Predicate(definitions_, module, other)(*function_, true);
}

bool Filter::accepts_both() const {
  if (!function_->decorators.empty()) return true;  // which can change the parameters
  const quantizers::Arity arity = quantizers::arity_of(*function_);
  return arity.accepts(2) && !arity.named;
}

std::vector<std::string> Filter::parameters() const {
  std::vector<std::string> out;
  for (const python::Parameter& each : function_->parameters) out.push_back(each.name);
  return out;
}

std::string Filter::with_parameters(std::string_view parameters) const {
  constexpr std::size_t kMost = 120;
  if (function_->text == "lambda") {
    const std::string_view body = file_->text(place());
    return fmt::format("lambda {}: {}", parameters, is_short_line(body, kMost) ? body : "...");
  }
  return fmt::format("def {}({}):", function_->text, parameters);
}

source::Span Filter::place_of_parameters() const {
  const auto& all = function_->parameters;
  if (all.empty()) return use_;
  return shifted({all.items().front().span.begin, all.items().back().span.end});
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

quantizers::ScriptCode Filter::only_linear() const {
  const python::Node* body = expression();
  if (body == nullptr || function_->parameters.empty()) return {};
  const std::string_view own = file_->text(place());
  const bool either = body->kind == NodeKind::logical && body->text == "or";
  return code_for(*file_, fmt::format("{} and {}", plain_test(), either ? fmt::format("({})", own) : std::string(own)));
}

quantizers::ScriptCode Filter::inverted() const {
  if (function_->text == "lambda") {
    const python::Node* body = expression();
    const std::string own = body == nullptr ? "..." : std::string(file_->text(place()));
    return code_for(*file_,
                    fmt::format("lambda {}: {} and not ({})", fmt::join(parameters(), ", "), plain_test(), own));
  }
  return code_for(*file_, fmt::format("lambda module, name: isinstance(module, nn.Linear) and not {}(module, name)",
                                      function_->text));
}

bool Filter::names_kept_layers() const {
  static constexpr std::string_view kKeepingWords[] = {
      "skip", "exclu", "ignor", "keep", "filter_out", "filter out", "not_convert", "not_quant", "no_quant"};
  const std::string text =
      base::to_lower(function_->text == "lambda" ? file_->text(use_) : file_->text(shifted(function_->span)));
  return std::ranges::any_of(kKeepingWords,
                             [&](std::string_view word) { return text.find(word) != std::string::npos; });
}

std::string Filter::plain_test() const {
  const std::string name = function_->parameters.empty() ? "module" : function_->parameters[0].name;
  return fmt::format("isinstance({}, nn.Linear)", name);
}

quantizers::ScriptCode Filter::test_for_linear() const { return code_for(*file_, plain_test()); }

}  // namespace sparsecfg::dialect::torchao
