#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "base/number.h"
#include "doc/readers.h"
#include "doc/yaml_parts.h"
#include "python/numbers.h"
#include "python/tree.h"

namespace sparsecfg::doc {

using python::Statement;
using source::Span;

constexpr std::string_view kIntTag = "tag:yaml.org,2002:int";
constexpr std::string_view kFloatTag = "tag:yaml.org,2002:float";

static Node make_scalar(Span span, Style style, std::string_view tag, std::string_view text) {
  Node node;
  node.span = span;
  node.style = style;
  node.tag = tag;
  node.text = text;
  return node;
}

static Node make_collection(Kind kind, Span span, std::string_view tag) {
  Node node;
  node.kind = kind;
  node.style = Style::flow;
  node.span = span;
  node.tag = tag;
  return node;
}

// Converts literals of a script to nodes.
class PythonLiterals {
 public:
  PythonLiterals(const source::SourceFile& file, const Limits& limits, diag::Sink& sink)
      : file_(file), limits_(limits), sink_(sink) {}

  // Any expression that is not a literal becomes a scalar with kNotLiteralTag.
  NodeId value_of(const python::Node& node);

 protected:
  NodeId add(Node node);
  void fail(Span span, const std::string& what);

  std::string_view keep(std::string value) { return out_.owned.emplace_back(std::move(value)); }

  const source::SourceFile& file_;
  const Limits& limits_;
  diag::Sink& sink_;
  Document out_;
  bool failed_ = false;

 private:
  NodeId expression(Span span) {
    return add(make_scalar(span, Style::double_quoted, kNotLiteralTag, file_.text(span)));
  }

  // Returns the value as a view of the script if it occurs there verbatim, else stores it.
  std::string_view text_of(Span span, std::string value);
  NodeId text(const python::Node& node);
  NodeId number(const python::Node& literal, Span span, bool negative);
  NodeId sequence(const python::Node& node, std::string_view tag);
  NodeId mapping(const python::Node& node);
};

NodeId PythonLiterals::add(Node node) {
  if (out_.nodes.size() >= limits_.nodes) {
    fail(node.span, fmt::format("the literals have more than {} nodes", limits_.nodes));
  }
  out_.nodes.push_back(std::move(node));
  return static_cast<NodeId>(out_.nodes.size() - 1);
}

void PythonLiterals::fail(Span span, const std::string& what) {
  if (!failed_) {
    sink_.report(diag::limits_exceeded, span, what);
  }
  failed_ = true;
}

NodeId PythonLiterals::value_of(const python::Node& node) {
  using Form = python::Node::Kind;
  switch (node.kind) {
    case Form::constant:
      return node.text == "..." ? expression(node.span)
                                : add(make_scalar(node.span, Style::plain, {},
                                                  node.text == "True"    ? "true"
                                                  : node.text == "False" ? "false"
                                                                         : "null"));
    case Form::string: return text(node);
    case Form::number: return number(node, node.span, false);
    case Form::unary:
      if (node.parts.front().kind == Form::number && (node.text == "-" || node.text == "+")) {
        return number(node.parts.front(), node.span, node.text == "-");
      }
      return expression(node.span);
    case Form::list: return sequence(node, {});
    case Form::tuple:
    case Form::set: return sequence(node, kTupleTag);
    case Form::dictionary: return mapping(node);
    default: return expression(node.span);
  }
}

std::string_view PythonLiterals::text_of(Span span, std::string value) {
  const std::string_view written = file_.text(span);
  if (written == value) {
    return written;
  }
  const std::string_view within = written.size() < 2 ? written : written.substr(1, written.size() - 2);
  return within == value ? within : keep(std::move(value));
}

NodeId PythonLiterals::text(const python::Node& node) {
  if (node.text.size() > limits_.scalar_bytes) {
    fail(node.span, fmt::format("the string is longer than {} bytes", limits_.scalar_bytes));
  }
  const Span span = node.parts.empty() ? node.span : Span{node.parts.front().span.begin, node.parts.back().span.end};
  return add(make_scalar(span, Style::double_quoted, {}, text_of(span, node.text)));
}

NodeId PythonLiterals::number(const python::Node& literal, Span span, bool negative) {
  const std::string sign = negative ? "-" : "";
  const bool based = literal.text.find_first_of("xXoObB") == 1;
  if (based || literal.text.find_first_not_of("0123456789_") == std::string::npos) {
    const auto integer = python::integer_value(literal.text);
    return !integer ? expression(span)
                    : add(make_scalar(span, Style::plain, kIntTag,
                                      text_of(span, sign + source::python_str({integer->value(), {}}))));
  }
  std::string digits = literal.text;
  std::erase(digits, '_');
  const auto value = base::python_float(digits);
  return !value ? expression(span)
                : add(make_scalar(span, Style::plain, kFloatTag, text_of(span, sign + base::python_repr(*value))));
}

NodeId PythonLiterals::sequence(const python::Node& node, std::string_view tag) {
  Node out = make_collection(Kind::sequence, node.span, tag);
  for (const python::Node& part : node.parts) {
    if (failed_) break;
    out.items.push_back(value_of(part));
  }
  return add(std::move(out));
}

// A dictionary into which another one is spread is not known.
NodeId PythonLiterals::mapping(const python::Node& node) {
  const bool plain = std::ranges::none_of(node.parts, [](const python::Node& part) {
    return part.kind == python::Node::Kind::spread || part.kind == python::Node::Kind::comprehension;
  });
  if (!plain) {
    return expression(node.span);
  }
  Node out = make_collection(Kind::mapping, node.span, {});
  for (const python::Node& part : node.parts) {
    if (failed_) break;
    out.items.push_back(value_of(part));
  }
  return add(std::move(out));
}

// Finds the assignments of a script and the lists in them.
class PythonReader : PythonLiterals {
 public:
  using PythonLiterals::PythonLiterals;

  std::optional<Document> run(const python::Script& script) {
    if (!script.too_deep.empty()) {
      fail(script.too_deep, "the expression is nested too deeply");
      return std::nullopt;
    }
    if (!script.too_long.empty()) {
      fail(script.too_long, "the script is too long");
      return std::nullopt;
    }
    root_ = make_collection(Kind::mapping, {0, static_cast<std::uint32_t>(file_.text().size())}, kScriptTag);
    read(script.statements, true);
    for (const Span comment : script.comments) out_.comments.push_back({comment});
    out_.root = add(std::move(root_));
    return failed_ ? std::nullopt : std::optional(std::move(out_));
  }

 private:
  // Each function at the top level has its own names, and so does the code outside functions.
  void read(const std::vector<Statement>& statements, bool top) {
    for (const Statement& statement : statements) {
      const bool opens = (statement.kind == Statement::Kind::function || statement.kind == Statement::Kind::type) &&
                         statement.indent == 0;
      scope_ = opens ? ++scopes_ : statement.indent == 0 ? 0 : scope_;
      read(statement, top);
      read_body(statement);
    }
  }

  // Only one branch runs, so assignments in the second branch do not change values of the first.
  void read_body(const Statement& statement) {
    const bool branches = statement.kind == Statement::Kind::conditional && !statement.otherwise.empty();
    const std::size_t mark = undo_.size();
    tracked_ += branches ? 1 : 0;
    read(statement.body, false);
    const auto first = branches ? undo(mark) : Assigned();
    read(statement.otherwise, false);
    for (const auto& [key, place] : first) {
      if (assigned_.try_emplace(key, place).second) undo_.emplace_back(key, std::nullopt);
    }
    tracked_ -= branches ? 1 : 0;
    if (tracked_ == 0) undo_.clear();
    read(statement.clauses, false);
    read(statement.last, false);
  }

  void read(const Statement& statement, bool top) {
    if (failed_) {
      return;
    }
    read_argument(statement.value, top);
    for (const python::Node& value : statement.values) read_argument(value, top);
    if (calls_group_ids(statement.value)) {
      return;
    }
    if (statement.kind == Statement::Kind::assignment && is_name_list(statement.targets.back())) {
      read_values(statement.targets.back(), statement.value, top);
    } else {
      note_change(statement);
    }
  }

  // NNI's idiom `config_list = auto_set_denpendency_group_ids(model, config_list, input)` adds keys to the list.
  static bool calls_group_ids(const python::Node& value) {
    constexpr std::string_view kFunction = "auto_set_denpendency_group_ids";
    return value.text == kFunction ||
           (value.kind == python::Node::Kind::call_of && value.parts.front().text == kFunction);
  }

  // Reads a list that is written in the call of a compressor: `LevelPruner(model, config_list=[...])`.
  void read_argument(const python::Node& value, bool top) {
    const bool call = value.kind == python::Node::Kind::call || value.kind == python::Node::Kind::call_of;
    const std::size_t positional = value.parts.size() - value.keywords.size();
    for (std::size_t at = 0; call && at < value.keywords.size() && !failed_; ++at) {
      const python::Node& argument = value.parts[positional + at];
      if (value.keywords[at] == "config_list" && argument.kind == python::Node::Kind::list) {
        python::Node name;
        name.span = value.keyword_spans[at];
        remove({scope_, file_.text(name.span)});
        assign(name, value_of(argument), top);
      }
    }
  }

  using Key = std::pair<std::size_t, std::string_view>;
  using Assigned = std::map<Key, NodeId>;

  static bool is_name(const python::Node& node) { return node.kind == python::Node::Kind::name; }

  static bool is_name_list(const python::Node& node) {
    return is_name(node) || (node.kind == python::Node::Kind::tuple && std::ranges::all_of(node.parts, is_name));
  }

  void read_values(const python::Node& target, const python::Node& value, bool top) {
    if (is_name(target)) {
      assign(target, value_of(value), top);
    } else if (value.kind == python::Node::Kind::tuple && value.parts.size() == target.parts.size()) {
      for (std::size_t at = 0; at < target.parts.size() && !failed_; ++at) {
        assign(target.parts[at], value_of(value.parts[at]), top);
      }
    }
  }

  bool is_list(NodeId id) const {
    const Node& node = out_[id];
    return node.kind == Kind::sequence && node.tag.empty() &&
           std::ranges::any_of(node.items, [&](NodeId item) { return out_[item].kind == Kind::mapping; });
  }

  void assign(const python::Node& name, NodeId value, bool top) {
    const std::string_view text = file_.text(name.span);
    const Key key{scope_, text};
    const auto known = assigned_.find(key);
    const bool replaces = known != assigned_.end() && lists_.contains(known->second);
    if (replaces) {
      add_change(known->second, name.span);
    }
    if (!is_list(value)) {
      assign_top(key, name.span, value, top && !replaces);
      return;
    }
    const bool is_new = names_.insert(text).second && known == assigned_.end();
    Node entry = make_scalar(name.span, Style::double_quoted, {},
                             is_new ? text : keep(fmt::format("{}:{}", text, line_of(name.span))));
    const NodeId place = add(std::move(entry));
    places_[place] = root_.items.size() + 1;
    root_.items.push_back(place);
    root_.items.push_back(value);
    set(key, place);
    lists_.insert(place);
  }

  // Literals other than lists count only at the top level, and only the last one of a name.
  void assign_top(const Key& key, Span name, NodeId value, bool counts) {
    if (!counts) {
      return;
    }
    const auto known = assigned_.find(key);
    if (known == assigned_.end() && names_.insert(key.second).second) {
      const NodeId place = add(make_scalar(name, Style::double_quoted, {}, key.second));
      set(key, place);
      places_[place] = root_.items.size() + 1;
      root_.items.push_back(place);
      root_.items.push_back(value);
    } else if (known != assigned_.end()) {
      root_.items[places_[known->second]] = value;
    }
  }

  std::size_t line_of(Span span) const { return file_.position(span.begin).line; }

  void add_change(NodeId list, Span span) { add(make_scalar(span, Style::double_quoted, kChangeTag, out_[list].text)); }

  // Detects `a.append(x)`, `a += x`, `a[0]['x'] = y`, `a[0].update(x)`, `del a[0]`.
  void note_change(const Statement& statement) {
    const python::Node* changed = changed_by(statement);
    const bool indexed = changed != nullptr && !is_name(*changed);
    while (changed != nullptr && changed->kind == python::Node::Kind::subscript) {
      changed = &changed->parts.front();
    }
    const bool whole = statement.kind == Statement::Kind::assignment || statement.kind == Statement::Kind::deletion;
    if (changed == nullptr || !is_name(*changed) || (whole && !indexed)) {
      return;
    }
    const auto list = assigned_.find({scope_, file_.text(changed->span)});
    if (list != assigned_.end() && lists_.contains(list->second)) {
      add_change(list->second, statement.span);
    }
  }

  static const python::Node* changed_by(const Statement& statement) {
    static constexpr std::array<std::string_view, 11> kChanging = {
        "append", "extend", "insert", "pop", "remove", "clear", "update", "setdefault", "popitem", "reverse", "sort"};
    if (!statement.targets.empty()) {
      const bool changes = statement.kind != Statement::Kind::augmented || statement.text == "+=" ||
                           statement.text == "*=" || statement.text == "|=";
      return changes ? &statement.targets.back() : nullptr;
    }
    const python::Node& value = statement.value;
    const bool method = statement.kind == Statement::Kind::expression && value.kind == python::Node::Kind::call_of &&
                        value.parts.front().kind == python::Node::Kind::attribute &&
                        std::ranges::find(kChanging, value.parts.front().text) != kChanging.end();
    return method ? &value.parts.front().parts.front() : nullptr;
  }

  void set(const Key& key, NodeId place) {
    const auto known = assigned_.find(key);
    if (tracked_ > 0) undo_.emplace_back(key, known == assigned_.end() ? std::nullopt : std::optional(known->second));
    assigned_[key] = place;
  }

  void remove(const Key& key) {
    const auto known = assigned_.find(key);
    if (known == assigned_.end()) return;
    if (tracked_ > 0) undo_.emplace_back(key, known->second);
    assigned_.erase(known);
  }

  // Reverts the assignments since `mark` and returns the values that they had made.
  Assigned undo(std::size_t mark) {
    Assigned after;
    for (std::size_t at = mark; at < undo_.size(); ++at) {
      const auto known = assigned_.find(undo_[at].first);
      if (known != assigned_.end()) after[known->first] = known->second;
    }
    for (; undo_.size() > mark; undo_.pop_back()) {
      const auto& [key, before] = undo_.back();
      if (before) {
        assigned_[key] = *before;
      } else {
        assigned_.erase(key);
      }
    }
    return after;
  }

  Node root_;
  Assigned assigned_;                                        // by scope and name: the key in the root
  std::vector<std::pair<Key, std::optional<NodeId>>> undo_;  // values before assignments in branches
  std::size_t tracked_ = 0;                                  // number of branches around the statement
  std::map<NodeId, std::size_t> places_;                     // of the values of keys in the root
  std::set<NodeId> lists_;                                   // keys of lists
  std::set<std::string_view> names_;                         // keys without a line number
  std::size_t scope_ = 0;                                    // 0: outside functions and classes
  std::size_t scopes_ = 0;
};

std::optional<Document> read_python(const source::SourceFile& file, const Limits& limits, diag::Sink& sink) {
  const Span whole{0, static_cast<std::uint32_t>(file.text().size())};
  if (!check_text(file, whole, limits, sink)) {
    return std::nullopt;
  }
  return PythonReader(file, limits, sink).run(python::parse_script(file.text()));
}

}  // namespace sparsecfg::doc
