#include "source/value.h"

#include <catch2/catch.hpp>
#include <string>

namespace sparsecfg::source {

static std::string shown(const std::string& text) {
  const auto read = read_json(text);
  if (const auto* error = std::get_if<LoadError>(&read)) return "error: " + error->reason;
  const auto& value = std::get<std::optional<Value>>(read);
  return value ? python_str(*value) : "no JSON";
}

TEST_CASE("JSON values, with integers of any size") {
  CHECK(shown("9223372036854775807") == "9223372036854775807");
  CHECK(shown("9223372036854775808") == "9223372036854775808");
  CHECK(shown("18446744073709551615") == "18446744073709551615");
  CHECK(shown("-9223372036854775809") == "-9223372036854775809");
  CHECK(shown("123456789012345678901234567890") == "123456789012345678901234567890");
  CHECK(shown("1e3") == "1000.0");
  CHECK(shown(R"({"a": [1, true, null, "x"], "b": {}})") == "{'a': [1, True, None, 'x'], 'b': {}}");
  CHECK(shown(R"({"a": 1, "a": 2})") == "{'a': 2}");
}

TEST_CASE("what is not JSON, and what is nested too deep") {
  CHECK(shown("") == "no JSON");
  CHECK(shown("[1,") == "no JSON");
  CHECK(shown("fast") == "no JSON");
  CHECK(shown(std::string(128, '[') + std::string(128, ']')) != "no JSON");
  CHECK(shown(std::string(129, '[') + std::string(129, ']')) == "error: JSON nested more than 128 levels deep");
  CHECK(shown(std::string(1'000'000, '[')) == "error: JSON nested more than 128 levels deep");
}

}  // namespace sparsecfg::source
