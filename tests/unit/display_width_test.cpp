#include "base/text.h"

#include <catch2/catch.hpp>

namespace sparsecfg::base {

TEST_CASE("columns of a character") {
  CHECK(display_width(U'a') == 1);
  CHECK(display_width(U'\u00e9') == 1);
  CHECK(display_width(U'\u0301') == 0);      // combining acute accent
  CHECK(display_width(U'\u6e2c') == 2);      // a Han character
  CHECK(display_width(U'\uff21') == 2);      // full-width A
  CHECK(display_width(U'\U0001F600') == 2);  // an emoji
  CHECK(display_width(U'\ufffd') == 1);
}

TEST_CASE("columns of a text") {
  CHECK(display_width("") == 0);
  CHECK(display_width("cafe\xCC\x81") == 4);
  CHECK(display_width("\xE6\xB8\xAC\xE8\xA9\xA6.") == 5);
}

}  // namespace sparsecfg::base
