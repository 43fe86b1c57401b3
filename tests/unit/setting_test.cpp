#include "dialect/record/setting.h"

#include <catch2/catch.hpp>
#include <utility>

#include "diag/sink.h"
#include "dialect/record/check.h"

namespace sparsecfg::test {

using namespace std::string_view_literals;  // rows of this test
using namespace dialect;

constexpr FieldSpec kRows[] = {
    {.name = "block_size", .type = Type::whole, .default_value = "128"},
    {.name = "scheme", .type = Type::text | Type::mapping, .default_value = "null", .nullable = true},
    {.name = "mask_structure", .type = Type::text, .default_value = "0:0"},
    {.name = "targets", .type = Type::texts, .default_value = "[R1, R2]"},
};
constexpr ClassSpec kSpec{.name = "Class", .fields = kRows};

// Returns a checked record with one field.
static Record record_of(std::string_view name, source::Value::Data data) {
  const source::SourceFile file("a.yaml", "scheme: W4A16");
  diag::Sink sink;
  source::Map map;
  map.emplace_back(source::Value{std::string(name), {}}, source::Value{std::move(data), {3, 5}});
  Record record{&kSpec, {1, 2}, fields_of(map), true, {}, {}, 1};
  check_fields(Policy(file, sink, "A framework"), record);
  return record;
}

TEST_CASE("settings of absent fields have the defaults of their rows", "[record]") {
  const Record record = record_of("scheme", std::string("W4A16"));
  const Setting<std::int64_t> size(record, "block_size");
  CHECK(*size == 128);
  CHECK(size.given() == nullptr);
  CHECK(size.place() == source::Span{1, 2});
  CHECK(*Setting<std::string>(record, "mask_structure") == "0:0");
  const source::Value targets = default_of(record, "targets");
  CHECK(targets == source::Value{source::List{{std::string("R1"), {}}, {std::string("R2"), {}}}, {}});
}

TEST_CASE("settings read a value of one of several types", "[record]") {
  const Record name = record_of("scheme", std::string("W4A16"));
  CHECK(*Setting<std::string>(name, "scheme") == "W4A16");
  CHECK_FALSE(Setting<Pairs>(name, "scheme"));
  const Record map =
      record_of("scheme", source::Map{{source::Value{std::string("W4A16"), {}}, source::Value{source::List{}, {}}}});
  CHECK_FALSE(Setting<std::string>(map, "scheme"));
  CHECK(Setting<Pairs>(map, "scheme")->size() == 1);
}

TEST_CASE("settings have no value if it is null or not valid", "[record]") {
  const Record null = record_of("scheme", {});
  const Setting<std::string> scheme(null, "scheme");
  CHECK_FALSE(scheme);
  CHECK(scheme.field() != nullptr);
  CHECK(scheme.given() == nullptr);
  const Record wrong = record_of("block_size", std::string("many"));
  const Setting<std::int64_t> size(wrong, "block_size");
  CHECK_FALSE(size);
  CHECK(size.rejected());
  CHECK(size.field() == nullptr);
}

TEST_CASE("settings keep their values when the record is moved", "[record]") {
  Record record =
      record_of("scheme", source::Map{{source::Value{std::string("W4A16"), {}}, source::Value{source::List{}, {}}}});
  const Setting<Pairs> scheme(record, "scheme");
  const Record moved = std::move(record);
  CHECK(&*scheme.given() == moved.given("scheme"));
  CHECK(scheme->front().first == source::Value{std::string("W4A16"), {}});
}

}  // namespace sparsecfg::test
