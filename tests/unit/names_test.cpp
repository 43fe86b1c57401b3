#include "model/names.h"
#include "base/limits.h"

#include <catch2/catch.hpp>

namespace sparsecfg::model {

using Names = std::vector<std::string>;

static const Names kNames = {"stem.conv.weight", "fc.weight", "fc.bias"};

static Names names(std::string_view text) {
  CAPTURE(text);
  const auto read = read_names(text);
  if (const auto* error = std::get_if<source::LoadError>(&read)) {
    FAIL(error->reason);
  }
  return std::get<Parameters>(read).names;
}

static std::vector<std::optional<Shape>> shapes(std::string_view text) {
  const auto read = read_names(text);
  REQUIRE(std::holds_alternative<Parameters>(read));
  return std::get<Parameters>(read).shapes;
}

static std::string error(std::string_view text) {
  CAPTURE(text);
  const auto read = read_names(text);
  REQUIRE(std::holds_alternative<source::LoadError>(read));
  return std::get<source::LoadError>(read).reason;
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

TEST_CASE("a byte-order mark is no part of a name, and lines may end with CR alone") {
  CHECK(names("\xEF\xBB\xBFstem.conv.weight\nfc.weight\nfc.bias\n") == kNames);
  CHECK(names("stem.conv.weight\rfc.weight\rfc.bias\r") == kNames);
  CHECK(names("\xEF\xBB\xBF[\"stem.conv.weight\", \"fc.weight\", \"fc.bias\"]") == kNames);
}

TEST_CASE("names in UTF-16 are refused") {
  using namespace std::string_view_literals;
  for (const std::string_view text : {"\xFF\xFE"
                                      "a\0\n\0"sv,
                                      "\xFE\xFF\0a\0\n"sv, "a\0\n\0"sv}) {
    const auto read = read_names(text);
    REQUIRE(std::holds_alternative<source::LoadError>(read));
    CHECK(std::get<source::LoadError>(read).reason == "is UTF-16 or contains zero bytes; save it as UTF-8");
  }
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
  CHECK(std::holds_alternative<source::LoadError>(read_names(safetensors(head, 9999))));
}

TEST_CASE("each name is taken once, where it comes first") {
  CHECK(names("b\na\nb\n") == Names{"b", "a"});
  CHECK(names(R"(["b", "a", "b"])") == Names{"b", "a"});
}

TEST_CASE("JSON that holds no names is refused") {
  CHECK(error(R"(["a", 3])") == "is a JSON list with items that are not names");
  CHECK(error(R"(["a", )") == "starts like JSON, but is not a list or mapping of names");
  CHECK(error(R"({"weight_map": "all"})") == "starts like JSON, but is not a list or mapping of names");
}

TEST_CASE("shapes stand in a mapping, in a header and behind tabs") {
  using Shapes = std::vector<std::optional<Shape>>;
  CHECK(shapes(R"({"a": [64, 3, 7, 7], "b": [], "c": {"shape": [2]}, "d": {"dtype": "F32"}, "e": 3})") ==
        Shapes{Shape{64, 3, 7, 7}, Shape{}, Shape{2}, std::nullopt, std::nullopt});
  CHECK(shapes("a\tConv2d\t64x3x7x7\nb\t[2, 3]\nc\nd\tLinear\ne\tLinear\tfloat32\n") ==
        Shapes{Shape{64, 3, 7, 7}, Shape{2, 3}, std::nullopt, std::nullopt, std::nullopt});
  CHECK(names("a\tConv2d\t64x3x7x7\nb\t[2, 3]\n") == Names{"a", "b"});
  const std::string header = R"({"fc.weight": {"dtype": "F32", "shape": [10, 64], "data_offsets": [0, 2560]}})";
  CHECK(shapes(safetensors(header, header.size())) == Shapes{Shape{10, 64}});
}

TEST_CASE("a shape that follows a space would be part of the name") {
  CHECK(error("fc.weight\t10x64\nconv.weight 64x3x7x7\n") ==
        "line 2: use a tab, not a space, before the shape `64x3x7x7`");
  CHECK(names("block 2\nfc box\nlinear 10x\n") == Names{"block 2", "fc box", "linear 10x"});
}

TEST_CASE("shapes are read as people write them") {
  CHECK(read_shape("64x3x7x7") == Shape{64, 3, 7, 7});
  CHECK(read_shape(" (10, 64) ") == Shape{10, 64});
  CHECK(read_shape("(10,)") == Shape{10});
  CHECK(read_shape("[]") == Shape{});
  CHECK(read_shape("7") == Shape{7});
  for (const char* text : {"", "Conv2d", "64x", "x3", "-1x3", "1.5", "[2, 3", "99999999999999999999",
                           "16777216x16777217", "1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1"}) {
    CAPTURE(text);
    CHECK_FALSE(read_shape(text));
  }
  CHECK(elements_of({64, 3, 7, 7}) == 9408);
  CHECK(elements_of({}) == 1);
  CHECK(elements_of({limits::kMaxElements, 0}) == 0);
  CHECK_FALSE(elements_of({limits::kMaxElements, 2}));
  CHECK_FALSE(elements_of({UINT64_MAX, UINT64_MAX}));
}

TEST_CASE("hostile names are refused") {
  CHECK(error(R"({"a": [1], "a": [2]})") == "has the name `a` twice");
  CHECK(error(R"({"weight_map": {"a": "1", "a": "2"}})") == "has the name `a` twice");
  CHECK(names(R"({"a": {"shape": [1], "x": 1}, "b": {"shape": [1], "x": 1}})") == Names{"a", "b"});
  CHECK(error(R"({"a": [18446744073709551615, 2]})") == "the shape of `a` is invalid or too large");
  CHECK(error(R"({"a": [-1]})") == "the shape of `a` is invalid or too large");
  CHECK(error(R"({"a": {"shape": "all"}})") == "the shape of `a` is invalid or too large");
  CHECK(error(R"({"a": {"b": )" + std::string(100'000, '[')) == "contains JSON nested more than 16 levels deep");
  CHECK(error(R"({"a": [[[[)") == "the shape of `a` is invalid or too large");
  CHECK(shapes(R"({"a": {"shape": [2]}, "__metadata__": {"shape": [3]}})") ==
        std::vector<std::optional<Shape>>{Shape{2}});
  CHECK(error("a\tLinear\t[2, 3\n") == "line 1: `[2, 3` is not a valid shape or is too large");
}

TEST_CASE("the shards of an index") {
  CHECK(shards_of(R"({"weight_map": {"a": "1.safetensors", "b": "2.safetensors", "c": "1.safetensors", "d": 4}})") ==
        Names{"1.safetensors", "2.safetensors"});
  CHECK(shards_of("a\nb\n").empty());
}

TEST_CASE("modules are lines of a name, a tab and a type") {
  const auto read = read_modules("\tNet\nfc1\tLinear\tweight\r\n\nfc2\tLinear\t10x64");
  const auto& modules = std::get<std::vector<Module>>(read);
  REQUIRE(modules.size() == 3);
  CHECK(modules[0].name.empty());
  CHECK(modules[0].type == "Net");
  CHECK(modules[1].type == "Linear");
  CHECK(modules[2].name == "fc2");
  CHECK_FALSE(modules[1].shape);
  CHECK(modules[2].shape == Shape{10, 64});
  CHECK(std::get<source::LoadError>(read_modules("fc1\tLinear\t9999999999999999x9\n")).reason ==
        "line 1: `9999999999999999x9` is not a valid shape or is too large");
  CHECK(std::get<source::LoadError>(read_modules("fc1\tLinear\nfc2")).reason ==
        "line 2: add a tab between the name and the type");
}

TEST_CASE("names that no framework has are rejected in every format") {
  const std::string sentence = " contains a control character or an invisible character";
  CHECK(error("a\x1b[1m.weight") == "line 1: the name `a\\x1b[1m.weight`" + sentence);
  CHECK(error(R"(["a\nb"])") == "the name `a\\x0ab`" + sentence);
  CHECK(error(R"({"a\u202eb": [1]})") == "the name `a\\u202eb`" + sentence);
  CHECK(error(R"({"weight_map": {"a\u0007": "b"}})") == "the name `a\\x07`" + sentence);
  CHECK(error("re:.*weight") == "line 1: the name `re:.*weight` begins with `re:`, the prefix of patterns");
  CHECK(error(std::string(4097, 'a')).ends_with("...` is longer than 4096 bytes"));
  CHECK(error("a\xff") == "line 1: the name `a\uFFFD` is not UTF-8");
  const auto modules = read_modules("a\x07\tLinear\n");
  REQUIRE(std::holds_alternative<source::LoadError>(modules));
  CHECK(std::get<source::LoadError>(modules).reason == "line 1: the name `a\\x07`" + sentence);
}

TEST_CASE("unusual names of frameworks are accepted") {
  const Names unusual = {"a/b:0", "layer 1.weight", "\u00e9.weight", "a\\b", "x.re:y"};
  for (const std::string& name : unusual) CHECK(names(name) == Names{name});
}

}  // namespace sparsecfg::model
