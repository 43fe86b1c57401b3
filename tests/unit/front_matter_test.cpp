#include "doc/readers.h"

#include <catch2/catch.hpp>

#include "yaml_text.h"

namespace sparsecfg::test {

TEST_CASE("front matter stands between the first pair of delimiters") {
  for (const std::string_view text : {
           "«---»«\nversion: 1\n»«---»\n",
           "<!-- licence -->\n\n# Title\n\n  «---»«\na: 1\n»«---»\nmore\n---\n",
           "«+++»«a»«---»",
           "«---»«»«---»",
           "«---»«\n# »«---» pruning ---\n",
           "«---»«-\na\n»«---»",
           "text --- no\n\t\x0B\n «---»«x»«+++»",
           "one\r\n«---»«\r\na\r\n»«---»\r\n",
           "one\r«---»«a»«---»",
           "\xC2\xA0\xE2\x80\x83«---»«a»«---»",
       }) {
    INFO(text);
    const Marked expected = marked(text);
    const auto found = doc::find_front_matter(expected.text);
    REQUIRE(found);
    CHECK(found->opening == expected.spans[0]);
    CHECK(found->yaml == expected.spans[1]);
    CHECK(found->closing == expected.spans[2]);
  }
}

TEST_CASE("no pair is no front matter") {
  for (const std::string_view text :
       {"", "---", "-----", "a --- b --- c", "# x\n---\nno end\n", "- - -\n- - -\n", "\xEF\xBB\xBF---\na\n---\n"}) {
    INFO(text);
    CHECK_FALSE(doc::find_front_matter(text));
  }
}

}  // namespace sparsecfg::test
