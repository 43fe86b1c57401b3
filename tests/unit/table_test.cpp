#include "dialect/sparseml/table/table.h"

#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <utility>

#include "base/text.h"
#include "dialect/record/types.h"
#include "doc/construct.h"
#include "doc/readers.h"

namespace sparsecfg::dialect::sparseml {

constexpr Framework kFrameworks[] = {Framework::pytorch, Framework::keras, Framework::tensorflow,
                                     Framework::pytorch_2020};

static void for_each_row(auto visit) {
  for (const Framework framework : kFrameworks) {
    for (const ClassSpec& spec : modifiers(framework)) {
      CAPTURE(name_of(framework), spec.name);
      visit(spec);
    }
  }
}

static void for_each_field(auto visit) {
  for_each_row([&](const ClassSpec& spec) {
    for (const FieldSpec& field : spec.fields) {
      CAPTURE(field.name);
      visit(field);
    }
  });
}

static bool is_sentence(std::string_view text) { return text.size() > 10 && text.ends_with('.'); }

TEST_CASE("rows stand by name and are found by it") {
  for (const Framework framework : kFrameworks) {
    const auto rows = modifiers(framework);
    CHECK_FALSE(rows.empty());
    CHECK(std::ranges::is_sorted(rows, {}, &ClassSpec::name));
    for (const ClassSpec& spec : rows) {
      CAPTURE(spec.name);
      REQUIRE(find_modifier(framework, spec.name) != nullptr);
      CHECK(find_modifier(framework, spec.name)->name == spec.name);
      CHECK(spec.name.ends_with("Modifier"));
    }
  }
  CHECK(find_modifier(Framework::pytorch, "ASRegModifier") == nullptr);
  CHECK(find_modifier(Framework::pytorch, "gmpruningmodifier") == nullptr);
  CHECK(find_modifier(Framework::pytorch, "") == nullptr);
}

TEST_CASE("PyTorch knows 26 tags, one of them for two classes") {
  std::set<std::pair<std::string_view, ClassKind>> classes;
  std::set<std::string_view> names;
  for (const ClassSpec& spec : modifiers(Framework::pytorch)) {
    CHECK(classes.emplace(spec.name, spec.kind.as<ClassKind>()).second);
    names.insert(spec.name);
  }
  CHECK(names.size() == 26);
  CHECK(classes.size() == 27);
  CHECK(find_modifier(Framework::pytorch, "QuantizationModifier")->kind == ClassKind::quantization);
}

TEST_CASE("every row and every field is documented in a sentence") {
  for_each_row([](const ClassSpec& spec) { CHECK(is_sentence(spec.doc)); });
  for_each_field([](const FieldSpec& field) { CHECK(is_sentence(field.doc)); });
}

TEST_CASE("a row has each field once") {
  for_each_row([](const ClassSpec& spec) {
    std::set<std::string_view> names;
    for (const FieldSpec& field : spec.fields) {
      CAPTURE(field.name);
      CHECK(names.insert(field.name).second);
      CHECK(spec.find(field.name) == &field);
    }
    CHECK(spec.find("no_such_field") == nullptr);
  });
}

TEST_CASE("a field is required or has a default") {
  for_each_field([](const FieldSpec& field) { CHECK(field.required == field.default_value.empty()); });
}

TEST_CASE("a choice has words to choose from, and only a choice has") {
  for_each_field([](const FieldSpec& field) { CHECK((field.type == Type::choice) != field.choices.empty()); });
}

static source::Value read_default(const FieldSpec& field) {
  const source::SourceFile file("default.yaml", std::string(field.default_value));
  diag::Sink sink;
  const auto document = doc::read_yaml(file, {0, static_cast<std::uint32_t>(field.default_value.size())}, {}, sink);
  REQUIRE(document);
  source::Value value = doc::construct(*document, document->root, sink);
  CHECK_FALSE(sink.has_errors());
  return value;
}

static bool fits_row(const FieldSpec& field, const source::Value& value) {
  const auto* text = value.get<std::string>();
  return fits(value, field.type) || (text != nullptr && base::contains(field.choices, *text));
}

TEST_CASE("a default is a value that the field takes") {
  for_each_field([](const FieldSpec& field) {
    if (field.required) {
      return;
    }
    const source::Value value = read_default(field);
    CHECK((value.is_null() ? field.nullable : fits_row(field, value)));
    const auto number = value.number();
    CHECK((!number || (*number >= field.bounds.min && *number <= field.bounds.max)));
  });
}

TEST_CASE("each scheduler is found by its name and needs something") {
  CHECK(schedulers().size() == 4);
  for (const SchedulerSpec& scheduler : schedulers()) {
    CHECK(find_scheduler(scheduler.name) == &scheduler);
    CHECK_FALSE(scheduler.required.empty());
  }
  CHECK(find_scheduler("CosineAnnealingLR") == nullptr);
}

}  // namespace sparsecfg::dialect::sparseml
