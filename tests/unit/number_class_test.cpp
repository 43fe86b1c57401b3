#include "model/number_class.h"

#include <catch2/catch.hpp>
#include <string>

#include "model/pattern_text.h"

namespace sparsecfg::model {

static std::string meant(const std::string& pattern) {
  const auto numbers = number_class_in(pattern);
  return numbers ? patterns_for(*numbers, pattern, PatternUse::open).back() : std::string();
}

TEST_CASE("A class of numbers becomes alternatives") {
  CHECK(meant("layers\\.[0-15]\\..*") == "layers\\.(\\d|1[0-5])\\..*");
  CHECK(meant("layers\\.[8-15]\\.") == "layers\\.([8-9]|1[0-5])\\.");
  CHECK(meant("layers\\.[16-31]\\.") == "layers\\.(1[6-9]|2\\d|3[0-1])\\.");
  CHECK(meant("layers\\.[0-3,28-31]\\.") == "layers\\.([0-3]|2[8-9]|3[0-1])\\.");
  CHECK(meant("layers\\.[98-101]\\.") == "layers\\.(9[8-9]|10[0-1])\\.");
  CHECK(meant("layers.[0-15].*") == "layers.(\\d|1[0-5])\\..*");
  CHECK(meant("layers\\.[0-15]+\\.") == "layers\\.(\\d|1[0-5])\\.");
}

TEST_CASE("Classes of digits are no numbers") {
  for (const char* pattern : {"layers\\.[0-3]\\.", "layers\\.[159]\\.", "layers\\.1[0-57]\\.", "layers\\.[12][0-57]\\.",
                              "layers\\.[2-57-9]\\.", "layers\\.[0-9a-f12]\\.", "\\[0-15]", "[15-0]"}) {
    CHECK(meant(pattern).empty());
  }
}

TEST_CASE("The digits of a class are listed") {
  CHECK(number_class_in("[0-15]")->digits() == std::vector<std::string>{"0", "1", "5"});
  CHECK(number_class_in("[10-15]")->digits() == std::vector<std::string>{"0", "1", "5"});
  CHECK(number_class_in("[0-3,28-31]")->words() == "0 to 3 and 28 to 31");
}

TEST_CASE("Patterns that differ in one place are joined there") {
  CHECK(joined_patterns("mlp\\.up_proj$", "mlp\\.down_proj$") == "mlp\\.(up|down)_proj$");
  CHECK(joined_patterns("e\\.\\d+\\.(gate|up)_proj$", "e\\.\\d+\\.down_proj$") == "e\\.\\d+\\.(gate|up|down)_proj$");
  CHECK(joined_patterns("q_proj", "qkv_proj") == "(q|qkv)_proj");
  CHECK(joined_patterns("a|b", "c") == "(a|b|c)");
}

}  // namespace sparsecfg::model
