#include "base/limit_table.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <set>
#include <string>

#include "doc/readers.h"

namespace sparsecfg::limits {

static std::string with_groups(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > 0; at -= 3)
    text.insert(static_cast<std::size_t>(at), ",");
  return text;
}

static std::string value_of(const Limit& limit) {
  constexpr std::uint64_t kKibi = 1024;
  if (limit.unit == Unit::levels) return with_groups(limit.value) + " levels";
  if (limit.unit == Unit::count) return with_groups(limit.value);
  if (limit.value < 1'000'000 && limit.value % kKibi != 0) return with_groups(limit.value) + " bytes";
  if (limit.value % (kKibi * kKibi) == 0) return fmt::format("{} MiB", limit.value / (kKibi * kKibi));
  return limit.value % kKibi == 0 ? fmt::format("{} KiB", limit.value / kKibi)
                                  : fmt::format("{} MB", limit.value / 1'000'000);
}

TEST_CASE("docs/limits.md lists all limits and no others") {
  std::ifstream file(SPARSECFG_LIMITS_PAGE);
  REQUIRE(file);
  std::set<std::string> written;
  std::string section;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("## ")) section = line.substr(3);
    const bool row = line.starts_with("| ") && !line.starts_with("| limit |") && !line.starts_with("| --- |");
    if (row) written.insert(section + ": " + line);
  }
  std::set<std::string> expected;
  for (const Limit& limit : kTable) {
    expected.insert(fmt::format("{}: | {} | {} | {} | {} |", limit.section, limit.what, value_of(limit), limit.option,
                                limit.beyond));
  }
  for (const std::string& line : expected) {
    INFO("not on the page: " << line);
    CHECK(written.contains(line));
  }
  for (const std::string& line : written) {
    INFO("not in the table: " << line);
    CHECK(expected.contains(line));
  }
}

TEST_CASE("the defaults of documents are those of the table") {
  constexpr doc::Limits defaults;
  CHECK(defaults.bytes == kMaxFileBytes);
  CHECK(defaults.depth == kMaxNesting);
  CHECK(defaults.nodes == kMaxNodes);
  CHECK(defaults.scalar_bytes == kMaxScalarBytes);
}

}  // namespace sparsecfg::limits
