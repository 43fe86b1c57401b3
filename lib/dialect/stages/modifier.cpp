#include "dialect/stages/modifier.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "base/edit_distance.h"
#include "base/number.h"
#include "base/text.h"
#include "dialect/stages/coercion.h"
#include "dialect/sparseml/read/number_spelling.h"
#include "doc/scalar_text.h"

namespace sparsecfg::dialect::stages {

const Field* Modifier::find(std::string_view name) const {
  const auto found = std::ranges::find(fields, name, &Field::name);
  return found == fields.end() ? nullptr : &*found;
}

const source::Value* Modifier::given(std::string_view name) const {
  const Field* field = find(name);
  return field == nullptr || !field->valid || field->value.is_null() ? nullptr : &field->value;
}

std::optional<double> Modifier::number(std::string_view name) const {
  if (const Field* field = find(name)) {
    return as_real(field->value);
  }
  const FieldSpec* row = spec->find(name);
  return row == nullptr ? std::nullopt : base::parse_double(row->default_value);
}

std::string Modifier::text(std::string_view name) const {
  if (const Field* field = find(name)) {
    const auto* text = field->value.get<std::string>();
    return text == nullptr ? std::string() : *text;
  }
  const FieldSpec* row = spec->find(name);
  return row == nullptr ? std::string() : std::string(row->default_value);
}

bool Modifier::flag(std::string_view name) const {
  if (const Field* field = find(name)) {
    return as_boolean(field->value).value_or(false);
  }
  const FieldSpec* row = spec->find(name);
  return row != nullptr && row->default_value == "true";
}

source::Span Modifier::place(std::string_view name) const {
  const Field* field = find(name);
  return field == nullptr ? key : field->value.span;
}

static void report_unknown_type(const Reading& reading, const Written& written) {
  std::vector<std::string_view> known;
  for (const ModifierSpec& spec : modifiers()) {
    known.push_back(spec.name);
  }
  const auto guess = base::nearest(written.type, known);
  reading.sink.report(diag::unknown_modifier, written.key, "modifier", base::printable(written.type))
      .with_help(guess ? fmt::format("did you mean `{}`?", *guess)
                       : "in a recipe of stages there are fewer modifiers than in one of tags")
      .with_fix(guess ? diag::Fix::unsafe().content(written.key, std::string(*guess)) : diag::Fix());
}

// What fields are called in the older recipes, and in older versions of these.
struct Renamed {
  std::string_view before;
  std::string_view now;
};

constexpr Renamed kRenamed[] = {
    {"start_epoch", "start"},        {"end_epoch", "end"},
    {"update_frequency", "update"},  {"params", "targets"},
    {"mask_type", "mask_structure"}, {"inter_func", "update_scheduler"},
    {"percdamp", "dampening_frac"},  {"alpha", "smoothing_strength"},
};

// In JSON a number needs no point to be one.
static bool is_json(const source::SourceFile& file) { return base::to_lower(file.name()).ends_with(".json"); }

// The fields of one modifier while they are checked.
class FieldCheck {
 public:
  FieldCheck(const Reading& reading, Modifier& modifier) : reading_(reading), modifier_(modifier) {}

  void run() {
    for (Field& field : modifier_.fields) {
      check(field);
    }
    for (const FieldSpec& spec : modifier_.spec->fields) {
      if (spec.required && modifier_.find(spec.name) == nullptr) {
        report_missing(spec);
      }
    }
    const bool complete = modifier_.valid;
    modifier_.valid = complete && std::ranges::all_of(modifier_.fields, &Field::valid);
  }

 private:
  void check(Field& field) {
    field.spec = modifier_.spec->find(field.name);
    const source::Value written = field.value;
    field.valid = reading_.arguments.evaluate(field.value);
    field.evaluated = field.value != written;
    if (field.spec == nullptr) {
      report_unknown(field);
    } else if (field.valid) {
      check_type(field);
    }
  }

  void check_type(Field& field) {
    const bool null = field.value.is_null();
    field.valid = null ? field.spec->nullable : fits(field.value, field.spec->accepts);
    if (!field.valid) {
      report_type(field);
      return;
    }
    const auto* text = field.value.get<std::string>();
    if (text != nullptr && field.spec->accepts == Accepts::real && reading_.file.text(field.value.span) == *text &&
        !is_json(reading_.file)) {
      const auto spelled = doc::spelled_as_float(*text);
      reading_.sink.report(diag::yaml11_float_is_string, field.value.span, base::printable(*text))
          .with_help(fmt::format("SparseML turns it into a number here; `{}` is one in YAML too",
                                 sparseml::float_as_yaml(*as_real(field.value))))
          .with_fix(spelled ? diag::Fix::safe().replace(field.value.span, *spelled) : diag::Fix());
    }
  }

  void report_type(const Field& field) {
    const source::Value& value = field.value;
    if (allows(field.spec->accepts, Accepts::text) && sparseml::is_sexagesimal(reading_.file, value)) {
      const std::string written = base::printable(reading_.file.text(value.span));
      reading_.sink.report(diag::yaml11_sexagesimal, value.span, written, source::python_str(value))
          .with_help(fmt::format("put it in quotes: `\"{}\"`", written))
          .with_fix(diag::Fix::safe().replace(value.span, fmt::format("\"{}\"", written)));
      return;
    }
    const source::Value& wrong = misfit(value, field.spec->accepts);
    auto& report = reading_.sink.report(diag::wrong_type, wrong.span, field.name, describe(field.spec->accepts),
                                        source::describe(wrong));
    if (value.is_null()) {
      report.with_help(field.spec->required ? "give a value" : "give a value, or delete the key");
    }
  }

  void report_unknown(const Field& field) {
    std::vector<std::string_view> absent;
    for (const auto part : {modifier_.spec->fields, common_fields()}) {
      for (const FieldSpec& spec : part) {
        if (modifier_.find(spec.name) == nullptr) absent.push_back(spec.name);
      }
    }
    const auto older = std::ranges::find(kRenamed, field.name, &Renamed::before);
    const bool renamed = older != std::end(kRenamed) && std::ranges::find(absent, older->now) != absent.end();
    const auto guess = renamed ? std::optional(older->now) : base::nearest(field.name, absent);
    if (guess) {
      guessed_.insert(*guess);
    }
    reading_.sink
        .report(diag::unknown_field, field.key, base::printable(field.name), fmt::format("`{}`", modifier_.spec->name))
        .with_help(guess ? fmt::format("did you mean `{}`?", *guess) : "SparseML drops it without a word")
        .with_fix(guess ? diag::Fix::unsafe().content(field.key, std::string(*guess)) : diag::Fix());
  }

  void report_missing(const FieldSpec& spec) {
    modifier_.valid = false;
    if (!guessed_.contains(spec.name)) {
      reading_.sink.report(diag::missing_required, modifier_.key, modifier_.spec->name, spec.name)
          .with_help(base::as_clause(spec.doc));
    }
  }

  const Reading& reading_;
  Modifier& modifier_;
  std::set<std::string_view> guessed_;  // fields that a misspelt one is taken for
};

static std::vector<Field> fields_of(const Reading& reading, const source::Map& map) {
  std::vector<Field> fields;
  for (const source::Entry& entry : map) {
    if (const auto* name = entry.first.get<std::string>()) {
      fields.push_back({*name, entry.first.span, entry.second});
    } else {
      reading.sink.report(diag::key_not_text, entry.first.span, source::describe(entry.first))
          .with_help("put the key in quotes");
    }
  }
  return fields;
}

std::optional<Modifier> read_modifier(const Reading& reading, const Written& written, int ordinal) {
  Modifier modifier{
      find_modifier(written.type), written.key, written.stage, written.group, written.one_shot, ordinal, {}, true};
  const auto* map = written.fields.get<source::Map>();
  if (modifier.spec == nullptr || map == nullptr) {
    report_unknown_type(reading, written);
    return std::nullopt;
  }
  modifier.fields = fields_of(reading, *map);
  FieldCheck(reading, modifier).run();
  return modifier;
}

}  // namespace sparsecfg::dialect::stages
