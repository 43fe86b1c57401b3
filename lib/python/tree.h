#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/rare_list.h"
#include "python/value.h"
#include "source/source_file.h"
#include "source/span.h"

namespace sparsecfg::python {

struct Statement;

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
    comprehension,  // the only part of a list, set, dictionary or generator
    generator,      // a comprehension in parentheses, or as an argument of a call
    named,          // `name := value`; parts: name, value
    lambda,         // `function` has its parameters, and one `return` as its body
    await,
    yield,       // text: `yield` or `yield from`, with backticks; parts: nothing or one value
    membership,  // in, not in, is, is not; nested like a comparison
    bitwise,     // | ^ & << >> @
    other,       // not an expression: `text` names the construct, `span` covers it
  };
  // True if Python accepts `=` after it; after a list only for plain assignment.
  enum class Target : std::uint8_t { no, single, list };

  // A script of 1 MiB can have half a million nodes, so members that are usually empty take little memory.
  Kind kind = Kind::other;
  Target target = Target::no;
  std::uint16_t height = 1;
  std::uint32_t offset = 0;  // where a message points: an operator, else the begin
  source::Span span;         // the whole expression, with parentheses around it
  source::Span content;      // of one string literal: between its quotes
  std::string text;          // the literal, name, operator or function, or a description
  std::vector<Node> parts;
  base::RareList<std::string> keywords;  // names of the last arguments of a call; `**` for a mapping
  base::RareList<source::Span> keyword_spans;
  std::shared_ptr<const Statement> function;  // of a lambda
  // Of a comprehension: where in `parts` each `for` begins, after the element. Of a slice: 0, 1 or 2 for each part.
  base::RareList<std::uint32_t> places;
};

// A name and its alias.
struct Name {
  std::string text;   // name or dotted name; `*`
  std::string alias;  // after `as`
  source::Span span;
};

// A parameter of a function.
struct Parameter {
  enum class Form : std::uint8_t { positional, plain, rest, keyword, mapping };  // `rest`: *args, `mapping`: **kw
  std::string name;
  Form form = Form::plain;
  source::Span span;
  std::vector<Node> fallback;  // the default, if it has one
};

// A statement of a script. Names in comments are members.
struct Statement {
  enum class Kind : std::uint8_t {
    expression,   // value
    assignment,   // targets: of `a = b = 1` both; value; values: the annotation
    annotation,   // targets, values: the annotation
    augmented,    // targets, text: `+=`, value
    import,       // names
    import_from,  // text: module, with its leading points; names
    conditional,  // value: condition; body, otherwise
    loop,         // `for`: targets, value; `while`: only value; body, otherwise
    function,     // text: name; parameters, decorators, values: annotations; body
    type,         // `class`: text: name; targets: bases; values: keyword arguments; decorators, body
    with,         // values: the items; targets: their names, of kind `other` if they have none; body
    attempt,      // `try`: body; clauses: the handlers; otherwise, last
    handler,      // of `try`: value: type or empty; text: name or empty; body
    match,        // value; clauses: the cases
    match_case,   // of `match`: targets: the pattern; value: guard or empty; body
    result,       // `return` value
    raise,        // values
    assertion,    // values
    deletion,     // targets
    global,       // names
    nonlocal,     // names
    leave,        // text: `break` or `continue`
    pass,
    alias,    // `type`: text: name
    skipped,  // could not be parsed; body: deeper lines that follow
  };

  Kind kind = Kind::skipped;
  bool is_async = false;     // `async def`, `async for`, `async with`
  bool yields = false;       // of a function: a generator
  std::uint32_t offset = 0;  // where a message points
  std::int32_t indent = 0;   // of its line
  source::Span span;
  std::string text;
  Node value;  // of kind `other` without text if it is absent
  base::RareList<Node> values;
  base::RareList<Node> targets;
  base::RareList<Name> names;
  base::RareList<Parameter> parameters;
  base::RareList<Node> decorators;
  base::RareList<Statement> body;
  base::RareList<Statement> clauses;
  base::RareList<Statement> otherwise;
  base::RareList<Statement> last;
};

// Returns true for the place of an expression that is absent.
[[nodiscard]] inline bool is_absent(const Node& node) {
  return node.kind == Node::Kind::other && node.text.empty() && node.span.empty();
}

// A script, as far as it could be parsed.
struct Script {
  std::vector<Statement> statements;
  std::vector<source::Span> comments;
  std::optional<ExpressionError> fault;  // the first reason for which Python rejects the script
  source::Span too_deep;                 // an expression that is nested too deeply to be parsed, or empty
  source::Span too_long;                 // the first token of a script that has too many to be parsed, or empty
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
// Parses the script in a file once. The file keeps the result.
[[nodiscard]] std::shared_ptr<const Script> parse_script(const source::SourceFile& file);
// Parses a part of a file, such as a block in Markdown. Spans refer to the whole file.
[[nodiscard]] Script parse_script(std::string_view text, source::Span part);

}  // namespace sparsecfg::python
