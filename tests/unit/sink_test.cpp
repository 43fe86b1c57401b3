#include "diag/sink.h"

#include <catch2/catch.hpp>

namespace sparsecfg::diag {

TEST_CASE("a report takes what is fixed from the catalogue") {
  Sink sink;
  sink.report(duplicate_key, {3, 7}, "lr").with_help("delete one").with_caret("again").with_label({0, 2}, "first");
  const auto all = sink.take();
  REQUIRE(all.size() == 1);
  CHECK(all[0].info->code == "SP004");
  CHECK(all[0].info->name == "duplicate-key");
  CHECK(all[0].severity == Severity::error);
  CHECK(all[0].message == "duplicate key `lr`; the last value is used");
  CHECK(all[0].help == "delete one");
  CHECK(all[0].caret == "again");
  REQUIRE(all[0].labels.size() == 1);
  CHECK(all[0].labels[0] == Label{{0, 2}, "first"});
}

TEST_CASE("diagnostics are counted by the severity they were given") {
  Sink sink;
  CHECK_FALSE(sink.has_errors());
  sink.report(duplicate_key, {0, 1}, "a").with_severity(Severity::warning);
  CHECK_FALSE(sink.has_errors());
  sink.report(empty_document, {0, 0});
  CHECK(sink.has_errors());
  CHECK(sink.count(Severity::warning) == 1);
  CHECK(sink.count(Severity::error) == 1);
}

TEST_CASE("a sink for errors alone wants no warnings, and keeps those that are reported all the same") {
  Sink sink(true);
  CHECK(sink.wants(duplicate_key));
  CHECK_FALSE(sink.wants(two_pruners_one_param));
  CHECK(Sink().wants(two_pruners_one_param));
  sink.report(two_pruners_one_param, {0, 1}, "a");
  CHECK(sink.count(Severity::warning) == 1);
}

TEST_CASE("diagnostics come out by place, then by code, repeated ones once") {
  Sink sink;
  sink.report(duplicate_key, {9, 10}, "b");
  sink.report(duplicate_key, {2, 4}, "a");
  sink.report(syntax_error, {2, 4}, "later found, lower code");
  sink.report(duplicate_key, {9, 10}, "b");
  sink.report(duplicate_key, {2, 3}, "shorter");
  const auto all = sink.take();
  REQUIRE(all.size() == 4);
  CHECK(all[0].message.find("shorter") != std::string::npos);
  CHECK(all[1].info->code == "SP001");
  CHECK(all[2].span == source::Span{2, 4});
  CHECK(all[3].span == source::Span{9, 10});
  CHECK(sink.take().empty());
}

TEST_CASE("a finding is dropped beside one of a rule that knows more about the same fault") {
  const auto codes_with = [](bool stronger) {
    Sink sink;
    sink.report(duplicate_key, {0, 1}, "a").not_beside(tied_head);
    sink.report(duplicate_key, {4, 5}, "b");
    if (stronger) sink.report(tied_head, {8, 9}, "a", "b", "c").with_severity(Severity::info);
    std::string out;
    for (const Diagnostic& each : sink.take()) out += std::string(each.info->code) + " ";
    return out;
  };
  CHECK(codes_with(false) == "SP004 SP004 ");
  CHECK(codes_with(true) == "SP004 MD917 ");
}

static constexpr std::uint32_t kMaxOfOneCode = 500;

TEST_CASE("findings of one code are limited, and the rest is counted in one more") {
  Sink sink;
  for (std::uint32_t at = 0; at < kMaxOfOneCode + 7; ++at) {
    sink.report(duplicate_key, {at, at + 1}, "a").with_help("help of its own");
  }
  sink.report(syntax_error, {1, 2}, "of another code");
  const auto all = sink.take();
  REQUIRE(all.size() == kMaxOfOneCode + 2);
  CHECK(all.back().message == "7 more findings of " + std::string(all.back().info->code) + " are not listed");
  CHECK(all.back().severity == all.front().severity);
}

TEST_CASE("of very many findings the first by place are kept, wherever they are reported") {
  constexpr std::uint32_t kMany = 20'000;
  Sink sink;
  for (std::uint32_t at = kMany; at > 0; --at) {
    sink.report(duplicate_key, {at, at + 1}, "a");
  }
  sink.report(syntax_error, {0, 1}, "of another code");
  CHECK(sink.has_errors());
  const auto all = sink.take();
  REQUIRE(all.size() == kMaxOfOneCode + 2);
  CHECK(all[0].info->code == "SP001");
  CHECK(all[1].span == source::Span{1, 2});
  CHECK(all[kMaxOfOneCode].span == source::Span{kMaxOfOneCode, kMaxOfOneCode + 1});
  CHECK(all.back().message == "19500 more findings of SP004 are not listed");
  CHECK(sink.take().empty());
}

TEST_CASE("as many findings as the limit are all listed") {
  Sink sink;
  for (std::uint32_t at = 0; at < kMaxOfOneCode; ++at) {
    sink.report(duplicate_key, {at, at + 1}, "a");
  }
  CHECK(sink.take().size() == kMaxOfOneCode);
}

}  // namespace sparsecfg::diag
