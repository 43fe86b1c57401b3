#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "compile/compile.h"
#include "dialect/dialects.h"
#include "dialect/distiller/table.h"
#include "dialect/llmcompressor/table.h"
#include "dialect/nni/table.h"
#include "dialect/sparseml/staged/table.h"
#include "dialect/sparseml/table/table.h"
#include "lsp/features.h"
#include "lsp/schema.h"
#include "lsp/snippets.h"

// Compares the completions of the server with the rows of the tables.
namespace sparsecfg::lsp {

using dialect::ClassSpec;
using dialect::FieldSpec;
using dialect::Type;

constexpr std::string_view kUri = "file:///nowhere/recipe.yaml";

static std::string unquoted(std::string text) {
  std::erase(text, '"');
  return text;
}

// Returns the labels that are offered at the `|` in a document.
static std::set<std::string> offered(std::string text) {
  const std::size_t mark = text.find('|');
  text.erase(mark, 1);
  static Workspace workspace;  // keeps the parsed schemas
  workspace.open(std::string(kUri), "yaml", 1, text);
  const Position place = Text(text).position(static_cast<std::uint32_t>(mark));
  const Json answer = completion(workspace, {{"textDocument", {{"uri", kUri}}},
                                             {"position", {{"line", place.line}, {"character", place.character}}}});
  std::set<std::string> out;
  for (const Json& item : answer.at("items")) out.insert(unquoted(item.at("label").get<std::string>()));
  return out;
}

// Returns the known values of a field.
static std::vector<std::string> known_values(const FieldSpec& field) {
  std::vector<std::string> out;
  for (const auto part : {field.choices, field.suggested}) out.insert(out.end(), part.begin(), part.end());
  if (!field.token.empty()) out.emplace_back(field.token);
  if (allows(field.type, Type::boolean | Type::exact_boolean | Type::truth)) out.insert(out.end(), {"true", "false"});
  return out;
}

// Puts "field: value" into a document.
using Around = std::function<std::string(const FieldSpec&, const std::string&)>;

static void check_class(const ClassSpec& spec, const Around& around, int depth = 0);

static void check_record(const FieldSpec& field, const Around& around, int depth) {
  const std::string_view before = allows(field.type, Type::record)          ? "{"
                                  : allows(field.type, Type::named_records) ? "{group_0: {"
                                                                            : "[{";
  const std::string_view after = allows(field.type, Type::record)          ? "}"
                                 : allows(field.type, Type::named_records) ? "}}"
                                                                           : "}]";
  check_class(
      *field.record,
      [&](const FieldSpec& inner, const std::string& value) {
        return around(field, fmt::format("{}{}: {}{}", before, inner.name, value, after));
      },
      depth + 1);
}

static std::size_t checked_fields = 0;

static void check_field(const FieldSpec& field, const Around& around, int depth) {
  if (field.record != nullptr && depth < 4) check_record(field, around, depth);
  const std::vector<std::string> known = known_values(field);
  if (known.empty()) {
    return;
  }
  const bool is_list =
      allows(field.type, Type::texts | Type::choices) && !allows(field.type, Type::text | Type::choice);
  const std::string document = around(field, is_list ? "[|]" : "|");
  INFO(document);
  const std::set<std::string> labels = offered(document);
  for (const std::string& value : known) {
    INFO(field.name << ": " << value);
    CHECK(labels.contains(unquoted(value)));
  }
  ++checked_fields;
}

static void check_class(const ClassSpec& spec, const Around& around, int depth) {
  INFO(spec.name);
  for (const std::span<const FieldSpec> part : {spec.fields, spec.common}) {
    for (const FieldSpec& field : part) check_field(field, around, depth);
  }
}

// Puts the field between two parts of a document.
static Around between(std::string before, std::string after) {
  return [before = std::move(before), after = std::move(after)](const FieldSpec& field, const std::string& value) {
    return fmt::format("{}{}: {}{}", before, field.name, value, after);
  };
}

TEST_CASE("all known values of SparseML fields are offered") {
  checked_fields = 0;
  for (const ClassSpec& spec : dialect::sparseml::modifiers(dialect::sparseml::Framework::pytorch)) {
    const bool is_first = dialect::sparseml::find_modifier(dialect::sparseml::Framework::pytorch, spec.name) == &spec;
    if (is_first) check_class(spec, between(fmt::format("modifiers:\n  - !{} {{", spec.name), "}\n"));
  }
  CHECK(checked_fields > 60);
}

TEST_CASE("all known values of fields in SparseML stages are offered") {
  const Json schema = Json::parse(dialect::find_dialect("sparseml")->schema({}));
  const SchemaPlace group = SchemaPlace(schema).under("a_stage").under("a_modifiers");
  for (const ClassSpec& spec : dialect::sparseml::staged::table().modifiers) {
    for (const FieldSpec& field : spec.fields) {
      SchemaPlace place = group.under(spec.name).under(field.name);
      const bool is_list = allows(field.type, Type::texts) && !allows(field.type, Type::text);
      std::set<std::string> values;
      for (const std::string& value : (is_list ? place.item() : place).values()) values.insert(unquoted(value));
      for (const std::string& value : known_values(field)) {
        INFO(spec.name << "." << field.name << ": " << value);
        CHECK(values.contains(value));
      }
    }
  }
}

TEST_CASE("all known values of llm-compressor fields are offered") {
  checked_fields = 0;
  for (const ClassSpec& spec : dialect::llmcompressor::table().modifiers) {
    const std::string group = fmt::format("a_stage:\n  a_modifiers:\n    {}: {{", spec.name);
    check_class(spec, between(group, "}\n    AWQModifier: {}\n"));
  }
  CHECK(checked_fields > 100);
}

TEST_CASE("all known values of NNI keys and arguments are offered") {
  using namespace dialect::nni;
  checked_fields = 0;
  for (const Mode mode : kModes) {
    check_class(entry_spec(mode), between("config_list:\n  - {", "}\n"));
    check_class(target_spec(mode),
                between("config_list:\n  - {op_types: [Linear], target_settings: {weight: {", "}}}\n"));
  }
  for (const ClassSpec& spec : classes()) {
    const Mode mode = spec.section.as<Mode>();
    const std::string_view section = mode == Mode::pruning        ? "pruner"
                                     : mode == Mode::quantization ? "quantizer"
                                                                  : "distiller";
    check_class(spec, between(fmt::format("config_list: []\n{}: {{class: {}, ", section, spec.name), "}\n"));
    CHECK(offered(fmt::format("config_list: []\n{}: {{class: |}}\n", section)).contains(std::string(spec.name)));
  }
  CHECK(checked_fields > 20);
}

TEST_CASE("all known values of Distiller arguments are offered") {
  using namespace dialect::distiller;
  checked_fields = 0;
  for (const auto classes : {pruner_classes(), other_classes(), scheduler_classes()}) {
    for (const ClassSpec& spec : classes) {
      if (spec.kind == ClassKind::unusable) continue;
      const std::string section(spec_of(spec.section.as<Section>()).name);
      check_class(spec, between(fmt::format("policies: []\n{}:\n  a: {{class: {}, ", section, spec.name), "}\n"));
      const std::set<std::string> names = offered(fmt::format("policies: []\n{}:\n  a: {{class: |}}\n", section));
      CHECK(names.contains(std::string(spec.name)));
    }
  }
  CHECK(checked_fields > 40);
}

TEST_CASE("all classes of a stage are offered, and the tags of a list") {
  for (const ClassSpec& spec : dialect::llmcompressor::table().modifiers) {
    CHECK(offered("a_stage:\n  a_modifiers:\n    GPTQModifier: {scheme: W4A16}\n    |\n")
              .contains(std::string(spec.name)) == (spec.name != "GPTQModifier"));
  }
  for (const ClassSpec& spec : dialect::sparseml::modifiers(dialect::sparseml::Framework::pytorch)) {
    const std::string list = "modifiers:\n  - !EpochRangeModifier {start_epoch: 0.0, end_epoch: 3.0}\n  - ";
    CHECK(offered(list + "!|\n").contains(std::string(spec.name)));
    CHECK(offered(list + "|\n").contains("!" + std::string(spec.name)));
  }
}

// --- snippets -----------------------------------------------------------------------------------------

static std::vector<std::string> findings_in(const std::string& text) {
  std::vector<std::string> out;
  for (const diag::Diagnostic& each : compile("recipe.yaml", text, {}).diagnostics) {
    if (each.severity != diag::Severity::info) out.push_back(fmt::format("{}: {}", each.info->code, each.message));
  }
  return out;
}

TEST_CASE("recipes for an empty file have no findings") {
  CHECK(templates().size() == 6);
  for (const Template& each : templates()) {
    INFO(each.name);
    const std::string text = without_places(each.text);
    CHECK(text.find('$') == std::string::npos);
    CHECK(findings_in(text) == std::vector<std::string>());
    CHECK(compile("recipe.yaml", text, {}).dialect == std::string(each.dialect));
  }
}

TEST_CASE("a new modifier has its required fields with values of the right type") {
  const Json schema = Json::parse(dialect::find_dialect("sparseml")->schema({}));
  for (const ClassSpec& spec : dialect::sparseml::modifiers(dialect::sparseml::Framework::pytorch)) {
    const std::string fields = without_places(starting_fields(SchemaPlace(schema).of_class(spec.name), 4));
    const std::string text = fmt::format("modifiers:\n  - !{}{}\n", spec.name, fields);
    INFO(text);
    for (const FieldSpec& field : spec.fields) {
      if (field.required) CHECK(fields.find(fmt::format("\n    {}: ", field.name)) != std::string::npos);
    }
    for (const std::string& finding : findings_in(text)) {
      INFO(finding);
      CHECK((!finding.starts_with("SP103") && !finding.starts_with("SP105") && !finding.starts_with("SP110")));
    }
  }
}

TEST_CASE("the text of a snippet without places keeps braces and escaped characters") {
  CHECK(without_places("a: ${1:0.8}\nb: {c: ${2:x}}") == "a: 0.8\nb: {c: x}");
  CHECK(without_places("a: ${1:{b: 1\\}}") == "a: {b: 1}");
  CHECK(without_places("a: \\$x") == "a: $x");
}

}  // namespace sparsecfg::lsp
