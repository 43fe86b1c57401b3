#include "dialect/sparseml/fields.h"

#include <algorithm>
#include <set>
#include <vector>

#include "base/edit_distance.h"
#include "base/text.h"
#include "dialect/sparseml/field_values.h"
#include "dialect/sparseml/text_rules.h"
#include "doc/construct.h"

namespace sparsecfg::dialect::sparseml {

using doc::Node;
using doc::NodeId;

// Older names of modifiers that are still about, and what they are called today.
struct Renamed {
  std::string_view before;
  std::string_view now;
};
constexpr Renamed kRenamed[] = {{"GradualKSModifier", "GMPruningModifier"}, {"ConstantKSModifier", "ConstantPruningModifier"}};

static void report_unknown(const Reading& reading, const Node& node, std::string_view name) {
  std::vector<std::string_view> known;
  for (const ModifierSpec& spec : modifiers()) {
    known.push_back(spec.name);
  }
  auto& report = reading.sink.report(diag::unknown_modifier, node.tag_span, base::printable(name));
  const auto renamed = std::ranges::find(kRenamed, name, &Renamed::before);
  if (renamed != std::end(kRenamed)) {
    report.with_help(fmt::format("this name is of 2020; since then it is `{}`", renamed->now));
  } else if (const auto guess = base::nearest(name, known)) {
    report.with_help(fmt::format("did you mean `{}`?", *guess));
  }
}

// What stands in a list of modifiers and is none. A tag that SparseML can't read and the alias of
// a modifier are reported where the text is checked.
static void report_stranger(const Reading& reading, NodeId item) {
  const Node& node = reading.document[item];
  const Node& target = reading.document[reading.document.resolve(item)];
  if (node.tag_span.empty() && target.tag_span.empty()) {
    reading.sink.report(diag::not_a_modifier, node.span, source::describe(doc::construct(reading.document, item, reading.sink)))
        .with_help("write `- !` and the modifier's name, and its fields below");
  }
}

static bool is_key_of_scheme_class(std::string_view name) {
  return find_modifier("QuantizationModifier")->find(name) != nullptr;
}

// The tag of QuantizationModifier stands for two classes; any field that only the older one has
// chooses it (reference B.6).
static const ModifierSpec* choose_class(const ModifierSpec* spec, const std::vector<Field>& fields) {
  const bool older = spec->meaning == Meaning::quantization && std::ranges::any_of(fields, [](const Field& field) {
                       return !is_key_of_scheme_class(field.name) && legacy_quantization().find(field.name) != nullptr;
                     });
  return older ? &legacy_quantization() : spec;
}

static std::vector<Field> read_fields(const Reading& reading, const Node& node, NodeId id) {
  std::vector<Field> fields;
  if (node.kind != doc::Kind::mapping) {
    return fields;
  }
  for (const auto& [key, value] : doc::entries(reading.document, id, reading.sink)) {
    const source::Value name = doc::construct(reading.document, key, reading.sink);
    const auto* text = name.get<std::string>();
    if (text != nullptr && *text == "log_types") {
      reading.sink.report(diag::log_types_ignored, reading.document[key].span);
      continue;
    }
    fields.push_back({text != nullptr ? *text : source::python_str(name), reading.document[key].span,
                      doc::construct(reading.document, value, reading.sink)});
  }
  return fields;
}

static void report_unknown_field(const Reading& reading, const Modifier& modifier, Field& field, std::set<std::string_view>& guessed) {
  field.sound = false;
  const std::string shown = base::printable(field.name);
  const bool mixes = modifier.spec->meaning == Meaning::legacy_quantization && is_key_of_scheme_class(field.name);
  if (mixes) {
    const auto older = std::ranges::find_if(modifier.fields, [](const Field& other) { return !is_key_of_scheme_class(other.name); });
    reading.sink.report(diag::legacy_and_new_quant_fields, field.key, shown, base::printable(older->name))
        .with_label(older->key, "this field chooses the older class");
    return;
  }
  std::vector<std::string_view> absent;
  for (const FieldSpec& spec : modifier.spec->fields) {
    if (modifier.find(spec.name) == nullptr) absent.push_back(spec.name);
  }
  const auto guess = base::nearest(field.name, absent);
  if (guess) {
    guessed.insert(*guess);
  }
  reading.sink.report(diag::unknown_field, field.key, shown, fmt::format("`{}`", modifier.spec->name))
      .with_help(guess ? fmt::format("did you mean `{}`?", *guess) : fmt::format("`sparsecfg explain {}` lists its fields", modifier.spec->name));
}

// Evaluates the expressions of a field; false where one could not be, which is then reported.
static bool evaluate(const Reading& reading, const Modifier& modifier, Field& field) {
  const source::Value written = field.value;
  const bool done = reading.variables.evaluate(modifier.stage, field.value);
  field.evaluated = field.value != written;
  return done;
}

static void check_fields(const Reading& reading, Modifier& modifier) {
  std::set<std::string_view> guessed;  // required fields that a misspelt one is taken for
  for (Field& field : modifier.fields) {
    field.spec = modifier.spec->find(field.name);
    if (field.spec == nullptr) {
      report_unknown_field(reading, modifier, field, guessed);
    } else if (!evaluate(reading, modifier, field)) {
      field.sound = false;
    } else {
      check_value(reading.file, modifier, field, reading.sink);
    }
  }
  for (const FieldSpec& spec : modifier.spec->fields) {
    if (spec.required && modifier.find(spec.name) == nullptr) {
      modifier.sound = false;
      if (!guessed.contains(spec.name)) {
        reading.sink.report(diag::missing_required, modifier.tag, modifier.spec->name, spec.name).with_help(std::string(spec.doc));
      }
    }
  }
  modifier.sound = modifier.sound && std::ranges::all_of(modifier.fields, &Field::sound);
}

std::optional<Modifier> read_modifier(const Reading& reading, NodeId item, const Group& group, int ordinal) {
  const Node& node = reading.document[item];
  if (!is_modifier_tag(reading.file, node)) {
    report_stranger(reading, item);
    return std::nullopt;
  }
  const std::string_view name = node.tag.substr(1);
  const ModifierSpec* spec = find_modifier(name);
  if (spec == nullptr) {
    report_unknown(reading, node, name);
    return std::nullopt;
  }
  Modifier modifier{spec, node.tag_span, group.stage, group.name, ordinal, read_fields(reading, node, item)};
  const bool bare = node.kind == doc::Kind::scalar && node.text.empty() && node.style == doc::Style::plain;
  if (node.kind != doc::Kind::mapping && !bare) {
    reading.sink.report(diag::wrong_type, node.span, name, "a mapping of fields", source::describe(doc::construct(reading.document, item, reading.sink)));
    return std::nullopt;
  }
  modifier.spec = choose_class(spec, modifier.fields);
  check_fields(reading, modifier);
  return modifier;
}

}  // namespace sparsecfg::dialect::sparseml
