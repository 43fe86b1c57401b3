#include <fmt/core.h>

#include <algorithm>
#include <initializer_list>
#include <map>
#include <set>

#include "doc/python_literals.h"
#include "doc/readers.h"
#include "doc/yaml_parts.h"

namespace sparsecfg::doc {

using source::Span;

// Finds the assignments of a script and the lists in them.
class PythonParser : PythonLiterals {
 public:
  PythonParser(const source::SourceFile& file, const Limits& limits, diag::Sink& sink)
      : PythonLiterals(file, limits, sink) {}

  std::optional<Document> run() {
    Node root = make_collection(Kind::mapping, {0, static_cast<std::uint32_t>(file_.text().size())}, kScriptTag);
    while (!at(Token::Kind::end) && !failed_) {
      read_statement(root);
    }
    out_.root = add(std::move(root));
    return failed_ ? std::nullopt : std::optional(std::move(out_));
  }

 private:
  static bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
    return std::ranges::find(words, word) != words.end();
  }

  // Each function has its own names, and so does the code outside functions.
  void enter_scope() {
    if (token().first) {
      const bool opens = at(Token::Kind::name) && is_one_of(text(token()), {"def", "class", "async"});
      top_ = !opens;
      scope_ = opens ? ++scopes_ : 0;
    } else if (at_line_begin_) {
      top_ = false;
    }
    at_line_begin_ = false;
  }

  void read_statement(Node& root) {
    enter_scope();
    if (opens_block()) {
      skip_header();
      return;
    }
    const std::vector<Token> names = read_targets();
    if (names.empty()) {
      note_change();
      skip_statement();
    } else {
      read_values(root, names);
    }
  }

  bool opens_block() const {
    return at(Token::Kind::name) && is_one_of(text(token()), {"if", "elif", "else", "for", "while", "with", "try",
                                                              "except", "finally", "def", "class", "async"});
  }

  // Skips past the colon, after which a statement may follow on the same line.
  void skip_header() {
    int depth = 0;
    while (!at(Token::Kind::line_end) && !at(Token::Kind::end) && (depth > 0 || !at_mark(':'))) {
      depth += at_mark('(') || at_mark('[') || at_mark('{') ? 1 : 0;
      depth -= at_mark(')') || at_mark(']') || at_mark('}') ? 1 : 0;
      next();
    }
    end_statement();
  }

  void skip_statement() {
    while (!at(Token::Kind::line_end) && !at(Token::Kind::end) && !at_mark(';')) {
      next();
    }
    end_statement();
  }

  void end_statement() {
    at_line_begin_ |= at(Token::Kind::line_end);
    next();
  }

  // Reads the target names of an assignment and advances past its last `=`. For `a = b = [...]` returns the last name,
  // for `a, b = 1, 2` both. Returns an empty list, without advancing, if the statement does not assign to names.
  std::vector<Token> read_targets() {
    std::vector<Token> names;
    std::size_t ahead = 0;
    while (true) {
      std::vector<Token> found;
      const std::size_t end = find_targets(ahead, found);
      if (end == 0) {
        break;
      }
      names = std::move(found);
      ahead = end;
    }
    at_ += ahead;
    return names;
  }

  // Returns the position after the `=` that ends the targets, or 0.
  std::size_t find_targets(std::size_t ahead, std::vector<Token>& names) const {
    int depth = 0;
    while (true) {
      depth += at_mark('(', ahead) ? 1 : 0;
      if (at_mark('(', ahead)) {
        ++ahead;
        continue;
      }
      if (token(ahead).kind != Token::Kind::name) {
        return 0;
      }
      names.push_back(token(ahead++));
      for (; at_mark(')', ahead) && depth > 0; ++ahead) --depth;
      if (!at_mark(',', ahead)) {
        break;
      }
      ++ahead;
    }
    ahead = names.size() == 1 && at_mark(':', ahead) ? behind_annotation(ahead) : ahead;
    return depth == 0 && at_mark('=', ahead) && !at_mark('=', ahead + 1) ? ahead + 1 : 0;
  }

  std::size_t behind_annotation(std::size_t ahead) const {
    while (!at_mark('=', ahead) && token(ahead).kind != Token::Kind::line_end &&
           token(ahead).kind != Token::Kind::end) {
      ++ahead;
    }
    return ahead;
  }

  // Reads one value for each name. If the counts differ, the values are treated as an unknown expression.
  void read_values(Node& root, const std::vector<Token>& names) {
    std::vector<NodeId> values = {read_value(0)};
    while (names.size() > 1 && at_mark(',') && values.size() < names.size() && !failed_) {
      next();
      values.push_back(read_value(0));
    }
    if (failed_) {
      return;
    }
    const bool whole = at(Token::Kind::line_end) || at(Token::Kind::end) || at_mark(';');
    if (values.size() == names.size() && whole) {
      for (std::size_t place = 0; place < names.size(); ++place) assign(root, names[place], values[place]);
    }
    skip_statement();
  }

  bool is_list(NodeId id) const {
    const Node& node = out_[id];
    return node.kind == Kind::sequence && node.tag.empty() &&
           std::ranges::any_of(node.items, [&](NodeId item) { return out_[item].kind == Kind::mapping; });
  }

  void assign(Node& root, const Token& name, NodeId value) {
    const std::pair key{scope_, text(name)};
    const auto known = assigned_.find(key);
    const bool replaces = known != assigned_.end() && lists_.contains(known->second);
    if (replaces) {
      add_change(known->second, name.span);
    }
    if (!is_list(value)) {
      assign_top(root, key, name, value, replaces);
      return;
    }
    const bool is_new = names_.insert(text(name)).second && known == assigned_.end();
    Node entry = make_scalar(name.span, Style::double_quoted, {},
                             is_new ? text(name) : keep(fmt::format("{}:{}", text(name), line_of(name.span))));
    const NodeId place = add(std::move(entry));
    root.items.push_back(place);
    root.items.push_back(value);
    assigned_[key] = place;
    lists_.insert(place);
  }

  // Literals other than lists count only at the top level, and only the last one of a name.
  void assign_top(Node& root, const std::pair<std::size_t, std::string_view>& key, const Token& name, NodeId value,
                  bool replaces) {
    if (!top_ || replaces) {
      return;
    }
    const auto known = assigned_.find(key);
    if (known == assigned_.end() && names_.insert(text(name)).second) {
      assigned_[key] = add(make_scalar(name.span, Style::double_quoted, {}, text(name)));
      root.items.push_back(assigned_[key]);
      root.items.push_back(value);
    } else if (known != assigned_.end()) {
      *(std::ranges::find(root.items, known->second) + 1) = value;
    }
  }

  std::size_t line_of(Span span) const {
    return static_cast<std::size_t>(std::ranges::count(file_.text().substr(0, span.begin), '\n')) + 1;
  }

  void add_change(NodeId list, Span span) { add(make_scalar(span, Style::double_quoted, kChangeTag, out_[list].text)); }

  // Detects `a.append(x)`, `a += x`, `a[0]['x'] = y`, `a[0].update(x)`, `del a[0]`.
  void note_change() {
    const std::size_t name = at(Token::Kind::name) && text(token()) == "del" ? 1 : 0;
    if (token(name).kind != Token::Kind::name) {
      return;
    }
    const auto list = assigned_.find({scope_, text(token(name))});
    if (list == assigned_.end() || !lists_.contains(list->second)) {
      return;
    }
    std::size_t ahead = name + 1;
    for (; at_mark('[', ahead); ahead = behind_bracket(ahead)) {
    }
    const bool indexed = ahead > name + 1;
    const bool called = at_mark('.', ahead) && at_mark('(', ahead + 2) &&
                        is_one_of(text(token(ahead + 1)), {"append", "extend", "insert", "pop", "remove", "clear",
                                                           "update", "setdefault", "popitem", "reverse", "sort"});
    const bool set = (indexed && at_mark('=', ahead) && !at_mark('=', ahead + 1)) ||
                     ((at_mark('+', ahead) || at_mark('*', ahead) || at_mark('|', ahead)) && at_mark('=', ahead + 1));
    if (called || set || (name == 1 && indexed)) {
      std::size_t last = ahead;
      while (token(last + 1).kind != Token::Kind::line_end && token(last + 1).kind != Token::Kind::end) ++last;
      add_change(list->second, {token().span.begin, token(last).span.end});
    }
  }

  std::size_t behind_bracket(std::size_t ahead) const {
    int depth = 0;
    do {
      depth += at_mark('[', ahead) ? 1 : at_mark(']', ahead) ? -1 : 0;
      ++ahead;
    } while (depth > 0 && token(ahead).kind != Token::Kind::line_end && token(ahead).kind != Token::Kind::end);
    return ahead;
  }

  std::map<std::pair<std::size_t, std::string_view>, NodeId> assigned_;  // by scope and name: the key in the root
  std::set<NodeId> lists_;                                               // keys of lists
  std::set<std::string_view> names_;                                     // keys without a line number
  std::size_t scope_ = 0;                                                // 0: outside functions and classes
  std::size_t scopes_ = 0;
  bool top_ = true;  // true if the line is not indented
  bool at_line_begin_ = true;
};

std::optional<Document> read_python(const source::SourceFile& file, const Limits& limits, diag::Sink& sink) {
  const Span whole{0, static_cast<std::uint32_t>(file.text().size())};
  if (!check_text(file, whole, limits, sink)) {
    return std::nullopt;
  }
  return PythonParser(file, limits, sink).run();
}

}  // namespace sparsecfg::doc
