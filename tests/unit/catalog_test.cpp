#include "diag/catalog.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "base/text.h"
#include "diag/sink.h"

namespace sparsecfg::diag {

// A message may begin with a name that is written with a capital everywhere.
static bool starts_well(std::string_view message) {
  constexpr std::array<std::string_view, 12> kNames = {"SparseML", "PyYAML",    "Python",    "PyTorch",
                                                       "Keras",    "YAML",      "N:M",       "Axolotl",
                                                       "NNI",      "GPTQModel", "AutoRound", "GGUF"};
  const char first = message.front();
  return (first >= 'a' && first <= 'z') || first == '`' || first == '{' ||
         std::ranges::any_of(kNames, [&](std::string_view name) { return message.starts_with(name); });
}

TEST_CASE("codes are two letters and three digits, names are kebab-case and unique") {
  std::set<std::string_view> names;
  for (const Info* info : catalog()) {
    CAPTURE(info->code, info->name);
    CHECK(info->code.size() == 5);
    CHECK(info->code.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ") == 2);
    CHECK(std::ranges::all_of(info->code.substr(2), base::is_digit));
    CHECK(info->name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string_view::npos);
    CHECK(names.insert(info->name).second);
  }
}

TEST_CASE("every rule has a family, and every family has rules") {
  std::set<const Family*> used;
  for (const Info* info : catalog()) {
    CAPTURE(info->code);
    REQUIRE(family_of(info->code) != nullptr);
    used.insert(family_of(info->code));
  }
  CHECK(used.size() == families().size());
  CHECK(family_of("XY101") == nullptr);
}

TEST_CASE("messages keep to the wording rules") {
  for (const Info* info : catalog()) {
    CAPTURE(info->code, info->message);
    REQUIRE_FALSE(info->message.empty());
    CHECK(starts_well(info->message));
    CHECK_FALSE(info->message.ends_with('.'));
    CHECK(info->message.find('\n') == std::string_view::npos);
    CHECK(std::ranges::count(info->message, '`') % 2 == 0);
    const std::string words = base::to_lower(info->message);
    CHECK(words.find("invalid") == std::string::npos);
    CHECK(words.find("illegal") == std::string::npos);
  }
}

TEST_CASE("every diagnostic is explained in whole sentences") {
  for (const Info* info : catalog()) {
    CAPTURE(info->code, info->explanation);
    REQUIRE_FALSE(info->explanation.empty());
    CHECK((info->explanation.ends_with('.') || info->explanation.ends_with(".)")));
    CHECK(info->explanation.find("  ") == std::string_view::npos);
    CHECK(std::ranges::count(info->explanation, '`') % 2 == 0);
  }
}

TEST_CASE("every diagnostic has a help line that is an order") {
  for (const Info* info : catalog()) {
    CAPTURE(info->code, info->help);
    REQUIRE_FALSE(info->help.empty());
    CHECK_FALSE(info->help.ends_with('.'));
    const char first = info->help.front();
    CHECK(((first >= 'a' && first <= 'z') || first == '`'));
    CHECK(std::ranges::count(info->help, '`') % 2 == 0);
  }
}

TEST_CASE("a report without a help of its own has that of the catalogue, with the message's arguments") {
  Sink sink;
  sink.report(wrong_type, {}, "op_types", "a list of strings", "the int 3");
  sink.report(missing_required, {}, "GMPruningModifier", "params").with_help("add it");
  const auto findings = sink.take();
  REQUIRE(findings.size() == 2);
  CHECK(findings[0].help == "add it");
  CHECK(findings[1].help == "write a list of strings");
}

TEST_CASE("a diagnostic is found by code and by name in any case") {
  REQUIRE(find("SP004") != nullptr);
  CHECK(find("SP004")->name == "duplicate-key");
  CHECK(find("sp004") == find("SP004"));
  CHECK(find("Duplicate-Key") == find("SP004"));
  CHECK(find("SP999") == nullptr);
  CHECK(find("") == nullptr);
}

}  // namespace sparsecfg::diag
