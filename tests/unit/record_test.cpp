#include "dialect/record/check.h"

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "diag/catalog.h"
#include "dialect/record/conditions.h"
#include "dialect/record/types.h"

namespace sparsecfg::dialect {

using namespace std::string_view_literals;  // rows of this test

using source::Value;

constexpr std::string_view kWords[] = {"linear", "cubic"};
constexpr FieldSpec kInnerFields[] = {
    {.name = "bits", .type = Type::whole, .required = true, .doc = "Number of bits."}};
constexpr ClassSpec kInner{.name = "Inner", .fields = kInnerFields};
constexpr ClassSpec kOpen{.name = "Open", .fields = kInnerFields, .open = true};
constexpr FieldSpec kFields[] = {
    {.name = "epochs", .type = Type::real, .default_value = "3", .bounds = {.min = -1}, .unit = Unit::epochs},
    {.name = "ratio",
     .type = Type::exact_float,
     .default_value = "0.5",
     .bounds = {.min = 0, .max = 1, .max_excluded = true}},
    {.name = "shape", .type = Type::choice, .default_value = "linear", .choices = kWords},
    {.name = "flag", .type = Type::boolean, .default_value = "true", .nullable = true},
    {.name = "inner", .type = Type::record, .default_value = "null", .record = &kInner},
    {.name = "open", .type = Type::record, .default_value = "null", .record = &kOpen},
    {.name = "named", .type = Type::named_records, .default_value = "null", .record = &kInner},
};
constexpr FieldSpec kCommon[] = {{.name = "index", .type = Type::whole, .required = true, .doc = "Position."}};
constexpr ClassSpec kClass{.name = "Class", .fields = kFields, .common = kCommon};

static source::Map map_of(std::vector<std::pair<std::string, Value::Data>> entries) {
  source::Map map;
  for (auto& [key, data] : entries) map.emplace_back(Value{std::move(key), {}}, Value{std::move(data), {}});
  return map;
}

struct Checked {
  Record record;
  std::vector<diag::Diagnostic> reports;
};

static Checked check(std::vector<std::pair<std::string, Value::Data>> entries, bool with_index = true) {
  if (with_index) entries.emplace_back("index", std::int64_t{1});
  const source::SourceFile file("a.yaml", "");
  diag::Sink sink;
  Record record{&kClass, {}, fields_of(map_of(std::move(entries))), true, {}, {}, 1};
  check_fields(Policy(file, sink, "A framework"), record);
  return {std::move(record), sink.take()};
}

static std::vector<std::string_view> codes(const Checked& checked) {
  std::vector<std::string_view> out;
  for (const diag::Diagnostic& report : checked.reports) out.push_back(report.info->name);
  return out;
}

using Names = std::vector<std::string_view>;

TEST_CASE("a record gives values, defaults and nothing") {
  const Record record = check({{"epochs", std::string("1e-1")}, {"flag", std::monostate{}}}).record;
  CHECK(record.valid);
  CHECK(record.number("epochs"sv) == 0.1);
  CHECK(record.number("ratio"sv) == 0.5);
  CHECK_FALSE(record.number("other"sv));
  CHECK(record.text("shape"sv) == "linear");
  CHECK(record.text("epochs"sv) == "1e-1");
  CHECK(record.text("flag"sv).empty());
  CHECK_FALSE(record.flag("flag"sv));
  CHECK(record.find("flag"sv) != nullptr);
  CHECK(record.given("flag"sv) == nullptr);
  CHECK_FALSE(record.gives("flag"sv));
  CHECK(check({}).record.flag("flag"sv));
}

TEST_CASE("fields keep their order, and a name finds the first of them") {
  const std::vector<std::string> names = {"b", "a", "c", "a", ""};
  std::vector<Field> all;
  for (std::size_t at = 0; at < names.size(); ++at) {
    all.push_back({names[at], {static_cast<std::uint32_t>(at), 0}, {}});
  }
  const Fields fields(std::move(all));
  CHECK(fields.size() == names.size());
  CHECK(fields.begin()->name == "b");
  CHECK(fields.find("a"sv)->key.begin == 1);
  CHECK(fields.find(""sv)->key.begin == 4);
  CHECK(fields.find("d"sv) == nullptr);
  CHECK(Fields().find("a"sv) == nullptr);
}

TEST_CASE("unknown and missing fields are reported, with what was meant") {
  const Checked unknown = check({{"ratoi", 0.5}});
  CHECK(codes(unknown) == Names{"unknown-field"});
  CHECK(unknown.reports.front().help == "did you mean `ratio`?");
  CHECK_FALSE(unknown.record.valid);
  const Checked missing = check({}, false);
  CHECK(codes(missing) == Names{"missing-required"});
  CHECK_FALSE(missing.record.valid);
  CHECK(codes(check({{"indx", std::int64_t{1}}}, false)) == Names{"unknown-field"});
}

TEST_CASE("a value fits its type") {
  CHECK(codes(check({{"epochs", true}})).empty());
  CHECK(codes(check({{"epochs", std::string("soon")}})) == Names{"wrong-type"});
  CHECK(check({{"epochs", std::string("soon")}}).reports.front().message ==
        "`epochs` must be a number of epochs, but this is the string `soon`");
  CHECK(codes(check({{"epochs", std::monostate{}}})) == Names{"wrong-type"});
  CHECK(codes(check({{"flag", std::string("yes")}})).empty());
  CHECK(codes(check({{"flag", std::string("perhaps")}})) == Names{"wrong-type"});
  CHECK(codes(check({{"flag", 2.0}})) == Names{"wrong-type"});
}

TEST_CASE("an integer is no float") {
  CHECK(codes(check({{"ratio", std::int64_t{0}}})) == Names{"float-required"});
  CHECK(check({{"ratio", std::int64_t{0}}}).reports.front().help == "write `0.0`");
  CHECK(check({{"ratio", std::int64_t{50}}}).reports.front().help ==
        "write `0.5`: a sparsity is a fraction (0 to 1), not a percentage");
  CHECK(codes(check({{"ratio", true}})) == Names{"wrong-type"});
}

TEST_CASE("a number stays within its bounds") {
  CHECK(codes(check({{"ratio", 0.0}})).empty());
  CHECK(codes(check({{"ratio", 1.0}})) == Names{"sparsity-out-of-range"});
  CHECK(codes(check({{"epochs", -2.0}})) == Names{"number-out-of-range"});
  CHECK(check({{"epochs", -2.0}}).reports.front().message ==
        "`epochs` -2.0 is outside [-1.0, inf], so `Class` rejects it");
  CHECK(codes(check({{"ratio", -0.1}})) == Names{"sparsity-out-of-range"});
  CHECK(codes(check({{"epochs", -1.0}})).empty());
  CHECK(codes(check({{"epochs", std::string("-1.5")}})) == Names{"number-out-of-range"});
  CHECK(interval(kFields[1].bounds) == "[0.0, 1.0)");
}

TEST_CASE("a choice is one of its words") {
  CHECK(codes(check({{"shape", std::string("cubic")}})).empty());
  const Checked wrong = check({{"shape", std::string("cubik")}});
  CHECK(codes(wrong) == Names{"unknown-choice"});
  CHECK(wrong.reports.front().help == "did you mean `cubic`?");
  CHECK(codes(check({{"shape", std::string("Cubic")}})) == Names{"unknown-choice"});
  CHECK(codes(check({{"shape", 1.0}})) == Names{"wrong-type"});
}

TEST_CASE("records within fields are checked likewise") {
  const source::Map good = map_of({{"bits", std::int64_t{8}}});
  const source::Map bad = map_of({{"bits", 8.5}, {"more", true}});
  CHECK(codes(check({{"inner", good}})).empty());
  CHECK(codes(check({{"inner", bad}})) == Names{"wrong-type", "unknown-field"});
  CHECK(codes(check({{"open", bad}})) == Names{"wrong-type"});
  CHECK(codes(check({{"inner", source::Map()}})) == Names{"missing-required"});
  CHECK(codes(check({{"named", map_of({{"a", good}})}})).empty());
  CHECK(codes(check({{"named", map_of({{"a", bad}, {"b", true}})}})) ==
        Names{"wrong-type", "wrong-type", "unknown-field"});
}

TEST_CASE("types are named in words") {
  CHECK(describe({.name = "a", .type = Type::text | Type::texts}) == "a string or a list of strings");
  CHECK(describe({.name = "a"}) == "anything");
}

constexpr diag::Info kRejectedInfo{"T001", "rejected",    diag::Severity::error, false, false, "`{}` of `{}` is {}",
                                   "",     "delete `{0}`"};
constexpr diag::Info kUnwiseInfo{"T002", "unwise", diag::Severity::warning, false, false, "{2} is negative", "", ""};
constexpr ValueRule kRejected{kRejectedInfo};
constexpr ValueRule kUnwise{kUnwiseInfo};
constexpr Unsupported kSizes[] = {{is::zero, kRejected, true}, {is::negative, kUnwise}, {is::anything, kRejected}};
constexpr FieldSpec kSize[] = {{.name = "size", .default_value = "1", .unsupported = std::span(kSizes).first<2>()},
                               {.name = "any", .default_value = "1", .unsupported = kSizes}};
constexpr ClassSpec kLimited{.name = "Limited", .fields = kSize};

static std::pair<bool, std::vector<diag::Diagnostic>> check_limits(std::string_view name, Value::Data data,
                                                                   bool valid = true) {
  diag::Sink sink;
  std::vector<Field> fields = {{std::string(name), {0, 4}, {std::move(data), {6, 7}}, kLimited.find(name), valid}};
  const bool accepted = check_unsupported(Record{&kLimited, {}, std::move(fields), true, {}, {}, 1}, sink);
  return {accepted, sink.take()};
}

TEST_CASE("a value that a row does not support is reported with the rule of the row") {
  const auto [accepted, reports] = check_limits("size", std::int64_t{0});
  CHECK_FALSE(accepted);
  REQUIRE(reports.size() == 1);
  CHECK(reports[0].message == "`size` of `Limited` is 0");
  CHECK(reports[0].help == "delete `size`");
  CHECK(reports[0].span == source::Span{6, 7});
  CHECK_FALSE(reports[0].fix.edits.empty());
}

TEST_CASE("a value with a warning is accepted, and only the first rule that fits is reported") {
  for (const std::string_view name : {"size", "any"}) {
    const auto [accepted, reports] = check_limits(name, std::int64_t{-2});
    CHECK(accepted);
    REQUIRE(reports.size() == 1);
    CHECK(reports[0].message == "-2 is negative");
    CHECK(reports[0].fix.edits.empty());
  }
}

TEST_CASE("supported and invalid values are not reported by rules of rows") {
  CHECK(check_limits("size", std::int64_t{1}).second.empty());
  CHECK(check_limits("size", std::int64_t{0}, false).second.empty());
}

}  // namespace sparsecfg::dialect
