#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diag/sink.h"
#include "doc/document.h"
#include "doc/python_lexer.h"
#include "doc/readers.h"
#include "source/source_file.h"

namespace sparsecfg::doc {

// Converts the literals among the tokens of a script to nodes.
class PythonLiterals {
 protected:
  using Token = PythonToken;

  PythonLiterals(const source::SourceFile& file, const Limits& limits, diag::Sink& sink)
      : file_(file), limits_(limits), sink_(sink), tokens_(read_tokens(file.text(), out_.comments)) {}

  static Node make_scalar(source::Span span, Style style, std::string_view tag, std::string_view text);
  static Node make_collection(Kind kind, source::Span span, std::string_view tag);

  // Returns the token `ahead` positions after the current one, or the last token (`end`) if there are not so many.
  [[nodiscard]] const Token& token(std::size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }

  [[nodiscard]] std::string_view text(const Token& token) const { return file_.text(token.span); }

  [[nodiscard]] bool at(Token::Kind kind) const { return token().kind == kind; }

  [[nodiscard]] bool at_mark(char mark, std::size_t ahead = 0) const {
    return token(ahead).kind == Token::Kind::mark && text(token(ahead)).front() == mark;
  }

  void next() { at_ += at_ + 1 < tokens_.size() ? 1 : 0; }

  NodeId add(Node node);
  void fail(source::Span span, const std::string& what);

  std::string_view keep(std::string value) { return out_.owned.emplace_back(std::move(value)); }

  // Returns the value as a view of the script if it occurs there verbatim, else stores it.
  std::string_view text_of(source::Span span, std::string value);

  // Reads a literal that is followed only by its terminator. Any other expression becomes a node with kNotLiteralTag.
  NodeId read_value(std::size_t depth);

  const source::SourceFile& file_;
  const Limits& limits_;
  diag::Sink& sink_;
  Document out_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  bool failed_ = false;

 private:
  [[nodiscard]] bool is_over() const;
  void skip_expression();
  std::optional<NodeId> read_literal(std::size_t depth);
  std::optional<NodeId> read_word();
  std::optional<NodeId> read_marked(std::size_t depth);
  std::optional<NodeId> read_text();
  std::optional<NodeId> read_number(std::uint32_t begin, bool negative);
  std::optional<NodeId> based_number(const std::string& digits, const std::string& sign, source::Span span);
  std::optional<NodeId> read_sequence(std::size_t depth);
  bool separates(char close, bool& comma);
  std::optional<NodeId> read_braces(std::size_t depth);
};

}  // namespace sparsecfg::doc
