#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

#include "base/text.h"
#include "lsp/protocol.h"
#include "lsp/text.h"

namespace sparsecfg::lsp {
namespace {

// The plain way to count, for comparison.
Position counted_position(const std::string& text, std::size_t offset) {
  Position out;
  for (std::size_t at = 0; at < offset;) {
    const bool pair = text.compare(at, 2, "\r\n") == 0;
    if ((text[at] == '\n' || text[at] == '\r') && !(pair && at + 1 == offset)) {
      at += pair ? 2 : 1;
      out = {out.line + 1, 0};
      continue;
    }
    const char32_t code_point = base::next_code_point(text, at);
    if (at <= offset) out.character += code_point > 0xFFFF && code_point != base::kNotUtf8 ? 2 : 1;
  }
  return out;
}

std::size_t boundary(const std::string& text, std::size_t at) {
  while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U) ++at;
  return at;
}

std::string random_text(std::mt19937& random, std::size_t parts) {
  static const std::vector<std::string> kParts = {"a", "b: 1", "\n", "\r\n", "\r", "é", "€", "😀", "  - x", "\n\n"};
  std::string out;
  for (std::size_t at = 0; at < parts; ++at) out += kParts[random() % kParts.size()];
  return out;
}

void check_positions(const Text& text, const std::string& model, std::mt19937& random) {
  REQUIRE(text.bytes() == model);
  REQUIRE(text.size() == model.size());
  for (int probe = 0; probe < 20; ++probe) {
    const auto offset = static_cast<std::uint32_t>(random() % (model.size() + 2));
    const std::size_t inside = std::min<std::size_t>(offset, model.size());
    CHECK(text.position(offset) == counted_position(model, inside));
    const auto begin = static_cast<std::uint32_t>(boundary(model, inside));
    const bool splits = begin > 0 && begin < model.size() && model[begin] == '\n' && model[begin - 1] == '\r';
    if (!splits) CHECK(text.offset(text.position(begin)) == begin);
  }
}

}  // namespace

TEST_CASE("a text that is changed piece by piece is what its bytes are") {
  std::mt19937 random(45);
  for (int round = 0; round < 20; ++round) {
    std::string model = random_text(random, random() % 3000);
    Text text(model);
    for (int edit = 0; edit < 60; ++edit) {
      auto begin = static_cast<std::uint32_t>(boundary(model, random() % (model.size() + 1)));
      const std::size_t length = random() % (edit % 10 == 0 ? 2000 : 8);
      auto end = static_cast<std::uint32_t>(boundary(model, std::min(model.size(), begin + length)));
      const std::string typed = random_text(random, random() % (edit % 15 == 0 ? 1000 : 4));
      text.replace({begin, end}, typed);
      model.replace(begin, end - begin, typed);
      if (edit % 4 == 0) check_positions(text, model, random);
    }
    check_positions(text, model, random);
  }
}

TEST_CASE("a text that becomes empty has one line") {
  Text text(std::string(2000, 'x'));
  text.replace({0, 2000}, "");
  CHECK(text.bytes().empty());
  CHECK(text.position(7) == Position{0, 0});
  CHECK(text.offset({3, 4}) == 0);
  text.replace({0, 0}, "a\nb");
  CHECK(text.line(1).begin == 2);
  CHECK(text.line(1).end == 3);
}

TEST_CASE("places outside of a text count as its ends") {
  const Text text("ab\r\n😀\n");
  CHECK(text.offset({0, 99}) == 2);
  CHECK(text.offset({1, 1}) == 4);  // the second half of the character
  CHECK(text.offset({1, 2}) == 8);
  CHECK(text.offset({2, 0}) == 9);
  CHECK(text.offset({99, 0}) == 9);
  CHECK(text.position(3) == Position{0, 3});  // between CR and LF
  CHECK(text.line(99).empty());
}

TEST_CASE("the shape of a message is counted without parsing it") {
  CHECK(shape_of("[[[]]]").depth == 3);
  CHECK(shape_of(R"({"a": "[[[[\"{{{"})").depth == 1);
  CHECK(shape_of("[1, 2, 3]").values == 3);
  CHECK(shape_of(R"("a,b,c")").values == 0);
  CHECK(shape_of("]]]][").depth == 1);
  CHECK(shape_of("\"no end").depth == 0);
}

}  // namespace sparsecfg::lsp
