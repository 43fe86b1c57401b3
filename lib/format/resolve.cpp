#include "format/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "doc/places.h"
#include "emit/node.h"
#include "format/layout.h"

namespace sparsecfg::format {

using source::Span;
using source::Value;

constexpr std::string_view kExpression = "eval(";

class VariableResolver {
 public:
  VariableResolver(const source::SourceFile& file, const Document& document, const ir::Recipe& recipe)
      : file_(file), document_(document), recipe_(recipe), places_(file.text(), document) {}

  std::string run() {
    for (std::size_t at = 0; at < document_.nodes.size(); ++at) {
      const Node& node = document_.nodes[at];
      if (is_expression(node)) expressions_.emplace(node.span, static_cast<NodeId>(at));
    }
    for (const ir::Action& action : recipe_.actions) {
      for (const ir::OriginField& field : action.origin.fields) visit(field.value);
    }
    add_comments();
    for (const NodeId id : block_mappings()) comment_out(document_[id]);
    return apply_edits(file_.text(), std::move(edits_));
  }

 private:
  static bool is_expression(const Node& node) {
    return node.kind == Kind::scalar && node.text.find(kExpression) != std::string_view::npos;
  }

  void visit(const Value& value) {
    const auto found = expressions_.find(value.span);
    if (found != expressions_.end() && !is_same_text(value, document_[found->second])) {
      replace(document_[found->second], value);
      expressions_.erase(found);
    } else if (const auto* list = value.get<source::List>()) {
      std::ranges::for_each(*list, [&](const Value& item) { visit(item); });
    } else if (const auto* map = value.get<source::Map>()) {
      std::ranges::for_each(*map, [&](const source::Entry& entry) { visit(entry.second); });
    }
  }

  static bool is_same_text(const Value& value, const Node& node) {
    const auto* text = value.get<std::string>();
    return text != nullptr && *text == node.text;
  }

  // Formats a value on one line: `[a, b]`, `{a: 1}`.
  static std::string in_one_line(const Value& value) {
    std::string text;
    if (const auto* list = value.get<source::List>()) {
      for (const Value& item : *list) text += (text.empty() ? "" : ", ") + in_one_line(item);
      return "[" + text + "]";
    }
    if (const auto* map = value.get<source::Map>()) {
      for (const source::Entry& entry : *map) {
        text += (text.empty() ? "" : ", ") + in_one_line(entry.first) + ": " + in_one_line(entry.second);
      }
      return "{" + text + "}";
    }
    return std::string(base::trim(emit::to_yaml(emit::node_of(value)).value_or("null")));
  }

  void replace(const Node& node, const Value& value) {
    edits_.push_back({node.span, in_one_line(value)});
    std::string& comment = comments_[places_.line_end(node.span.end)];
    comment += (comment.empty() ? "" : ", ") + std::string(node.text);
    replaced_.emplace_back(node.text);
  }

  // Inserts before an existing comment, so that a suppression comment keeps its effect.
  void add_comments() {
    for (const auto& [end, text] : comments_) {
      const auto there = std::ranges::find_if(document_.comments, [at = end, this](const doc::Comment& comment) {
        return places_.line_end(comment.span.begin) == at;
      });
      if (there == document_.comments.end()) {
        edits_.push_back({{end, end}, "  # " + text});
      } else {
        edits_.push_back({{there->span.begin, there->span.begin}, "# " + text + "  "});
      }
    }
  }

  // --- variables ------------------------------------------------------------------------------------

  // Returns the root and the mappings of stages.
  std::vector<NodeId> block_mappings() const {
    std::vector<NodeId> found;
    const Node& root = document_[document_.root];
    const auto add = [&](NodeId id) {
      const Node& node = document_[id];
      if (node.kind == Kind::mapping && node.style == doc::Style::block && node.tag_span.empty()) found.push_back(id);
    };
    add(document_.root);
    for (std::size_t at = 1; root.kind == Kind::mapping && at < root.items.size(); at += 2) add(root.items[at]);
    return found;
  }

  static bool mentions(std::string_view text, std::string_view name) {
    const auto in_word = [&](std::size_t at) {
      return at < text.size() && (base::is_letter(text[at]) || base::is_digit(text[at]) || text[at] == '_');
    };
    for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
      if (!in_word(at - 1) && !in_word(at + name.size())) return true;
    }
    return false;
  }

  bool is_variable(const Node& key) const {
    return std::ranges::any_of(recipe_.variables, [&](const ir::Variable& each) { return each.key == key.span; });
  }

  // Returns true if a remaining expression, other than a variable definition, still uses the variable.
  bool is_needed(std::string_view name) const {
    return std::ranges::any_of(expressions_, [&](const auto& each) {
      return !defines_variable(each.second) && mentions(document_[each.second].text, name);
    });
  }

  bool defines_variable(NodeId expression) const {
    return std::ranges::any_of(recipe_.variables, [&](const ir::Variable& variable) {
      return places_.line_begin(variable.key.begin) == places_.line_begin(document_[expression].span.begin);
    });
  }

  bool is_used(std::string_view name) const {
    const auto uses = [&](std::string_view text) { return mentions(text, name); };
    return std::ranges::any_of(replaced_, uses) ||
           std::ranges::any_of(expressions_, [&](const auto& each) { return uses(document_[each.second].text); });
  }

  void comment_out(const Node& mapping) {
    for (std::size_t at = 0; at + 1 < mapping.items.size(); at += 2) {
      const Node& key = document_[mapping.items[at]];
      const std::uint32_t begin = places_.begin_of(mapping.items[at]);
      const std::uint32_t line = places_.line_begin(begin);
      const bool alone =
          base::trim(places_.text(line, begin)).empty() && document_[mapping.items[at + 1]].anchor_span.empty();
      if (!alone || !is_variable(key) || !is_used(key.text) || is_needed(key.text)) {
        continue;
      }
      const std::uint32_t last = places_.line_begin(places_.end_of(mapping.items[at + 1]));
      for (std::uint32_t here = line; here <= last; here = places_.next_line(here)) {
        const std::uint32_t column = std::min(here + (begin - line), places_.line_end(here));
        edits_.push_back({{column, column}, "# "});
        if (places_.next_line(here) == here) break;
      }
    }
  }

  const source::SourceFile& file_;
  const Document& document_;
  const ir::Recipe& recipe_;
  doc::Places places_;
  std::map<Span, NodeId> expressions_;             // the remaining expressions
  std::map<std::uint32_t, std::string> comments_;  // by the end of their line
  std::vector<std::string_view> replaced_;
  std::vector<Edit> edits_;
};

std::string resolve_variables(const source::SourceFile& file, const Document& document, const ir::Recipe& recipe) {
  return VariableResolver(file, document, recipe).run();
}

}  // namespace sparsecfg::format
