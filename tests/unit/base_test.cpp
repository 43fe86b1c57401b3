#include <algorithm>
#include <catch2/catch.hpp>
#include <charconv>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/budget.h"
#include "base/edit_distance.h"
#include "base/number.h"
#include "base/text.h"

namespace sparsecfg::base {

TEST_CASE("a budget that is exceeded stays exceeded") {
  Budget budget({.steps = 3, .bytes = 10, .depth = 1});
  CHECK(budget.steps_left() == 3);
  CHECK(budget.spend(3));
  CHECK(budget.allocate(10));
  CHECK(budget.exceeded() == Budget::Limit::none);
  CHECK_FALSE(budget.allocate(1));
  CHECK_FALSE(budget.spend(0));
  CHECK(budget.steps_left() == 0);
  CHECK(budget.exceeded() == Budget::Limit::bytes);
}

TEST_CASE("levels of a budget count the nesting") {
  Budget budget({.steps = 1, .bytes = 1, .depth = 1});
  for (int round = 0; round < 2; ++round) {
    const Budget::Level outer(budget);
    CHECK(static_cast<bool>(outer));
    CHECK_FALSE(static_cast<bool>(Budget::Level(budget)));
  }
  CHECK(budget.spend());
}

TEST_CASE("lines of a text") {
  using Lines = std::vector<std::string_view>;
  CHECK(lines_of("").empty());
  CHECK(lines_of("\n") == Lines{""});
  CHECK(lines_of("a\n\nb") == Lines{"a", "", "b"});
  CHECK(lines_of("a\r\n") == Lines{"a\r"});
}

TEST_CASE("doubles are written as Python writes them") {
  const std::vector<std::pair<double, std::string>> table = {
      {0.0, "0.0"},
      {-0.0, "-0.0"},
      {1.0, "1.0"},
      {-2.5, "-2.5"},
      {0.1, "0.1"},
      {0.1 + 0.2, "0.30000000000000004"},
      {100.0, "100.0"},
      {0.0001, "0.0001"},
      {0.00001, "1e-05"},
      {0.000123, "0.000123"},
      {0.0000123, "1.23e-05"},
      {123456789012345680.0, "1.2345678901234568e+17"},
      {9999999999999998.0, "9999999999999998.0"},
      {1e16, "1e+16"},
      {1e22, "1e+22"},
      {1e100, "1e+100"},
      {1.7976931348623157e308, "1.7976931348623157e+308"},
      {5e-324, "5e-324"},
      {2.2250738585072014e-308, "2.2250738585072014e-308"},
      {std::numeric_limits<double>::infinity(), "inf"},
      {-std::numeric_limits<double>::infinity(), "-inf"},
      {std::numeric_limits<double>::quiet_NaN(), "nan"},
  };
  for (const auto& [value, text] : table) {
    CHECK(python_repr(value) == text);
  }
}

TEST_CASE("numbers below one have the digits of std::to_chars") {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> real(0, 1);
  std::vector<double> values = {std::nextafter(1.0, 0.0), std::nextafter(1e-4, 1.0), 1e-4, 0.5, 0.25, 1.0 / 1024};
  for (int round = 0; round < 50'000; ++round) {
    const double value = std::max(1e-4, std::pow(real(random), round % 5 + 1));
    const double power = std::pow(10, round % 17);
    values.push_back(round % 2 == 0 ? value : std::max(1e-4, std::floor(value * power) / power));
  }
  for (const double value : values) {
    char text[64];
    const char* const end = std::to_chars(text, text + sizeof text, value, std::chars_format::fixed).ptr;
    if (python_repr(value) != std::string_view(text, end)) FAIL(python_repr(value));
  }
}

TEST_CASE("numbers beyond 64 bits become the nearest one") {
  CHECK(whole_part(2.9) == 2);
  CHECK(whole_part(-2.9) == -2);
  CHECK(whole_part(18446744073709551615.0) == std::numeric_limits<std::int64_t>::max());
  CHECK(whole_part(9223372036854774784.0) == 9223372036854774784);
  CHECK(whole_part(-1e300) == std::numeric_limits<std::int64_t>::min());
  CHECK(whole_part(std::numeric_limits<double>::quiet_NaN()) == 0);
}

TEST_CASE("texts are quoted as Python quotes them") {
  CHECK(python_repr(std::string_view("plain")) == "'plain'");
  CHECK(python_repr(std::string_view("it's")) == "\"it's\"");
  CHECK(python_repr(std::string_view("it's \"so\"")) == "'it\\'s \"so\"'");
  CHECK(python_repr(std::string_view("a\\b\n\r\t")) == "'a\\\\b\\n\\r\\t'");
  CHECK(python_repr(std::string_view("\x1b\x7f")) == "'\\x1b\\x7f'");
  CHECK(python_repr(std::string_view("\u00e9\u00a0\u200b")) == "'\u00e9\\xa0\\u200b'");
}

TEST_CASE("decimal numbers are read whole, whatever their size") {
  CHECK(parse_double("1.5") == 1.5);
  CHECK(parse_double("+1.5") == 1.5);
  CHECK(parse_double("-.5e1") == -5.0);
  CHECK(parse_double("1.") == 1.0);
  CHECK(parse_double("1e400") == std::numeric_limits<double>::infinity());
  CHECK(parse_double("-1e400") == -std::numeric_limits<double>::infinity());
  CHECK(parse_double("1e99999999999999999999") == std::numeric_limits<double>::infinity());
  CHECK(parse_double("1e-99999999999999999999") == 0.0);
  CHECK(parse_double("1e-400") == 0.0);
  CHECK(parse_double("0." + std::string(400, '0') + "1") == 0.0);
  CHECK(parse_double(std::string(400, '9') + "e-10") == std::numeric_limits<double>::infinity());
  CHECK(parse_double("1" + std::string(400, '0') + "e-400") == 1.0);
  CHECK(std::signbit(*parse_double("-1e-400")));
  for (const char* text :
       {"", "+", "-", ".", "e5", "1e", "1e+", "+-1", "--1", "0x10", "1 ", " 1", "1_0", "1,5", "one"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_double(text));
  }
}

TEST_CASE("python_float takes what float() takes") {
  CHECK(python_float(" 1.5\t\n") == 1.5);
  CHECK(python_float("1_000.5_0e1_0") == 1000.5e10);
  CHECK(python_float("+1E-3") == 0.001);
  CHECK(python_float("1e400") == std::numeric_limits<double>::infinity());
  CHECK(python_float("-Infinity") == -std::numeric_limits<double>::infinity());
  CHECK(python_float("iNF") == std::numeric_limits<double>::infinity());
  CHECK(std::isnan(python_float("+NaN").value()));
  for (const char* text : {"", "  ", "_1", "1_", "1__0", "1_.5", "1._5", "1e_5", "1_e5", "nan(1)", "in_f", "infin",
                           "0x1p3", "1 0", "1f", "- 1"}) {
    CAPTURE(text);
    CHECK_FALSE(python_float(text));
  }
}

TEST_CASE("printable shows what a terminal would act on or hide") {
  CHECK(printable("a.weight \u00e9 \u4f60") == "a.weight \u00e9 \u4f60");
  CHECK(printable("\x1b[31mred") == "\\x1b[31mred");
  CHECK(printable(std::string_view("\0\t\n", 3)) == "\\x00\\x09\\x0a");
  CHECK(printable("\u009b\u00ad") == "\\x9b\\xad");
  CHECK(printable("abc\u202edef\u200b\ufeff") == "abc\\u202edef\\u200b\\ufeff");
  CHECK(printable("a\xff\xc3(") == "a\ufffd\ufffd(");
}

TEST_CASE("code points are taken one by one, bytes that are no UTF-8 alone") {
  const auto code_points = [](std::string_view text) {
    std::vector<char32_t> found;
    for (std::size_t at = 0; at < text.size();) {
      found.push_back(next_code_point(text, at));
    }
    return found;
  };
  using Points = std::vector<char32_t>;
  CHECK(code_points("a\u00e9\u20ac\U0001f600") == Points{U'a', U'\u00e9', U'\u20ac', U'\U0001f600'});
  CHECK(code_points("\xc0\x80") == Points{kNotUtf8, kNotUtf8});                // overlong
  CHECK(code_points("\xed\xa0\x80") == Points{kNotUtf8, kNotUtf8, kNotUtf8});  // a surrogate
  CHECK(code_points("\xf4\x90\x80\x80").size() == 4);                          // beyond U+10FFFF
  CHECK(code_points("\xe2\x82") == Points{kNotUtf8, kNotUtf8});                // cut off
  CHECK(find_invalid_utf8("a\u00e9\xff") == 3);
  CHECK(find_invalid_utf8("a\u00e9") == 3);
  std::string text;
  for (const char32_t code_point : {U'a', U'\u00e9', U'\u20ac', U'\U0001f600'}) {
    append_utf8(text, code_point);
  }
  CHECK(text == "a\u00e9\u20ac\U0001f600");
}

TEST_CASE("words are joined and trimmed") {
  CHECK(join_and({}).empty());
  CHECK(join_and({"a"}) == "a");
  CHECK(join_and({"a", "b"}) == "a and b");
  CHECK(join_and({"a", "b", "c"}) == "a, b and c");
  CHECK(as_clause("The end; -1: never.") == "the end; -1: never");
  CHECK(as_clause("KL divergence") == "KL divergence");
  CHECK(as_clause("A") == "a");
  CHECK(as_clause("").empty());
  CHECK(trim(" \t a b \r\n") == "a b");
  CHECK(trim(" \n").empty());
  CHECK(to_lower("A\u00c9z") == "a\u00c9z");
  CHECK(to_upper("aZ1") == "AZ1");
}

TEST_CASE("the distance between words counts swaps once") {
  CHECK(edit_distance("", "") == 0);
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("abc", "abc") == 0);
  CHECK(edit_distance("abc", "acb") == 1);
  CHECK(edit_distance("abc", "ab") == 1);
  CHECK(edit_distance("kitten", "sitting") == 3);
}

TEST_CASE("the nearest word is near") {
  const std::vector<std::string_view> fields = {"start_epoch", "end_epoch", "update_frequency", "params", "lr"};
  CHECK(nearest("start_epcoh", fields) == "start_epoch");
  CHECK(nearest("START_EPOCH", fields) == "start_epoch");
  CHECK(nearest("param", fields) == "params");
  CHECK(nearest("update_frequancey", fields) == "update_frequency");
  CHECK_FALSE(nearest("mask_type", fields));
  CHECK(nearest("policy", std::vector<std::string_view>{"policies"}) == "policies");
  CHECK(nearest("policies", std::vector<std::string_view>{"policy"}) == "policy");
  CHECK(nearest("4block", std::vector<std::string_view>{"block4"}) == "block4");
  CHECK_FALSE(nearest("4bloc", std::vector<std::string_view>{"block4"}));
  CHECK_FALSE(nearest("xy", fields));  // as many edits as letters
  CHECK_FALSE(nearest(std::string(5000, 'x'), fields));
  CHECK_FALSE(nearest("lr", std::vector<std::string_view>{}));
}

TEST_CASE("the nearest word has the same numbers, number type and sign") {
  const std::vector<std::string_view> schemes = {"INT8", "FP8", "FP8_DYNAMIC", "W4A16", "W6A16", "MXFP4", "symmetric"};
  for (const std::string_view word : {"INT4", "FP4", "INT8_DYNAMIC", "W16A16", "W4A6", "MXFP6", "WA16", "A16W4",
                                      "asymmetric", "asymetric", "unsymmetric", "UINT8"}) {
    INFO(word);
    CHECK_FALSE(nearest(word, schemes));
  }
  CHECK(nearest("FP8_DYNAMC", schemes) == "FP8_DYNAMIC");
  CHECK(nearest("symetric", schemes) == "symmetric");
  CHECK(nearest("activtions", std::vector<std::string_view>{"activations"}) == "activations");
  CHECK(nearest("W4A16_", schemes) == "W4A16");
}

}  // namespace sparsecfg::base
