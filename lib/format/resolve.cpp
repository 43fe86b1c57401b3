#include "format/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "base/text.h"
#include "doc/places.h"
#include "emit/node.h"
#include "format/layout.h"
#include "source/edits.h"

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
    find_uses();
    for (const NodeId id : block_mappings()) comment_out(document_[id]);
    return source::apply_edits(file_.text(), std::move(edits_));
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
    std::unordered_map<std::uint32_t, std::uint32_t> existing;  // begin of the first comment, by the end of its line
    for (const doc::Comment& comment : document_.comments) {
      existing.emplace(places_.line_end(comment.span.begin), comment.span.begin);
    }
    for (const auto& [end, text] : comments_) {
      const auto there = existing.find(end);
      if (there == existing.end()) {
        edits_.push_back({{end, end}, "  # " + text});
      } else {
        edits_.push_back({{there->second, there->second}, "# " + text + "  "});
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

  static bool is_word(char c) {
    return base::is_letter(c) || base::is_digit(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
  }

  // Adds the identifiers in a text, which include the names of variables that it uses.
  static void add_words(std::string_view text, std::unordered_set<std::string_view>& words) {
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t begin = at;
      while (at < text.size() && is_word(text[at])) ++at;
      if (at > begin) words.insert(text.substr(begin, at - begin));
      at += at == begin ? 1 : 0;
    }
  }

  // Finds out which variables exist, which are used, and which are still needed by an expression that does not define
  // another variable.
  void find_uses() {
    std::unordered_set<std::uint32_t> lines;
    for (const ir::Variable& variable : recipe_.variables) {
      variables_.insert(variable.key.begin);
      lines.insert(places_.line_begin(variable.key.begin));
    }
    for (const std::string_view text : replaced_) add_words(text, used_);
    for (const auto& [span, id] : expressions_) {
      const bool defines = lines.contains(places_.line_begin(span.begin));
      add_words(document_[id].text, used_);
      if (!defines) add_words(document_[id].text, needed_);
    }
  }

  void comment_out(const Node& mapping) {
    for (std::size_t at = 0; at + 1 < mapping.items.size(); at += 2) {
      const Node& key = document_[mapping.items[at]];
      const std::uint32_t begin = places_.begin_of(mapping.items[at]);
      const std::uint32_t line = places_.line_begin(begin);
      const bool alone =
          base::trim(places_.text(line, begin)).empty() && document_[mapping.items[at + 1]].anchor_span.empty();
      if (!alone || !variables_.contains(key.span.begin) || !used_.contains(key.text) || needed_.contains(key.text)) {
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
  std::unordered_set<std::uint32_t> variables_;  // where their keys begin
  std::unordered_set<std::string_view> used_;    // names in all expressions, replaced or not
  std::unordered_set<std::string_view> needed_;  // names that must remain defined
  std::vector<Edit> edits_;
};

std::string resolve_variables(const source::SourceFile& file, const Document& document, const ir::Recipe& recipe) {
  return VariableResolver(file, document, recipe).run();
}

}  // namespace sparsecfg::format
