#include "format/format.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <string>

#include "dialect/dialect.h"
#include "source/load.h"

namespace sparsecfg::format {

static std::string formatted(const std::string& text, const std::string& name = "recipe.yaml") {
  const source::SourceFile file(name, text);
  diag::Sink sink;
  const auto result = format(file, dialect::find_dialect("sparseml")->order, {}, sink);
  REQUIRE(result);
  CHECK_FALSE(result->faulty);
  return result->text;
}

TEST_CASE("Levels are two columns apart and lists stand as most of them do") {
  CHECK(formatted("a:\n    b:\n        - 1\n        - c:   2\n          d: 3\n") ==
        "a:\n  b:\n    - 1\n    - c: 2\n      d: 3\n");
  CHECK(formatted("a:\n- 1\nb:\n- 2\nc:\n  - 3\n") == "a:\n- 1\nb:\n- 2\nc:\n- 3\n");
}

TEST_CASE("Fields stay further in than a tag that has a line of its own") {
  CHECK(formatted("    !X\n        a: 1\n        b: 2\n") == "!X\n  a: 1\n  b: 2\n");
  CHECK(formatted("m:\n    !X\n        a: 1\n") == "m:\n  !X\n    a: 1\n");
  CHECK(formatted("m:\n    !X\n    a: 1\n") == "m:\n  !X\n  a: 1\n");
  CHECK(formatted("m:\n  -\n    !X\n      a: 1\n") == "m:\n  -\n    !X\n      a: 1\n");
}

TEST_CASE("A block scalar moves as a whole") {
  CHECK(formatted("a:\n    b: |\n          one\n            two\n\n\n    c: 1\n") ==
        "a:\n  b: |\n        one\n          two\n\n  c: 1\n");
  CHECK(formatted("a:\n    b: |2\n        one\n") == "a:\n  b: |2\n      one\n");
  CHECK(formatted("a:\n    b: |+\n      one\n\n\n\n    c: 1\n") == "a:\n  b: |+\n    one\n\n\n\n  c: 1\n");
}

TEST_CASE("White space behind a block scalar stays only where it is content") {
  CHECK(formatted("a:\n    b: |\n      one\n  \n    c: 1\n") == "a:\n  b: |\n    one\n\n  c: 1\n");
  CHECK(formatted("a:\n    b: |\n      one\n  \n        \n    c: 1\n") == "a:\n  b: |\n    one\n\n      \n  c: 1\n");
  CHECK(formatted("a:\n    b: |1\n      one\n      \n") == "a:\n  b: |1\n    one\n    \n");
}

TEST_CASE("A tab that begins a line of a block scalar is content") {
  CHECK(formatted("a:\n    b: |\n      \tone\n") == "a:\n  b: |\n    \tone\n");
  CHECK(formatted("a: |\n  \t\n") == "a: |\n  \t\n");
}

TEST_CASE("A file that ends within a block scalar gets no line break, which would be content") {
  CHECK(formatted("a: |\n  one") == "a: |\n  one");
  CHECK(formatted("a: 1") == "a: 1\n");
}

TEST_CASE("A comment stays with its line") {
  CHECK(formatted("a:\n      # of b\n      b: 1 # one\n      c: 22 # two\n# left\nd: 1\n") ==
        "a:\n  # of b\n  b: 1  # one\n  c: 22  # two\n# left\nd: 1\n");
  CHECK(formatted("a: 1    # one\nbcd: 2  # two\n") == "a: 1    # one\nbcd: 2  # two\n");
  CHECK(formatted("a: 'one' # one\nb: two   # two\n") == "a: one  # one\nb: two  # two\n");
}

TEST_CASE("A comment left of all that stands before it goes to the margin, and stays there") {
  CHECK(formatted(" # all\n  - a: 1\n # b\n    b: 2\n") == "# all\n- a: 1\n# b\n  b: 2\n");
}

TEST_CASE("Quotes stay where the word would be read as something else") {
  CHECK(formatted("[a]: 1\n") == "[a]: 1\n");
  CHECK(formatted("a: ['bb', 'yes', '1e-3', 'null', 'x y', 'nan', '2024-01-01', 'a:b']\n") ==
        "a: [bb, 'yes', '1e-3', 'null', 'x y', 'nan', '2024-01-01', 'a:b']\n");
}

TEST_CASE("Fields are sorted only if an end stands before its start") {
  CHECK(formatted("m:\n  - !X\n    params: a\n    start_epoch: 0\n    end_epoch: 1\n") ==
        "m:\n  - !X\n    params: a\n    start_epoch: 0\n    end_epoch: 1\n");
  CHECK(formatted("m:\n  - !X\n    params: a\n    end_epoch: 1  # late\n    start_epoch: 0\n") ==
        "m:\n  - !X\n    start_epoch: 0\n    end_epoch: 1  # late\n    params: a\n");
  CHECK(formatted("end_epoch: 1\nstart_epoch: 0\n") == "end_epoch: 1\nstart_epoch: 0\n");
  CHECK(formatted("- !X\n  end_epoch: 1\n  end_epoch: 2\n  start_epoch: 0\n") ==
        "- !X\n  end_epoch: 1\n  end_epoch: 2\n  start_epoch: 0\n");
}

TEST_CASE("A form that is not laid out stays as it is") { CHECK(formatted("? a\n:   1\n") == "? a\n:   1\n"); }

TEST_CASE("A document is not laid out where a line would mean something else at the left margin") {
  CHECK(formatted("  --- a: 1\n") == "  --- a: 1\n");
  CHECK(formatted("  \xEF\xBB\xBFkey: 1\n") == "  \xEF\xBB\xBFkey: 1\n");
}

TEST_CASE("A tag or an anchor without a value keeps the space before the colon of its key") {
  CHECK(formatted("!X   : 1\n") == "!X   : 1\n");
  CHECK(formatted("a: {&b : 1}\n") == "a: {&b : 1}\n");
  CHECK(formatted("a: {&b: 1}\n") == "a: {&b: 1}\n");
  CHECK(formatted("a: [!X  , !Y  ]\n") == "a: [!X , !Y ]\n");
  CHECK(formatted("a: {b: !X  }\n") == "a: {b: !X }\n");
  CHECK(formatted("a: {!X  }\n") == "a: {!X }\n");
}

TEST_CASE("Line breaks stay those of the file") { CHECK(formatted("a:   1\r\nb:  2") == "a: 1\r\nb: 2\r\n"); }

TEST_CASE("The text around a front matter stays as it is") {
  CHECK(formatted("Hello   \n\n\n---\n\n\na:   1\n---\nx   \n\n\n", "card.md") ==
        "Hello   \n\n\n---\n\na: 1\n---\nx   \n\n\n");
  CHECK(formatted("+++a+  ++++++", "card.md") == "+++a+  ++++++");
}

TEST_CASE("Formatting every recipe of the cases twice is formatting it once") {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(SPARSECFG_TESTDATA)) {
    const std::string path = entry.path().string();
    const auto text = path.ends_with(".yaml") || path.ends_with(".md") ? source::read_file(path, 1 << 20)
                                                                       : source::Loaded(source::LoadError{});
    const auto* before = std::get_if<std::string>(&text);
    diag::Sink sink;
    const source::SourceFile file(path, before == nullptr ? "" : *before);
    const auto once = before == nullptr || !part_of(file) ? std::nullopt : format(file, {}, {}, sink);
    if (once) {
      INFO(path);
      CHECK_FALSE(once->faulty);
      const source::SourceFile again(path, once->text);
      CHECK(format(again, {}, {}, sink)->text == once->text);
      ++count;
    }
  }
  CHECK(count > 500);
}

}  // namespace sparsecfg::format
