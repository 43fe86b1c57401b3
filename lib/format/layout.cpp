#include "format/layout.h"

#include <algorithm>

#include "doc/characters.h"
#include "doc/places.h"
#include "format/lines.h"

namespace sparsecfg::format {

using source::Span;

constexpr std::uint32_t kStep = 2;

// Sets the columns of the lines of a document and the width of the gaps within them.
class Layout {
 public:
  Layout(std::string_view text, Span part, const Document& document)
      : text_(text), part_(part), document_(document), places_(text, document), lines_(text, part) {}

  std::vector<Edit> run() {
    list_step_ = usual_list_step();
    if (const Node& root = document_[document_.root]; root.style == Style::block) {
      for (const Span property : properties_of(root)) place(property.begin, 0);
      visit_block(document_.root, step_below_tag(root), root.span.begin);
    } else {
      visit_content(document_.root, 0, 0, root.span.begin);
    }
    if (!regular_) {
      return {};
    }
    lines_.settle_columns();
    if (lines_.begin_differently()) {
      return {};
    }
    finish_lines(text_, part_, document_, lines_);
    return lines_.take();
  }

 private:
  // Returns the step by which most lists in the file are indented below their key: two columns or none.
  std::uint32_t usual_list_step() const {
    std::size_t indented = 0;
    std::size_t flush = 0;
    for (const Node& node : document_.nodes) {
      for (std::size_t at = 0; node.kind == Kind::mapping && node.style == Style::block && at + 1 < node.items.size();
           at += 2) {
        const Node& value = document_[node.items[at + 1]];
        if (value.kind == Kind::sequence && value.style == Style::block) {
          const bool same = column_of(value.span.begin) == column_of(places_.begin_of(node.items[at]));
          ++(same ? flush : indented);
        }
      }
    }
    return flush > indented ? 0 : kStep;
  }

  std::uint32_t column_of(std::uint32_t place) const { return place - lines_.at(place).begin; }

  bool starts_line(std::uint32_t place) const { return lines_.at(place).text == place; }

  void place(std::uint32_t place, std::uint32_t column) {
    Line& line = lines_.at(place);
    if (line.text == place && !line.inside) {
      line.column = column;
      line.placed = true;
    }
  }

  // Replaces a gap with `text` if it contains only white space within one line.
  void gap(std::uint32_t begin, std::uint32_t end, std::string_view text) {
    if (begin <= end && places_.text(begin, end).find_first_not_of(" \t") == std::string_view::npos) {
      lines_.edit(begin, end, std::string(text));
    }
  }

  // Returns the first position from `at` on that is neither white space nor in a comment.
  std::uint32_t skip(std::uint32_t at) const {
    while (at < part_.end) {
      const char c = text_[at];
      const std::size_t width = doc::break_length(text_, at);
      if (width == 0 && c == '#') {
        at = static_cast<std::uint32_t>(doc::find_line_end(text_, at));
      } else if (width > 0 || c == ' ' || c == '\t') {
        at += static_cast<std::uint32_t>(std::max<std::size_t>(width, 1));
      } else {
        break;
      }
    }
    return at;
  }

  bool is_at(std::uint32_t place, char c) const { return place < part_.end && text_[place] == c; }

  // SparseML converts a modifier's tag to a key before it reads the YAML. Fields below a tag on its own line must
  // therefore stay indented deeper than the tag.
  std::uint32_t step_below_tag(const Node& node) const {
    const bool alone = node.style == Style::block && !node.tag_span.empty() && starts_line(node.tag_span.begin);
    return alone && column_of(node.span.begin) > column_of(node.tag_span.begin) ? kStep : 0;
  }

  // --- blocks ---------------------------------------------------------------------------------------

  void visit_block(NodeId id, std::uint32_t column, std::uint32_t begin) {
    if (document_[id].kind == Kind::mapping) {
      visit_block_mapping(document_[id], column);
    } else {
      visit_block_sequence(document_[id], column, begin);
    }
  }

  void visit_block_mapping(const Node& node, std::uint32_t column) {
    for (std::size_t at = 0; at + 1 < node.items.size() && regular_; at += 2) {
      const NodeId key = node.items[at];
      const std::uint32_t begin = places_.begin_of(key);
      const std::uint32_t end = places_.end_of(key);
      const std::uint32_t colon = skip(end);
      const std::string_view before = places_.text(lines_.at(begin).text, begin);
      regular_ = is_at(colon, ':') && lines_.index_of(begin) == lines_.index_of(colon) && !is_missing(document_[key]) &&
                 (before.empty() || (at == 0 && before.find_first_not_of("- \t") == std::string_view::npos) ||
                  document_.root == id_of(node));
      place(begin, column);
      if (may_touch_colon(document_[key])) {
        gap(end, colon, "");
        unquote(document_[key]);
      }
      visit_value(node.items[at + 1], colon + 1, column, true, begin);
    }
  }

  NodeId id_of(const Node& node) const { return static_cast<NodeId>(&node - document_.nodes.data()); }

  void visit_block_sequence(const Node& node, std::uint32_t column, std::uint32_t begin) {
    std::uint32_t at = begin;
    for (const NodeId item : node.items) {
      const std::uint32_t dash = skip(at);
      regular_ = regular_ && is_at(dash, '-');
      if (!regular_) {
        return;
      }
      place(dash, column);
      visit_value(item, dash + 1, column, false, dash);
      at = std::max(places_.end_of(item), dash + 1);
    }
  }

  // Lays out a value after its `:` or `-`, which ends at `after`. `column` is the column of its key or dash, `owner`
  // the position of that.
  void visit_value(NodeId id, std::uint32_t after, std::uint32_t column, bool of_key, std::uint32_t owner) {
    if (is_missing(document_[id])) {
      return;
    }
    const Node& node = document_[id];
    const bool list = node.kind == Kind::sequence && node.style == Style::block;
    const std::uint32_t inner = column + (list && of_key ? list_step_ : kStep);
    std::uint32_t before = after;
    for (const Span property : properties_of(node)) {
      gap(before, property.begin, " ");
      place(property.begin, column + kStep);
      before = property.end;
    }
    if (node.span.empty() && node.kind == Kind::scalar) {
      return;
    }
    gap(before, node.span.begin, " ");
    const std::uint32_t content = inner + step_below_tag(node);
    place(node.span.begin, content);
    visit_content(id, content, column, owner);
  }

  void visit_content(NodeId id, std::uint32_t inner, std::uint32_t column, std::uint32_t owner) {
    const Node& node = document_[id];
    if (node.kind == Kind::scalar) {
      visit_scalar(node, column, owner);
    } else if (node.kind != Kind::alias && node.style == Style::flow) {
      visit_brackets(node);
    } else if (node.kind != Kind::alias) {
      visit_block(id, inner, node.span.begin);
    }
  }

  // --- scalars --------------------------------------------------------------------------------------

  void visit_scalar(const Node& node, std::uint32_t column, std::uint32_t owner) {
    const bool block = node.style == Style::literal || node.style == Style::folded;
    const std::size_t first = lines_.index_of(node.span.begin);
    const std::size_t last = lines_.index_of(node.span.end == node.span.begin ? node.span.end : node.span.end - 1);
    for (std::size_t at = first + 1; at <= last; ++at) {
      follow(lines_[at], owner, block ? 0 : column + 1, block || at < last);
    }
    if (first < last && !block) {
      lines_[first].keeps_tail = true;
    }
    if (block) {
      protect_end(node, last + 1, owner);
    } else if (first == last) {
      unquote(node);
    }
  }

  static void follow(Line& line, std::uint32_t place, std::uint32_t min_column, bool keeps_tail) {
    line.follows = place;
    line.min_column = min_column;
    line.inside = line.placed = true;
    line.keeps_tail = keeps_tail;
  }

  // Blank lines after a block scalar are content if it keeps its end (`|+`) or if they are indented into it.
  void protect_end(const Node& node, std::size_t begin, std::uint32_t owner) {
    std::size_t end = begin;
    while (end < lines_.size() && lines_[end].is_blank()) {
      ++end;
    }
    const std::uint32_t indentation = indentation_of(node, owner);
    bool content = header_of(node).find('+') != std::string_view::npos;
    for (std::size_t at = begin; at < end; ++at) {
      content = content || lines_[at].old_column() > std::min(indentation, lines_[at].spaces);
    }
    for (std::size_t at = begin; at < end && content; ++at) {
      follow(lines_[at], owner, 0, true);
    }
  }

  // Returns the header of a block scalar: "|", ">2-".
  std::string_view header_of(const Node& node) const {
    const std::string_view line = places_.text(node.span.begin, lines_.at(node.span.begin).end);
    return line.substr(0, line.find_first_not_of("|>+-0123456789"));
  }

  // Returns the column of a block scalar's content, from its header or from its first line. A scalar without content
  // does not protect the blank lines after it.
  std::uint32_t indentation_of(const Node& node, std::uint32_t owner) const {
    const std::string_view header = header_of(node);
    if (const std::size_t digit = header.find_first_of("123456789"); digit != std::string_view::npos) {
      return column_of(owner) + static_cast<std::uint32_t>(header[digit] - '0');
    }
    std::size_t at = lines_.index_of(node.span.begin) + 1;
    while (at < lines_.size() && lines_[at].begin + lines_[at].spaces == lines_[at].end) {
      ++at;
    }
    return at < lines_.size() ? lines_[at].spaces : UINT32_MAX;
  }

  // Removes quotes if PyYAML reads the unquoted word as the same string. Patterns keep their quotes for readability.
  void unquote(const Node& node) {
    const bool quoted = node.style == Style::single_quoted || node.style == Style::double_quoted;
    if (quoted && node.tag_span.empty() && !is_json() && is_word(node.text)) {
      lines_.edit(node.span.begin, node.span.end, std::string(node.text));
    }
  }

  bool is_json() const { return document_[document_.root].style == Style::flow; }

  // --- brackets -------------------------------------------------------------------------------------

  void visit_brackets(const Node& node) {
    const char open = text_[node.span.begin];
    const std::uint32_t end = node.span.end - 1;
    if ((open != '[' && open != '{') || node.span.end < node.span.begin + 2) {
      return;  // a pair within a list, which is written without brackets
    }
    follow_bracket(node);
    std::uint32_t at = node.span.begin + 1;
    const std::size_t step = node.kind == Kind::mapping ? 2 : 1;
    for (std::size_t item = 0; item < node.items.size(); item += step) {
      const std::uint32_t begin = places_.begin_of(node.items[item]);
      gap(at, begin, item == 0 ? "" : " ");
      visit_within(node.items[item]);
      at = places_.end_of(node.items[item]);
      if (node.kind == Kind::mapping) {
        at = visit_pair(node.items[item], node.items[item + 1], at);
      }
      const std::uint32_t next = skip(at);  // the comma or the closing bracket
      gap(at, next, at < next && ends_with_property(last_of(node, item)) ? " " : "");
      if (!is_at(next, ',')) {
        return;
      }
      at = next + 1;
    }
    gap(at, end, "");
  }

  // Returns the last node of an entry in brackets: its value, or its key without a value.
  const Node& last_of(const Node& node, std::size_t item) const {
    const bool pair = node.kind == Kind::mapping && !is_missing(document_[node.items[item + 1]]);
    return document_[node.items[item + (pair ? 1 : 0)]];
  }

  // Returns the end of a value in braces, or of its key if the value is absent.
  std::uint32_t visit_pair(NodeId key, NodeId value, std::uint32_t end) {
    const std::uint32_t colon = skip(end);
    if (!is_at(colon, ':')) {
      return end;
    }
    if (may_touch_colon(document_[key])) {
      gap(end, colon, "");
    }
    if (is_missing(document_[value])) {
      return colon + 1;
    }
    gap(colon + 1, places_.begin_of(value), " ");
    visit_within(value);
    return places_.end_of(value);
  }

  void visit_within(NodeId id) {
    const Node& node = document_[id];
    const std::vector<Span> properties = properties_of(node);
    for (std::size_t at = 0; at + 1 < properties.size(); ++at) {
      gap(properties[at].end, properties[at + 1].begin, " ");
    }
    if (node.kind == Kind::scalar && node.span.empty()) {
      return;
    }
    if (!properties.empty()) {
      gap(properties.back().end, node.span.begin, " ");
    }
    if (node.kind == Kind::scalar) {
      visit_scalar(node, 0, places_.begin_of(id));
    } else if (node.kind != Kind::alias) {
      visit_brackets(node);
    }
  }

  // Lines aligned with the text after the opening bracket move with that text; others move with the bracket's line.
  void follow_bracket(const Node& node) {
    const std::size_t first = lines_.index_of(node.span.begin);
    const std::size_t last = lines_.index_of(node.span.end - 1);
    for (std::size_t at = first + 1; at <= last; ++at) {
      const bool below = lines_[at].old_column() > column_of(node.span.begin);
      lines_[at].follows = below ? node.span.begin : lines_[first].text;
      lines_[at].placed = true;
    }
  }

  std::string_view text_;
  Span part_;
  const Document& document_;
  doc::Places places_;
  Lines lines_;
  std::uint32_t list_step_ = kStep;
  bool regular_ = true;
};

std::vector<Edit> lay_out(const source::SourceFile& file, Span part, const Document& document) {
  return Layout(file.text(), part, document).run();
}

}  // namespace sparsecfg::format
