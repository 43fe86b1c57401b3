#include "base/text.h"

#include <catch2/catch.hpp>
#include <string>

namespace sparsecfg::base {

TEST_CASE("texts that are the same have no difference") { CHECK(unified_diff("a\nb\n", "a\nb\n", "x").empty()); }

TEST_CASE("a change is shown with what stands around it") {
  CHECK(unified_diff("a\nb\nc\n", "a\nB\nc\n", "x") == "--- x\n+++ x\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n");
  CHECK(unified_diff("", "a\n", "x") == "--- x\n+++ x\n@@ -0,0 +1,1 @@\n+a\n");
  CHECK(unified_diff("a", "a\n", "x") == "--- x\n+++ x\n@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n");
}

TEST_CASE("changes that are far apart are shown apart") {
  const std::string before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n";
  std::string after = before;
  after.replace(0, 1, "one").replace(after.find("12"), 2, "twelve");
  CHECK(unified_diff(before, after, "x") ==
        "--- x\n+++ x\n@@ -1,4 +1,4 @@\n-1\n+one\n 2\n 3\n 4\n@@ -9,4 +9,4 @@\n 9\n 10\n 11\n-12\n+twelve\n");
}

TEST_CASE("what a terminal would obey is shown as an escape, in names too") {
  CHECK(unified_diff("\x1b]0;x\n", "a\tb\r\n", "x\n\x1b") ==
        "--- x\\x0a\\x1b\n+++ x\\x0a\\x1b\n@@ -1,1 +1,1 @@\n-\\x1b]0;x\n+a\tb\r\n");
}

}  // namespace sparsecfg::base
