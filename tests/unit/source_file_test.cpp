#include "source/source_file.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <utility>

namespace sparsecfg::source {

static std::pair<unsigned, unsigned> at(const SourceFile& file, std::uint32_t offset) {
  const Position position = file.position(offset);
  return {position.line, position.column};
}

TEST_CASE("lines end with LF, CR LF or a lone CR") {
  const SourceFile file("a.yaml", "one\ntwo\r\nthree\rfour");
  REQUIRE(file.line_count() == 4);
  CHECK(file.text(file.line_span(1)) == "one");
  CHECK(file.text(file.line_span(2)) == "two");
  CHECK(file.text(file.line_span(3)) == "three");
  CHECK(file.text(file.line_span(4)) == "four");
  CHECK(at(file, 4) == std::pair(2U, 1U));
  CHECK(at(file, 9) == std::pair(3U, 1U));
  CHECK(at(file, 15) == std::pair(4U, 1U));
}

TEST_CASE("columns count code points") {
  const SourceFile file("a.yaml", "x: \xC3\xA9\xE6\xB8\xAC!\n");
  CHECK(at(file, 3) == std::pair(1U, 4U));
  CHECK(at(file, 4) == std::pair(1U, 4U));  // inside the accented letter
  CHECK(at(file, 5) == std::pair(1U, 5U));
  CHECK(at(file, 8) == std::pair(1U, 6U));
}

TEST_CASE("the end of the text is a place") {
  CHECK(at(SourceFile("empty", ""), 0) == std::pair(1U, 1U));
  CHECK(at(SourceFile("one line", "ab"), 2) == std::pair(1U, 3U));
  CHECK(at(SourceFile("line end", "ab\n"), 3) == std::pair(2U, 1U));
  CHECK(at(SourceFile("beyond", "ab"), 99) == std::pair(1U, 3U));
  CHECK(SourceFile("empty", "").line_span(1) == Span{0, 0});
}

TEST_CASE("columns are right on both sides of every block border") {
  std::string text;
  while (text.size() < 5000) {
    text += "\xE2\x82\xAC.";  // four bytes, two characters
  }
  const SourceFile file("long", text);
  for (std::uint32_t offset = 0; offset < text.size(); offset += 4) {
    REQUIRE(file.position(offset).column == offset / 2 + 1);
    REQUIRE(file.position(offset + 3).column == offset / 2 + 2);
  }
}

TEST_CASE("a place in a very long line is cheap to find") {
  const SourceFile file("long", std::string(4U << 20, 'x'));
  const auto start = std::chrono::steady_clock::now();
  std::uint64_t sum = 0;
  for (std::uint32_t offset = 0; offset < file.text().size(); offset += 100) {
    sum += file.position(offset).column;
  }
  CHECK(sum > 0);
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(5));
}

}  // namespace sparsecfg::source
