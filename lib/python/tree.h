#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "python/value.h"
#include "source/span.h"

namespace sparsecfg::python {

// A node of an expression.
struct Node {
  enum class Kind : std::uint8_t {
    number,
    name,
    constant,  // True, False, None, `...`
    string,    // text: the value after unescaping; parts: the literals, if there are several
    bytes,
    format,  // an f-string; parts: strings and holes
    hole,    // of an f-string; text: what follows the expression, such as `!r` or `:.2f`
    binary,
    unary,        // - + ~ not
    comparison,   // a chain is left-nested: the parts of (a < b) < c
    logical,      // and, or
    conditional,  // parts: value, condition, other value
    attribute,    // attribute of its only part
    subscript,    // parts: object, indices
    slice,
    call,     // of a name
    call_of,  // of another expression, which is the first part
    tuple,
    list,
    set,
    dictionary,     // parts: key, value, key, value ...; the key of `**mapping` is a spread without parts
    spread,         // `*` before a value
    comprehension,  // the only part of a list, set, dictionary or call
    other,          // operators on bits, lambda, await, yield, `:=`; `text` names the construct
  };
  // True if Python accepts `=` after it; after a list only for plain assignment.
  enum class Target : std::uint8_t { no, single, list };

  Kind kind = Kind::other;
  Target target = Target::no;
  std::uint32_t offset = 0;  // where a message points: an operator, else the begin
  source::Span span;         // the whole expression, with parentheses around it
  source::Span content;      // of one string literal: between its quotes
  std::string text;          // the literal, name, operator or function, or a description
  std::vector<Node> parts;
  std::vector<std::string> keywords;  // names of the last arguments of a call; `**` for a mapping
  std::vector<source::Span> keyword_spans;
  std::size_t height = 1;
};

// A statement of a script. Names in comments are members.
struct Statement {
  enum class Kind : std::uint8_t {
    expression,   // value
    assignment,   // targets: of `a = b = 1` both; value
    augmented,    // targets, text: `+=`, value
    import,       // names
    import_from,  // text: module, with its leading points; names
    conditional,  // value: condition; body, otherwise
    loop,         // `for`: targets, value; `while`: only value; body, otherwise
    function,     // text: name; names: parameters; decorators; body
    type,         // `class`, like a function
    block,        // `with` and `try`: value: the first item of `with`, targets: its names; body
    result,       // `return` value
    deletion,     // targets
    other,        // `pass` and others; text: the keyword
    skipped,      // could not be parsed
  };

  struct Name {
    std::string text;   // name or dotted name; `*`
    std::string alias;  // after `as`; of a parameter, `=` if it has a default
    source::Span span;
  };

  Kind kind = Kind::skipped;
  std::uint32_t offset = 0;  // where a message points
  std::int32_t indent = 0;   // of its line
  source::Span span;
  std::string text;
  Node value;  // of kind `other` without text if it is absent
  std::vector<Node> targets;
  std::vector<Name> names;
  std::vector<Node> decorators;
  std::vector<Statement> body;
  std::vector<Statement> otherwise;
};

// A script, as far as it could be parsed.
struct Script {
  std::vector<Statement> statements;
  std::vector<source::Span> comments;
  bool misindented = false;  // true if Python refuses the script for its indentation
  source::Span too_deep;     // an expression that is nested too deeply to be parsed, or empty
};

// Returns the name of a node for messages: "unary `-`", "a tuple".
[[nodiscard]] std::string describe(const Node& node);

// Parses a Python text after strip() and returns its first statement; the others must be valid. A statement other than
// an expression becomes a node of kind `other`. Statements with a body are unsupported: the message is the keyword.
[[nodiscard]] std::variant<Node, ExpressionError> parse(std::string_view text);

// Parses text that must be one expression, as Python's eval() requires.
[[nodiscard]] std::variant<Node, ExpressionError> parse_expression(std::string_view text);

// Parses a script. Statements that are not valid Python are skipped.
[[nodiscard]] Script parse_script(std::string_view text);
// Parses a part of a file, such as a block in Markdown. Spans refer to the whole file.
[[nodiscard]] Script parse_script(std::string_view text, source::Span part);

}  // namespace sparsecfg::python
