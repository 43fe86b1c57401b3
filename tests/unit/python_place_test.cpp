#include "lsp/python_place.h"

#include <catch2/catch.hpp>

namespace sparsecfg::lsp {

static std::optional<PythonPlace> at_end(const std::string& text) {
  return python_place(text, static_cast<std::uint32_t>(text.size()));
}

TEST_CASE("a keyword argument starts after a parenthesis or a comma") {
  const auto place = at_end("from a import b\nrecipe = [GPTQModifier(targets=\"Linear\", ");
  REQUIRE(place);
  REQUIRE(place->brackets.size() == 2);
  CHECK(place->brackets.back().name == "GPTQModifier");
  CHECK(place->brackets.back().present == std::vector<std::string>{"targets"});
  CHECK(place->begins_key());
}

TEST_CASE("a value belongs to its keyword argument, also in a string") {
  const auto place = at_end("GPTQModifier(scheme=\"W4");
  REQUIRE(place);
  CHECK(place->in_string);
  CHECK(place->brackets.back().key == "scheme");
  CHECK_FALSE(place->begins_key());
}

TEST_CASE("lists and dictionaries in a call keep their keys") {
  const auto place = at_end("GPTQModifier(config_groups={\"group_0\": {\"targets\": [\"Linear\", \"");
  REQUIRE(place);
  REQUIRE(place->brackets.size() == 4);
  CHECK(place->brackets[0].key == "config_groups");
  CHECK(place->brackets[1].key == "group_0");
  CHECK(place->brackets[2].key == "targets");
  CHECK(place->brackets[3].kind == '[');
}

TEST_CASE("closed brackets, comments and strings with brackets are skipped") {
  CHECK_FALSE(at_end("f(1)  # GPTQModifier("));
  CHECK(at_end("f('(', g(2))\n")->brackets.empty());
  CHECK(at_end("x = '''\n(\n''' + f(")->brackets.size() == 1);
  CHECK(at_end("config_list = [{")->brackets.front().name == "config_list");
}

TEST_CASE("a string with several lines has its place") {
  const auto place = at_end("recipe = \"\"\"\nmodifiers:\n  - ");
  REQUIRE(place);
  CHECK(place->is_triple);
  CHECK(place->string_begin == 12);
}

}  // namespace sparsecfg::lsp
