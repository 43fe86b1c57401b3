#include "dialect/stages/modifier.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/edit_distance.h"
#include "base/number.h"
#include "base/text.h"
#include "dialect/number_spelling.h"
#include "dialect/record/field_names.h"
#include "dialect/record/types.h"
#include "doc/fixes.h"

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
  const FieldSpec* row = table->find(*spec, name);
  return row == nullptr ? std::nullopt : base::parse_double(row->default_value);
}

std::string Modifier::text(std::string_view name) const {
  if (const Field* field = find(name)) {
    const auto* text = field->value.get<std::string>();
    return text == nullptr ? std::string() : *text;
  }
  const FieldSpec* row = table->find(*spec, name);
  return row == nullptr ? std::string() : std::string(row->default_value);
}

bool Modifier::flag(std::string_view name) const {
  if (const Field* field = find(name)) {
    return as_boolean(field->value).value_or(false);
  }
  const FieldSpec* row = table->find(*spec, name);
  return row != nullptr && row->default_value == "true";
}

source::Span Modifier::place(std::string_view name) const {
  const Field* field = find(name);
  return field == nullptr ? key : field->value.span;
}

static void report_unknown_type(const Reading& reading, const Written& written) {
  std::vector<std::string_view> known;
  for (const ModifierSpec& spec : reading.table.modifiers) {
    known.push_back(spec.name);
  }
  const auto guess = base::nearest_stem(written.type, known);
  reading.sink.report(diag::unknown_modifier, written.key, "modifier", base::printable(written.type))
      .with_help(base::did_you_mean(guess, reading.table.unknown_modifier_help))
      .with_fix(guess ? diag::Fix::unsafe().content(written.key, std::string(*guess)) : diag::Fix());
}

// JSON numbers do not need a decimal point.
static bool is_json(const source::SourceFile& file) { return base::to_lower(file.name()).ends_with(".json"); }

// Checks values against the rows of a table, including nested records.
class ValueCheck {
 public:
  explicit ValueCheck(const Reading& reading) : reading_(reading) {}

  // Reports a value that does not match its row. Returns true if it matches.
  bool check(std::string_view name, const source::Value& value, const FieldSpec& spec) {
    const bool fits_row = value.is_null() ? spec.nullable : fits(value, spec.type) || fits_choice(value, spec);
    if (!fits_row) {
      report_type(name, value, spec);
      return false;
    }
    warn_of_exponent(value, spec);
    return spec.record == nullptr || check_records(name, value, spec);
  }

  // Reports unknown, missing and wrong fields of a record. Returns true if the record is valid.
  bool check_record(const source::Value& value, const RecordSpec& record) {
    bool valid = true;
    FieldNames names(reading_.sink);
    for (const source::Entry& entry : *value.get<source::Map>()) {
      const std::string key = source::python_str(entry.first);
      const auto row = std::ranges::find(record.fields, key, &FieldSpec::name);
      if (row == record.fields.end() && !record.open) {
        const auto is_given = [&](std::string_view name) { return value.find(name) != nullptr; };
        names.report_unknown({entry.first.span, key, fmt::format("`{}`", record.name),
                              names_without(record.fields, is_given), std::string(reading_.table.unknown_field_help)});
        valid = false;
      } else if (row != record.fields.end()) {
        valid &= check(key, entry.second, *row);
      }
    }
    for (const FieldSpec& row : record.fields) {
      if (row.required && value.find(row.name) == nullptr) {
        names.report_missing(value.span, record.name, row.name, base::as_clause(row.doc));
        valid = false;
      }
    }
    return valid;
  }

 private:
  static bool is_choice(const source::Value& value, const FieldSpec& spec) {
    const auto* text = value.get<std::string>();
    return text != nullptr && std::ranges::any_of(spec.choices, [&](std::string_view choice) {
             return *text == choice || (spec.any_case && base::to_lower(*text) == base::to_lower(choice));
           });
  }

  static bool fits_choice(const source::Value& value, const FieldSpec& spec) {
    const auto* list = value.get<source::List>();
    return (allows(spec.type, Type::choice) && is_choice(value, spec)) ||
           (allows(spec.type, Type::choices) && list != nullptr &&
            std::ranges::all_of(*list, [&](const source::Value& item) { return is_choice(item, spec); }));
  }

  void warn_of_exponent(const source::Value& value, const FieldSpec& spec) {
    const auto* text = value.get<std::string>();
    if (text == nullptr || spec.type != Type::real || reading_.file.text(value.span) != *text ||
        is_json(reading_.file)) {
      return;
    }
    const auto spelled = doc::spelled_as_float(*text);
    reading_.sink.report(diag::yaml11_float_is_string, value.span, base::printable(*text))
        .with_severity(diag::Severity::info)
        .with_help(fmt::format(
            "write `{}`, which is a number in YAML 1.1 as well: {} converts this field, but not every field",
            float_as_yaml(*as_real(value)), reading_.table.framework))
        .with_fix(spelled ? diag::Fix::safe().replace(value.span, *spelled) : diag::Fix());
  }

  bool check_records(std::string_view name, const source::Value& value, const FieldSpec& spec) {
    bool valid = true;
    const auto check_one = [&](const source::Value& one) {
      if (one.get<source::Map>() != nullptr) {
        valid &= check_record(one, *spec.record);
      } else {
        reading_.sink.report(diag::wrong_type, one.span, name, "a mapping of fields", source::describe(one))
            .with_help(fmt::format("write a mapping with the fields of `{}`", spec.record->name));
        valid = false;
      }
    };
    const auto* map = value.get<source::Map>();
    if (allows(spec.type, Type::record) && map != nullptr) {
      check_one(value);
    } else if (allows(spec.type, Type::named_records) && map != nullptr) {
      for (const source::Entry& entry : *map) check_one(entry.second);
    } else if (const auto* list = value.get<source::List>()) {
      for (const source::Value& item : *list) check_one(item);
    }
    return valid;
  }

  void report_type(std::string_view name, const source::Value& value, const FieldSpec& spec) {
    if (allows(spec.type, Type::text) && is_sexagesimal(reading_.file, value)) {
      const std::string written = base::printable(reading_.file.text(value.span));
      reading_.sink.report(diag::yaml11_sexagesimal, value.span, written, source::python_str(value))
          .with_help(fmt::format("put it in quotes: `\"{}\"`", written))
          .with_fix(diag::Fix::safe().replace(value.span, fmt::format("\"{}\"", written)));
      return;
    }
    const source::Value& wrong = misfit(value, spec.type);
    if (!spec.choices.empty() && value.get<std::string>() != nullptr) {
      report_choice(name, value, spec);
      return;
    }
    auto& report =
        reading_.sink.report(diag::wrong_type, wrong.span, name, describe(spec.type), source::describe(wrong));
    if (value.is_null()) {
      report.with_help(spec.required ? fmt::format("add a value after `{}:`", name)
                                     : fmt::format("delete `{}`, or add a value", name));
    } else if (!spec.choices.empty()) {
      report.with_help(fmt::format("use one of `{}`", fmt::join(spec.choices, "`, `")));
    } else if (allows(spec.type, Type::texts) && value.get<std::string>() != nullptr) {
      report.with_help("put the value in brackets: `[...]`").with_fix(diag::Fix::safe().list(value.span));
    }
  }

  void report_choice(std::string_view name, const source::Value& value, const FieldSpec& spec) {
    const auto& text = *value.get<std::string>();
    const auto guess = base::nearest(text, spec.choices);
    reading_.sink.report(diag::unknown_choice, value.span, base::printable(text), name)
        .with_help(base::did_you_mean(guess, fmt::format("use one of `{}`", fmt::join(spec.choices, "`, `"))))
        .with_fix(guess ? diag::Fix::unsafe().content(value.span, std::string(*guess)) : diag::Fix());
  }

  const Reading& reading_;
};

// Checks the fields of one modifier.
class FieldCheck {
 public:
  FieldCheck(const Reading& reading, Modifier& modifier)
      : reading_(reading), modifier_(modifier), names_(reading.sink) {}

  void run() {
    for (Field& field : modifier_.fields) {
      field.spec = reading_.table.find(*modifier_.spec, field.name);
    }
    if (const ModifierSpec* other = other_class()) {
      report_class(*other);
      return;
    }
    for (Field& field : modifier_.fields) {
      check(field);
    }
    for (const FieldSpec& spec : modifier_.spec->fields) {
      if (spec.required && modifier_.find(spec.name) == nullptr) {
        report_missing(spec);
      }
    }
    modifier_.valid = modifier_.valid && std::ranges::all_of(modifier_.fields, [](const Field& field) {
                        return field.valid || field.unknown;
                      });
  }

 private:
  void check(Field& field) {
    const source::Value written = field.value;
    field.valid = !reading_.evaluate || reading_.evaluate(field.value);
    field.evaluated = field.value != written;
    field.unknown = contains_unknown(field.value);
    if (field.spec == nullptr) {
      report_unknown(field);
    } else if (field.unknown) {
      field.valid = false;
    } else if (field.valid) {
      field.valid = ValueCheck(reading_).check(field.name, field.value, *field.spec);
    }
  }

  [[nodiscard]] bool contains_unknown(const source::Value& value) const {
    const auto unknown = [&](const source::Value& part) { return contains_unknown(part); };
    const auto* list = value.get<source::List>();
    const auto* map = value.get<source::Map>();
    return reading_.unknown.contains(value.span) || (list != nullptr && std::ranges::any_of(*list, unknown)) ||
           (map != nullptr && std::ranges::any_of(*map, unknown, &source::Entry::second));
  }

  [[nodiscard]] bool lacks_field(const ModifierSpec& spec) const {
    return std::ranges::any_of(
        spec.fields, [&](const FieldSpec& row) { return row.required && modifier_.find(row.name) == nullptr; });
  }

  [[nodiscard]] bool has_all_fields(const ModifierSpec& spec) const {
    return std::ranges::all_of(modifier_.fields,
                               [&](const Field& field) { return reading_.table.find(spec, field.name) != nullptr; });
  }

  // Returns the class that was probably meant, if this modifier lacks a required field and has unknown ones. Prefers a
  // class whose name ends in this class name. Returns null if no class matches, or more than one.
  [[nodiscard]] const ModifierSpec* other_class() const {
    if (!lacks_field(*modifier_.spec) || has_all_fields(*modifier_.spec)) {
      return nullptr;
    }
    std::vector<const ModifierSpec*> fitting;
    for (const ModifierSpec& spec : reading_.table.modifiers) {
      if (!lacks_field(spec) && has_all_fields(spec)) fitting.push_back(&spec);
    }
    const auto longer = std::ranges::find_if(
        fitting, [&](const ModifierSpec* spec) { return spec->name.ends_with(modifier_.spec->name); });
    return longer != fitting.end() ? *longer : fitting.size() == 1 ? fitting.front() : nullptr;
  }

  void report_class(const ModifierSpec& other) {
    const auto missing = std::ranges::find_if(modifier_.spec->fields, [&](const FieldSpec& row) {
      return row.required && modifier_.find(row.name) == nullptr;
    });
    modifier_.valid = false;
    reading_.sink.report(diag::missing_required, modifier_.key, modifier_.spec->name, missing->name)
        .with_help(fmt::format("change the name to `{0}`: these are the fields of `{0}`", other.name))
        .with_fix(diag::Fix::unsafe().content(modifier_.key, std::string(other.name)));
  }

  void report_unknown(const Field& field) {
    const Table& table = reading_.table;
    if (table.report_unknown != nullptr && table.report_unknown(reading_, modifier_, field)) {
      return;
    }
    const auto is_given = [&](std::string_view name) { return modifier_.find(name) != nullptr; };
    std::vector<std::string_view> absent = names_without(modifier_.spec->fields, is_given);
    std::ranges::copy(names_without(table.common, is_given), std::back_inserter(absent));
    const auto older = std::ranges::find(table.renamed, field.name, &Renamed::before);
    const bool renamed = older != table.renamed.end() && std::ranges::find(absent, older->now) != absent.end();
    names_.report_unknown({field.key, field.name, fmt::format("`{}`", modifier_.spec->name), std::move(absent),
                           std::string(table.unknown_field_help), renamed ? std::optional(older->now) : std::nullopt});
  }

  void report_missing(const FieldSpec& spec) {
    modifier_.valid = false;
    names_.report_missing(modifier_.key, modifier_.spec->name, spec.name, base::as_clause(spec.doc));
  }

  const Reading& reading_;
  Modifier& modifier_;
  FieldNames names_;
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
  Modifier modifier{&reading.table,
                    reading.table.find(written.type),
                    written.key,
                    written.stage,
                    written.group,
                    written.one_shot,
                    ordinal,
                    {},
                    true};
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
