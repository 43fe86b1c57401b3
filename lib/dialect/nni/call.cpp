#include "dialect/nni/call.h"

#include <string>
#include <vector>

#include "dialect/nni/table.h"
#include "dialect/nni/values.h"
#include "python/numbers.h"
#include "python/parser.h"

namespace sparsecfg::dialect::nni {

using python::Token;
using source::Map;
using source::Value;

namespace {

class CallReader {
 public:
  explicit CallReader(std::string_view text) : tokens_(python::tokenize(text)) {}

  std::optional<Value> read() {
    auto call = read_call();
    return call && current().kind == Token::Kind::end ? call : std::nullopt;
  }

 private:
  const Token& current() const { return tokens_[at_]; }

  bool take(std::string_view operation) {
    const bool found = current().kind == Token::Kind::operation && current().text == operation;
    at_ += found ? 1 : 0;
    return found;
  }

  bool is_named() const {
    return current().kind == Token::Kind::name && tokens_[at_ + 1].kind == Token::Kind::operation &&
           tokens_[at_ + 1].text == "=";
  }

  std::optional<Value> read_call() {
    if (current().kind != Token::Kind::name) {
      return std::nullopt;
    }
    Map part;
    put(part, "class", {std::string(tokens_[at_++].text), {}});
    if (take("(") && !take(")")) {
      do {
        if (!read_argument(part)) return std::nullopt;
      } while (take(","));
      if (!take(")")) return std::nullopt;
    }
    return Value{std::move(part), {}};
  }

  bool read_argument(Map& part) {
    std::string name;
    if (is_named()) {
      name = current().text;
      at_ += 2;
    }
    if (current().kind == Token::Kind::name) {
      auto inner = read_call();
      const bool known = inner && find_class(source::python_str(*find_value(*inner->get<Map>(), "class"))) != nullptr;
      if (known && (name.empty() || name == "pruner")) put(part, "pruner", *std::move(inner));
      return inner.has_value();
    }
    const auto value = read_literal();
    if (value && !name.empty()) put(part, name, *value);
    return value && !name.empty();
  }

  std::optional<Value> read_literal() {
    const bool negative = take("-");
    const Token token = tokens_[at_];
    if (token.kind == Token::Kind::keyword && !negative) {
      ++at_;
      return token.text == "None"    ? std::optional(Value{})
             : token.text == "True"  ? std::optional(Value{true, {}})
             : token.text == "False" ? std::optional(Value{false, {}})
                                     : std::nullopt;
    }
    if (token.kind == Token::Kind::string && token.text.size() >= 2 && !negative) {
      ++at_;
      return Value{std::string(token.text.substr(1, token.text.size() - 2)), {}};
    }
    const auto number =
        token.kind == Token::Kind::number ? python::number_value(token.text) : python::Outcome(python::Fault{});
    const auto* known = std::get_if<python::Number>(&number);
    if (known == nullptr) {
      return std::nullopt;
    }
    ++at_;
    const auto* whole = std::get_if<std::int64_t>(known);
    return whole != nullptr ? Value{negative ? -*whole : *whole, {}}
                            : Value{(negative ? -1 : 1) * python::as_double(python::operand(*known)), {}};
  }

  std::vector<Token> tokens_;
  std::size_t at_ = 0;
};

}  // namespace

std::optional<Value> parse_constructor_call(std::string_view text) { return CallReader(text).read(); }

}  // namespace sparsecfg::dialect::nni
