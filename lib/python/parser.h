#pragma once

#include <string_view>
#include <variant>

#include "python/tree.h"
#include "python/value.h"

namespace sparsecfg::python {

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
