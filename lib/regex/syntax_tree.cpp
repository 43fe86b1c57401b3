#include <utility>

#include "base/text.h"
#include "regex/escape.h"
#include "regex/flags.h"
#include "regex/pattern.h"
#include "regex/scanner.h"
#include "regex/syntax_tree.h"

namespace sparsecfg::regex {

namespace {

// Parses a pattern that is known to be valid. The scanner fails only at non-regular constructs.
class Parser {
 public:
  explicit Parser(std::string_view pattern) : scanner_(pattern) {}

  std::variant<Node, Unsupported> run() {
    Node node = alternatives({});
    if (scanner_.error()) {
      return Unsupported{scanner_.error()->message};
    }
    return node;
  }

 private:
  Node alternatives(Flags flags);
  Node sequence(Flags& flags);
  void item(std::vector<Node>& items, Flags& flags);
  void set(std::vector<Node>& items, const SetText& text, const Flags& flags);
  void character(std::vector<Node>& items, char32_t character, const Flags& flags);
  void escape(std::vector<Node>& items, std::string_view token, const Flags& flags);
  void repeat(std::vector<Node>& items, std::string_view token, const Flags& flags);
  void group(std::vector<Node>& items, Flags& flags);
  void extension(std::vector<Node>& items, Flags& flags);
  void python_extension(std::vector<Node>& items, const Flags& flags);
  void change_flags(std::vector<Node>& items, Flags& flags, std::string_view token);
  void enclosed(std::vector<Node>& items, const Flags& flags);
  void comment();

  void give_up(std::string reason) { scanner_.fail(std::move(reason), scanner_.offset()); }

  Scanner scanner_;
};

Node with_letters(CharSet letters) { return {Node::Kind::letters, std::move(letters), {}, {}, {}}; }

Node with_position(Position::Kind kind, bool ascii) { return {Node::Kind::position, {}, {kind, ascii}, {}, {}}; }

Node Parser::alternatives(Flags flags) {
  Node node{Node::Kind::either, {}, {}, {}, {}};
  do {
    node.parts.push_back(sequence(flags));
  } while (scanner_.take_if("|"));
  return node;
}

// Flags of the whole pattern, set at its start, also apply to later alternatives.
Node Parser::sequence(Flags& flags) {
  Node node;
  while (!scanner_.at_end() && scanner_.peek() != "|" && scanner_.peek() != ")") {
    if (!flags.verbose || !scanner_.take_blank()) {
      item(node.parts, flags);
    }
  }
  return node;
}

void Parser::item(std::vector<Node>& items, Flags& flags) {
  const std::string_view token = scanner_.take();
  switch (token.front()) {
    case '\\': return escape(items, token, flags);
    case '[': return set(items, read_set(scanner_), flags);
    case '(': return group(items, flags);
    case '^': items.push_back(with_position(Position::Kind::start, false)); return;
    case '$': items.push_back(with_position(Position::Kind::end, false)); return;
    case '.': items.push_back(with_letters(CharSet::any())); return;
    case '*':
    case '+':
    case '?':
    case '{': return repeat(items, token, flags);
    default: std::size_t at = 0; return character(items, base::next_code_point(token, at), flags);
  }
}

void Parser::set(std::vector<Node>& items, const SetText& text, const Flags& flags) {
  if (!foldable(text, flags)) {
    give_up("it ignores case for non-ASCII characters");
  }
  items.push_back(with_letters(CharSet::of(text, flags)));
}

void Parser::character(std::vector<Node>& items, char32_t character, const Flags& flags) {
  set(items, {false, {{character, character, 0}}}, flags);
}

Position::Kind position_of(char32_t letter) {
  switch (letter) {
    case 'A': return Position::Kind::start;
    case 'b': return Position::Kind::boundary;
    case 'B': return Position::Kind::no_boundary;
    default: return Position::Kind::end;
  }
}

void Parser::escape(std::vector<Node>& items, std::string_view token, const Flags& flags) {
  const Escape escape = read_escape(scanner_, token);
  switch (escape.kind) {
    case Escape::Kind::character: return character(items, escape.value, flags);
    case Escape::Kind::category: return set(items, {false, {{0, 0, static_cast<char>(escape.value)}}}, flags);
    case Escape::Kind::position: items.push_back(with_position(position_of(escape.value), flags.ascii)); return;
    case Escape::Kind::group: return give_up("it references a group");
  }
}

void Parser::repeat(std::vector<Node>& items, std::string_view token, const Flags& flags) {
  const std::optional<Width> count = read_count(scanner_, token);
  if (!count) {
    return character(items, U'{', flags);
  }
  if (scanner_.take_if("+")) {
    return give_up("it contains a possessive repeat");
  }
  scanner_.take_if("?");
  Node node{Node::Kind::repeat, {}, {}, *count, {}};
  node.parts.push_back(std::move(items.back()));
  items.back() = std::move(node);
}

void Parser::enclosed(std::vector<Node>& items, const Flags& flags) {
  items.push_back(alternatives(flags));
  scanner_.take_if(")");
}

void Parser::group(std::vector<Node>& items, Flags& flags) {
  if (scanner_.take_if("?")) {
    extension(items, flags);
  } else {
    enclosed(items, flags);
  }
}

void Parser::extension(std::vector<Node>& items, Flags& flags) {
  const std::string_view token = scanner_.take();
  switch (token.front()) {
    case ':': return enclosed(items, flags);
    case 'P': return python_extension(items, flags);
    case '#': return comment();
    case '>': return give_up("it contains an atomic group");
    case '(': return give_up("it contains a condition on a group");
    case '=':
    case '!':
    case '<': return give_up("it contains look-around");
    default: return change_flags(items, flags, token);
  }
}

void Parser::python_extension(std::vector<Node>& items, const Flags& flags) {
  if (scanner_.take() == "=") {
    return give_up("it references a group");
  }
  scanner_.take_until(">", "group name");
  enclosed(items, flags);
}

void Parser::change_flags(std::vector<Node>& items, Flags& flags, std::string_view token) {
  const std::optional<FlagChange> change = read_flag_change(scanner_, token);
  if (change && change->global) {
    flags = changed(flags, *change);
  } else if (change) {
    enclosed(items, changed(flags, *change));
  }
}

void Parser::comment() {
  while (!scanner_.at_end() && scanner_.take() != ")") {
  }
}

}  // namespace

std::variant<Node, Unsupported> parse(std::string_view python_pattern) {
  const auto translation = translate(python_pattern);
  if (const auto* error = std::get_if<SyntaxError>(&translation)) {
    return Unsupported{error->message};
  }
  return Parser(python_pattern).run();
}

}  // namespace sparsecfg::regex
