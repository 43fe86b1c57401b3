#include "doc/construct.h"

#include <catch2/catch.hpp>

#include "base/number.h"
#include "base/overloaded.h"
#include "yaml_text.h"

namespace sparsecfg::test {

// A value with its Python type before it: "int 8", "str yes".
static std::string typed(const source::Value& value) {
  return std::visit(base::Overloaded{
                        [](std::monostate) -> std::string { return "null"; },
                        [](bool flag) -> std::string { return flag ? "bool true" : "bool false"; },
                        [](std::int64_t number) { return "int " + std::to_string(number); },
                        [](const source::BigInt& number) { return "big " + number.digits; },
                        [](double number) { return "float " + base::python_repr(number); },
                        [](const std::string& text) { return "str " + text; },
                        [](const source::Timestamp& time) { return "time " + time.text; },
                        [](const source::List&) -> std::string { return "list"; },
                        [](const source::Map&) -> std::string { return "map"; },
                    },
                    value.data);
}

static std::string typed_text(std::string_view text, std::size_t errors = 0) {
  const Read got = read(text);
  REQUIRE(got.document);
  diag::Sink sink;
  std::string out = typed(construct_scalar((*got.document)[got.document->root], sink));
  CHECK(sink.count(diag::Severity::error) == errors);
  return out;
}

struct ScalarCase {
  std::string_view text;
  std::string_view value;
};

static void check(std::initializer_list<ScalarCase> cases) {
  for (const ScalarCase& c : cases) {
    INFO(c.text);
    CHECK(typed_text(c.text) == c.value);
  }
}

TEST_CASE("words are booleans and nulls in three spellings only") {
  check({{"yes", "bool true"},
         {"No", "bool false"},
         {"ON", "bool true"},
         {"off", "bool false"},
         {"True", "bool true"},
         {"y", "str y"},
         {"yEs", "str yEs"},
         {"'yes'", "str yes"},
         {"~", "null"},
         {"null", "null"},
         {"Null", "null"},
         {"NULL", "null"},
         {"nULL", "str nULL"},
         {"", "null"},
         {"''", "str "},
         {"none", "str none"}});
}

TEST_CASE("ints of YAML 1.1") {
  check({{"0", "int 0"},
         {"-0", "int 0"},
         {"+12", "int 12"},
         {"1_000", "int 1000"},
         {"010", "int 8"},
         {"08", "str 08"},
         {"0o10", "str 0o10"},
         {"0b101", "int 5"},
         {"-0x1F", "int -31"},
         {"2:4", "int 124"},
         {"1:60", "str 1:60"},
         {"190:20:30", "int 685230"},
         {"0:30", "str 0:30"},
         {"9223372036854775807", "int 9223372036854775807"},
         {"-9223372036854775808", "int -9223372036854775808"},
         {"9223372036854775808", "big 9223372036854775808"},
         {"-0xFFFFFFFFFFFFFFFFFF", "big -4722366482869645213695"},
         {"1_", "int 1"},
         {"_1", "str _1"},
         {"+", "str +"}});
}

TEST_CASE("floats want a point and a sign in the exponent") {
  check({{"1.5", "float 1.5"},
         {"1.", "float 1.0"},
         {".5", "float 0.5"},
         {"-.5", "str -.5"},
         {"1e-4", "str 1e-4"},
         {"1.0e4", "str 1.0e4"},
         {"1.0e-4", "float 0.0001"},
         {"1.0E+4", "float 10000.0"},
         {"1_0.5", "float 10.5"},
         {".inf", "float inf"},
         {"-.INF", "float -inf"},
         {".nan", "float nan"},
         {"-.nan", "str -.nan"},
         {"nan", "str nan"},
         {"1:30.5", "float 90.5"},
         {"1.5e+400", "float inf"},
         {".", "str ."},
         {"1.2.3", "str 1.2.3"},
         {"._5", "str ._5"}});
}

TEST_CASE("dates and times") {
  check({{"2024-01-02", "time 2024-01-02"},
         {"2024-1-2", "str 2024-1-2"},
         {"2024-1-2 3:04:05", "time 2024-1-2 3:04:05"},
         {"2024-01-02T03:04:05.678Z", "time 2024-01-02T03:04:05.678Z"},
         {"2024-01-02 03:04:05 +01:30", "time 2024-01-02 03:04:05 +01:30"},
         {"2024-01-02 03:04", "str 2024-01-02 03:04"},
         {"!!timestamp 2024-1-2", "time 2024-1-2"}});
  for (const std::string_view text :
       {"2024-13-45", "2023-02-29", "2024-01-02 24:00:00", "2024-01-02 00:00:00 +24:00", "0000-01-01"}) {
    INFO(text);
    CHECK(typed_text(text, 1) == "null");
  }
}

TEST_CASE("standard tags overrule quotes and looks") {
  check({{"!!str 1", "str 1"},
         {"!!int '1'", "int 1"},
         {"!!int ' 1 '", "int 1"},
         {"!!int 0o17", "int 15"},
         {"!!float 3", "float 3.0"},
         {"!!float 1e5", "float 100000.0"},
         {"!!float inf", "float inf"},
         {"!!bool 'Yes'", "bool true"},
         {"!!null x", "null"},
         {"!!binary aGk=", "str aGk="},
         {"! 'yes'", "bool true"},
         {"! \"12\"", "int 12"},
         {"!local 12", "int 12"},
         {"!local '12'", "str 12"}});
}

TEST_CASE("what PyYAML raises on is reported and null") {
  for (const std::string_view text : {"!!int abc", "!!int ''", "!!float x", "!!bool maybe", "!!binary a",
                                      "!!timestamp x", "!!seq x", "!!map x", "0x_", "0b_", "=", "<<"}) {
    INFO(text);
    CHECK(typed_text(text, 1) == "null");
  }
}

TEST_CASE("an int of thousands of digits is refused as Python refuses it") {
  CHECK(typed_text(std::string(4300, '7')).size() == 4304);
  CHECK(typed_text(std::string(4301, '7'), 1) == "null");
  CHECK(typed_text("0x" + std::string(5000, 'f'), 1) == "null");
}

}  // namespace sparsecfg::test
