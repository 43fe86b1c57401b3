#include "diag/page.h"

#include <catch2/catch.hpp>
#include <string>

#include "base/text.h"

namespace sparsecfg::diag {

TEST_CASE("pages without a width and without color are not changed") {
  const std::string text =
      "phases\n  pruning           1 to 4 and further words that are wider than a narrow terminal\n";
  CHECK(as_page(text, {}) == text);
}

TEST_CASE("a row of two columns continues below its second column") {
  CHECK(as_page("targets        one two three four five six\n", {.columns = 30}) ==
        "targets        one two three\n               four five six\n");
}

TEST_CASE("other lines continue two columns to the right") {
  CHECK(as_page("  ignores `a b c d`, lm_head and embed_tokens\n", {.columns = 30}) ==
        "  ignores `a b c d`, lm_head\n    and embed_tokens\n");
}

TEST_CASE("a second column that starts far to the right is not used for continuations") {
  CHECK(as_page("  a_long_name_of_a_layer    selected by it\n", {.columns = 36}) ==
        "  a_long_name_of_a_layer\n    selected by it\n");
}

TEST_CASE("a row of three columns continues below its second column") {
  CHECK(as_page("  pruning  1 to 4  GMPruningModifier#1, observers off\n", {.columns = 40}) ==
        "  pruning  1 to 4  GMPruningModifier#1,\n           observers off\n");
}

TEST_CASE("rows of tables are not wrapped") {
  const std::string row = "Linear  W4A16  24  1000  4.16  30 MB\n";
  CHECK(as_page(row, {.columns = 20}) == row);
}

TEST_CASE("headings, first columns and results have colors") {
  const std::string page = as_page("phases\n  pruning  1 to 4\na: exact\n- a\n+ b\n", {.color = true});
  CHECK(page ==
        "\x1b[1mphases\x1b[0m\n\x1b[1m  pruning\x1b[0m  1 to 4\na: \x1b[38;5;28mexact\x1b[0m\n"
        "\x1b[38;5;160m- a\x1b[0m\n\x1b[38;5;28m+ b\x1b[0m\n");
}

}  // namespace sparsecfg::diag
