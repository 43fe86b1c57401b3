#include "regex/substitution.h"

#include <catch2/catch.hpp>
#include <string>

using sparsecfg::regex::Substitution;

static std::string substituted(std::string_view pattern, std::string_view replacement, const std::string& text) {
  const auto substitution = Substitution::compile(pattern, replacement);
  REQUIRE(substitution);
  return substitution->apply(text);
}

TEST_CASE("Matches are replaced as by re.sub", "[regex]") {
  CHECK(substituted(R"(\.mlp\.)", ".moe.", "model.mlp.0.mlp.fc") == "model.moe.0.moe.fc");
  CHECK(substituted(R"((experts\.\d+)\.up_proj)", R"(\1.w3)", "x.experts.12.up_proj.weight") ==
        "x.experts.12.w3.weight");
  CHECK(substituted("^model", "m", "model.model") == "m.model");
  CHECK(substituted("b", "c", "aaa") == "aaa");
}

TEST_CASE("A group without a match is replaced by nothing", "[regex]") {
  CHECK(substituted(R"(^(vit\.)?layers\.)", R"(\1encoder.layer.)", "layers.0") == "encoder.layer.0");
  CHECK(substituted(R"(^(vit\.)?layers\.)", R"(\1encoder.layer.)", "vit.layers.0") == "vit.encoder.layer.0");
}

TEST_CASE("A dollar sign in the replacement is a character", "[regex]") {
  CHECK(substituted("a", "$1", "bab") == "b$1b");
}

TEST_CASE("A text can grow by any length", "[regex]") {
  const std::string longer(1'000, 'x');
  CHECK(substituted("a", longer, "aa") == longer + longer);
  CHECK(substituted("a", "", "aa").empty());
}

TEST_CASE("A pattern that Python rejects is no substitution", "[regex]") {
  CHECK_FALSE(Substitution::compile("(", ""));
}
