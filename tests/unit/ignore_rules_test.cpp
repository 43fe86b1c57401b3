#include "source/ignore_rules.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <string>

namespace sparsecfg::source {

static std::string verdict(const char* rules, const char* path, bool is_folder = false) {
  const auto ignored = IgnoreRules(rules).ignores(path, is_folder);
  return !ignored ? "none" : *ignored ? "ignored" : "kept";
}

TEST_CASE("patterns of ignore files") {
  CHECK(verdict("*.yaml", "a/b.yaml") == "ignored");
  CHECK(verdict("*.yaml", "a/b.yml") == "none");
  CHECK(verdict("/b.yaml", "a/b.yaml") == "none");
  CHECK(verdict("/b.yaml", "b.yaml") == "ignored");
  CHECK(verdict("a/b.yaml", "x/a/b.yaml") == "none");
  CHECK(verdict("**/b.yaml", "x/a/b.yaml") == "ignored");
  CHECK(verdict("a/**", "a/x/y") == "ignored");
  CHECK(verdict("a/**", "a", true) == "none");
  CHECK(verdict("a/**/b", "a/b") == "ignored");
  CHECK(verdict("a/**/b", "a/x/y/b") == "ignored");
  CHECK(verdict("a/*/b", "a/x/y/b") == "none");
  CHECK(verdict("build/", "x/build", true) == "ignored");
  CHECK(verdict("build/", "build", false) == "none");
  CHECK(verdict("[a-c]?.md", "b1.md") == "ignored");
  CHECK(verdict("[!a-c]1.md", "b1.md") == "none");
  CHECK(verdict("[a", "a") == "none");
  CHECK(verdict("\\#x", "#x") == "ignored");
  CHECK(verdict("\\!x", "!x") == "ignored");
  CHECK(verdict("# a comment\n\n  ", "x") == "none");
  CHECK(verdict("x  \r\n", "x") == "ignored");
}

TEST_CASE("the last pattern that matches counts") {
  CHECK(verdict("*.yaml\n!keep.yaml", "keep.yaml") == "kept");
  CHECK(verdict("!keep.yaml\n*.yaml", "keep.yaml") == "ignored");
  CHECK(verdict("a\n!a", "b/a") == "kept");
  CHECK(verdict("!a\na/", "a", true) == "ignored");
  CHECK(verdict("!a\na/", "a", false) == "kept");
  CHECK(verdict("a/b\n!b\n", "a/b") == "kept");
  CHECK(verdict("!b\n/a/b\n", "a/b") == "ignored");
  CHECK(verdict("/a/b\n!a/*\n", "a/b") == "kept");
}

TEST_CASE("thousands of patterns take no time") {
  std::string plain;
  std::string globs;
  for (int count = 0; count < 100'000; ++count) {
    plain += "name" + std::to_string(count) + "\n/folder/path" + std::to_string(count) + "\n";
    globs += "*q" + std::to_string(count) + "x\n";
  }
  const IgnoreRules rules(plain);
  const IgnoreRules capped(globs);
  CHECK(rules.ignores("a/name99999", false) == true);
  CHECK(rules.ignores("folder/path99999", false) == true);
  CHECK(capped.ignores("aq4999x", false) == true);
  CHECK_FALSE(capped.ignores("bq5000x", false).has_value());
  const auto start = std::chrono::steady_clock::now();
  for (int count = 0; count < 2000; ++count) CHECK_FALSE(rules.ignores("folder/other.yaml", false).has_value());
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(1));
}

TEST_CASE("a file in an ignored folder is ignored") {
  const IgnoreRules rules("old/\n!old/keep.yaml");
  CHECK(rules.ignores_file("old/keep.yaml"));
  CHECK(rules.ignores_file("a/old/b/c.yaml"));
  CHECK_FALSE(rules.ignores_file("older/c.yaml"));
}

TEST_CASE("patterns with many stars take no time") {
  std::string pattern;
  for (int count = 0; count < 100; ++count) pattern += "*a";
  const auto start = std::chrono::steady_clock::now();
  CHECK(verdict((pattern + "b").c_str(), std::string(2000, 'a').c_str()) == "none");
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(2));
}

}  // namespace sparsecfg::source
