#include "dialect/sparseml/expression.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace sparsecfg::dialect::sparseml {

using Kind = python::ExpressionError::Kind;
using Names = std::vector<std::string>;

static const Numbers& variables() {
  static const Numbers numbers = {
      {"a", std::int64_t{3}}, {"b", 0.5}, {"t", true}, {"min", std::int64_t{4}}, {"neg", std::int64_t{-7}},
  };
  return numbers;
}

static Number value(std::string_view text) {
  CAPTURE(text);
  const auto outcome = evaluate(text, variables());
  if (const auto* error = std::get_if<ExpressionError>(&outcome)) {
    FAIL(error->message);
  }
  return std::get<Number>(outcome);
}

static ExpressionError error(std::string_view text) {
  CAPTURE(text);
  const auto outcome = evaluate(text, variables());
  REQUIRE(std::holds_alternative<ExpressionError>(outcome));
  return std::get<ExpressionError>(outcome);
}

static void check(const std::vector<std::pair<std::string_view, Number>>& table) {
  for (const auto& [text, expected] : table) {
    CAPTURE(text);
    const Number found = value(text);
    CHECK(found.index() == expected.index());
    CHECK(found == expected);
  }
}

static void check(Kind kind, const std::vector<std::string_view>& texts) {
  for (const std::string_view text : texts) {
    CAPTURE(text);
    const ExpressionError found = error(text);
    CAPTURE(found.message);
    CHECK(found.kind == kind);
    CHECK_FALSE(found.message.empty());
    CHECK(found.offset <= text.size());
  }
}

static Number integer(std::int64_t number) { return number; }

static Number real(double number) { return number; }

TEST_CASE("literals are Python's") {
  check({
      {"12", integer(12)},
      {"1_000", integer(1000)},
      {"0x_fF", integer(255)},
      {"0b101", integer(5)},
      {"0o17", integer(15)},
      {"00", integer(0)},
      {"9223372036854775807", integer(INT64_MAX)},
      {"1.", real(1)},
      {".5", real(0.5)},
      {"1e3", real(1000)},
      {"1_0.0_1e1_0", real(10.01e10)},
      {"0777.5", real(777.5)},
      {"1e400", real(INFINITY)},
  });
}

TEST_CASE("arithmetic keeps ints and floats apart") {
  check({
      {"a + 1", integer(4)},
      {"a + 1.0", real(4)},
      {"6 / 3", real(2)},
      {"7 // 2", integer(3)},
      {"neg // 2", integer(-4)},
      {"neg % 3", integer(2)},
      {"7 % (0-3)", integer(-2)},
      {"7.5 // (0-2)", real(-4)},
      {"7.0 % (0-4)", real(-1)},
      {"2 ** 3 ** 2", integer(512)},
      {"(2 ** 3) ** 2", integer(64)},
      {"2 * 3 + 4 * 5", integer(26)},
      {"2 - 3 - 4", integer(-5)},
      {"2 ** (0-1)", real(0.5)},
      {"t + t", integer(2)},
      {"t", Number(true)},
      {"1e308 * 10", real(INFINITY)},
      {"9007199254740993 / 1", real(9007199254740992.0)},
      {"9223372036854775807 / 9223372036854775806", real(1)},
      {"(0-1)**63 * 5", integer(-5)},
      {"0.1 + 0.2", real(0.30000000000000004)},
  });
}

TEST_CASE("functions are Python's builtins") {
  check({
      {"round(2.5)", integer(2)},
      {"round(3.5)", integer(4)},
      {"round(number=2.5)", integer(2)},
      {"round(2.675, 2)", real(2.67)},
      {"round(ndigits=1, number=0.25)", real(0.2)},
      {"round(2.5, 0)", real(2)},
      {"round(5, 0-1)", integer(0)},
      {"round(15, 0-1)", integer(20)},
      {"round(50.0, 0-2)", real(0)},
      {"round(50.00000001, 0-2)", real(100)},
      {"round(1e22, 0-22)", real(1e22)},
      {"round(1.5, 400)", real(1.5)},
      {"round(t)", integer(1)},
      {"int(2.7)", integer(2)},
      {"int(0-2.7)", integer(-2)},
      {"int()", integer(0)},
      {"float()", real(0)},
      {"float(a)", real(3)},
      {"abs(neg)", integer(7)},
      {"abs(t)", integer(1)},
      {"max(1, 2.0)", real(2)},
      {"max(1, t)", integer(1)},
      {"max(t, 1)", Number(true)},
      {"min(2, 1.0, 1)", real(1)},
      {"max(9007199254740993, 9007199254740992.0)", integer(9007199254740993)},
      {"min + min(1, 2)", integer(5)},
  });
}

TEST_CASE("names are normalized as by Python") {
  check({
      {"\uFF41 + 1", integer(4)},               // a wide a
      {"\uFF4Dax(\U0001D41A, 1)", integer(3)},  // a wide m, a bold a
      {"round(n\uFF55mber=2.5)", integer(2)},
  });
  CHECK(error("\uFB01nal_\u0133").name == "final_ij");
  CHECK(error("\U0001D433\U0001D434\uFF19").name == "zA9");
  CHECK(error("\u00E9\u0394").name == "\u00E9\u0394");
}

TEST_CASE("only the first statement counts, the others must parse") {
  check({
      {" 1 ", integer(1)},
      {"1;", integer(1)},
      {"1; import os", integer(1)},
      {"1; from ..a.b import (c as d, e,); x.y[0] = z = 2", integer(1)},
      {"1\nx = 2  # comment", integer(1)},
      {"(1 +\n 2)", integer(3)},
      {"1 \\\n + 2", integer(3)},
      {"1 # + 1", integer(1)},
      {"\u00a01\u3000", integer(1)},
  });
  check(Kind::syntax, {"1; @", "1;;", "; 1", "1\n 2", "1; import", "1; 2 = 3", "1; f(a=1, 2)", "1 2"});
  check(Kind::unsupported, {"x = 1", "import os", "a += 1", "pass", "if a: b", "1, 2", "*a"});
}

TEST_CASE("what does not parse is a syntax error") {
  check(Kind::syntax, {"",     "  ", "#",     "a) + eval(b", "(1",     "1)",    "(1]",    "1 +",      "/ 2", "0777",
                       "1__0", "1_", "0x",    "0b2",         "1e",     "12abc", "1.2.3",  "a b",      "a.",  "f(,)",
                       "a[]",  "'x", "a $ b", "a ? b",       "1 if a", "not",   "a <> b", "1 + not a"});
  check(Kind::syntax, {std::string_view("1\0", 2), "1 \\ 2"});
}

TEST_CASE("what is Python but not SparseML's is unsupported") {
  check(Kind::unsupported, {"-1",
                            "-1**2",
                            "+a",
                            "~a",
                            "not a",
                            "a < 1",
                            "a and b",
                            "a or b",
                            "1 if a else 2",
                            "a[0]",
                            "a.real",
                            "[1]",
                            "(1,)",
                            "()",
                            "{}",
                            "{1}",
                            "{1: 2}",
                            "'x'",
                            "f'{a}'",
                            "True",
                            "None",
                            "...",
                            "a | 1",
                            "a @ b",
                            "a << 1",
                            "a is not b",
                            "a not in b",
                            "pow(2, 3)",
                            "math.floor(a)",
                            "f()()",
                            "1j",
                            "(0-8) ** 0.5",
                            "lambda: 1",
                            "[x for x in a]",
                            "abs(*a)",
                            "(a := 1)",
                            "eval(1)"});
  CHECK(error("-1").message == "unary `-` is not supported by SparseML");
  CHECK(error("1 + pow(2, 3)").message == "the function `pow` is not supported by SparseML");
  CHECK(error("1 + pow(2, 3)").offset == 4);
  CHECK(error("a + 'x'").message == "a quoted string is not supported by SparseML");
}

TEST_CASE("the error that Python raises first wins") {
  CHECK(error("nope + -a").kind == Kind::unknown_variable);
  CHECK(error("-a + nope").kind == Kind::unsupported);
  CHECK(error("nope | 1").kind == Kind::unsupported);
  CHECK(error("pow(nope)").kind == Kind::unsupported);
  CHECK(error("round(ndigits=nope, *[1])").kind == Kind::unsupported);
  CHECK(error("1 / 0 + nope").kind == Kind::division_by_zero);
  const ExpressionError unknown = error("  a + nope");
  CHECK(unknown.name == "nope");
  CHECK(unknown.offset == 6);
}

TEST_CASE("numbers end somewhere") {
  check(Kind::division_by_zero, {"1/0", "1//0", "1%0", "1.0/0", "1//0.0", "1%0.0", "0**(0-1)", "0.0**(0-1)"});
  check(Kind::too_large, {"9223372036854775808", "2**63", "9**9**9", "9223372036854775807 + 1", "10.0**400",
                          "int(1e400)", "round(1e19)", "round(1.7e308, 0-308)", "abs(0-9223372036854775807-1)",
                          "(0-9223372036854775807-1) // (0-1)", "round(9223372036854775807, 0-19)"});
  check(Kind::type_error,
        {"min(1)", "min()", "abs()", "abs(x=1)", "int(x=1)", "int(1, 2)", "int(1e400-1e400)", "round()",
         "round(1, 2, 3)", "round(1, 1.0)", "round(1, number=2)", "float(1, 2)", "max(1, 2, key=3)", "round(**a)"});
}

TEST_CASE("nesting and length are bounded") {
  const auto nested = [](std::size_t depth) { return std::string(depth, '(') + "1" + std::string(depth, ')'); };
  CHECK(value(nested(90)) == integer(1));
  check(Kind::syntax, {nested(150)});
  check(Kind::syntax, {std::string(2000, '~') + "1"});
  std::string sum = "1";
  for (int term = 0; term < 400; ++term) {
    sum += "+1";
  }
  CHECK(value(sum) == integer(401));
  check(Kind::syntax, {sum + "+" + sum});
  check(Kind::too_large, {std::string(5000, '1')});
}

TEST_CASE("names are listed in the order of the text") {
  CHECK(names_in("a + min(b, a) * c") == Names{"a", "b", "a", "c"});
  CHECK(names_in("round(ndigits=x, number=y)") == Names{"x", "y"});
  CHECK(names_in("f(k=x, *y)") == Names{"x", "y"});
  CHECK(names_in("x if y else z.w[v]") == Names{"x", "y", "z", "v"});
  CHECK(names_in("a; b") == Names{"a"});
  CHECK(names_in("a +").empty());
}

}  // namespace sparsecfg::dialect::sparseml
