#include "source/names.h"

#include <catch2/catch.hpp>

namespace sparsecfg::source {

using Names = std::vector<std::string>;

static const Names kNames = {"stem.conv.weight", "fc.weight", "fc.bias"};

static Names names(std::string_view text) {
  CAPTURE(text);
  const auto read = read_names(text);
  if (const auto* error = std::get_if<LoadError>(&read)) {
    FAIL(error->reason);
  }
  return std::get<Names>(read);
}

static std::string error(std::string_view text) {
  CAPTURE(text);
  const auto read = read_names(text);
  REQUIRE(std::holds_alternative<LoadError>(read));
  return std::get<LoadError>(read).reason;
}

// A .safetensors file: the length of the head in eight bytes, least one first, the head, the data.
static std::string safetensors(std::string_view head, std::size_t length) {
  std::string text;
  for (int shift = 0; shift < 64; shift += 8) {
    text += static_cast<char>(length >> shift & 0xFF);
  }
  return text.append(head).append("\0\x7F\xFFweights", 10);
}

TEST_CASE("names are read from lines") {
  CHECK(names("stem.conv.weight\nfc.weight\nfc.bias\n") == kNames);
  CHECK(names("stem.conv.weight\r\n\n  fc.weight\t\nfc.bias") == kNames);
  CHECK(names("").empty());
  CHECK(names("\n \n").empty());
  CHECK(names("encoder layer.weight\n") == Names{"encoder layer.weight"});
}

TEST_CASE("names are read from a JSON list") {
  CHECK(names(R"(["stem.conv.weight", "fc.weight", "fc.bias"])") == kNames);
  CHECK(names("\n  []\n").empty());
}

TEST_CASE("names are read from a JSON mapping to shapes") {
  CHECK(names(R"({"stem.conv.weight": [64, 3, 7, 7], "fc.weight": [10, 64], "fc.bias": [10]})") == kNames);
}

TEST_CASE("names are read from the index of sharded weights") {
  CHECK(names(R"({"metadata": {"total_size": 9}, "weight_map": {"stem.conv.weight": "1.safetensors",
                  "fc.weight": "2.safetensors", "fc.bias": "2.safetensors"}})") == kNames);
}

TEST_CASE("names are read from the head of a .safetensors file") {
  const std::string head = R"({"__metadata__": {"format": "pt"}, "stem.conv.weight": {"dtype": "F32"},
                               "fc.weight": {}, "fc.bias": {}})";
  CHECK(names(safetensors(head, head.size())) == kNames);
}

TEST_CASE("a head that the file is too short for is no head") {
  const std::string head = R"({"fc.weight": {}})";
  CHECK(names(safetensors(head, head.size())) == Names{"fc.weight"});
  CHECK(names(safetensors(head, 9999)) != Names{"fc.weight"});
}

TEST_CASE("each name is taken once, where it comes first") {
  CHECK(names("b\na\nb\n") == Names{"b", "a"});
  CHECK(names(R"(["b", "a", "b"])") == Names{"b", "a"});
}

TEST_CASE("JSON that holds no names is refused") {
  CHECK(error(R"(["a", 3])") == "is a JSON list, but not of names alone");
  CHECK(error(R"(["a", )") == "begins like JSON, but is no list or mapping of names");
  CHECK(error(R"({"weight_map": "all"})") == "begins like JSON, but is no list or mapping of names");
}

TEST_CASE("modules are lines of a name, a tab and a type") {
  const auto read = read_modules("\tNet\nfc1\tLinear\tweight\r\n\nfc2\tLinear");
  const auto& modules = std::get<std::vector<Module>>(read);
  REQUIRE(modules.size() == 3);
  CHECK(modules[0].name.empty());
  CHECK(modules[0].type == "Net");
  CHECK(modules[1].type == "Linear");
  CHECK(modules[2].name == "fc2");
  CHECK(std::get<LoadError>(read_modules("fc1\tLinear\nfc2")).reason == "line 2 has no tab between a name and a type");
}

}  // namespace sparsecfg::source
