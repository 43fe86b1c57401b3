#include "dialect/record/check.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/edit_distance.h"
#include "base/number.h"
#include "base/text.h"
#include "dialect/record/suggest.h"
#include "dialect/record/types.h"
#include "doc/fixes.h"

namespace sparsecfg::dialect {

using source::Value;

// --- values -------------------------------------------------------------------------------------

static bool is_choice(const Value& value, const FieldSpec& spec) {
  const auto* text = value.get<std::string>();
  return text != nullptr && std::ranges::any_of(spec.choices, [&](std::string_view choice) {
           return *text == choice || (spec.any_case && base::to_lower(*text) == base::to_lower(choice));
         });
}

static bool fits_choice(const Value& value, const FieldSpec& spec) {
  const auto* list = value.get<source::List>();
  return (allows(spec.type, Type::choice) && is_choice(value, spec)) ||
         (allows(spec.type, Type::choices) && list != nullptr &&
          std::ranges::all_of(*list, [&](const Value& item) { return is_choice(item, spec); }));
}

static bool fits_row(const Value& value, const FieldSpec& spec) {
  if (value.is_null()) {
    return spec.nullable || spec.type == Type::any || allows(spec.type, Type::truth | Type::selectors);
  }
  const auto* text = value.get<std::string>();
  return fits(value, spec.type) || fits_choice(value, spec) ||
         (text != nullptr && !spec.token.empty() && *text == spec.token);
}

static InvalidValue::Kind kind_of(const Value& value, const FieldSpec& spec) {
  const bool number = value.number() && value.get<bool>() == nullptr;
  return number && allows(spec.type, Type::exact_float)                 ? InvalidValue::Kind::integer
         : !spec.choices.empty() && value.get<std::string>() != nullptr ? InvalidValue::Kind::choice
                                                                        : InvalidValue::Kind::type;
}

// Returns true if a number of a field with bounds is outside of them.
static bool is_out_of_bounds(const Value& value, const FieldSpec& spec) {
  const auto number = !spec.bounds.any()              ? std::nullopt
                      : allows(spec.type, Type::real) ? as_real(value)
                                                      : value.number();
  return number && !spec.bounds.contain(*number);
}

// Checks one value and the records in it.
class ValueCheck {
 public:
  ValueCheck(const Policy& policy, const Record& record, std::string_view name, const Value& value,
             const FieldSpec& spec, bool evaluated)
      : policy_(policy), record_(record), name_(name), value_(value), spec_(spec), evaluated_(evaluated) {}

  bool run() const {
    if (policy_.expects_text(record_, name_, spec_) && policy_.is_sexagesimal(value_)) {
      return accepts(InvalidValue::Kind::sexagesimal, value_);
    }
    if (!fits_row(value_, spec_) || policy_.rejects(value_, spec_)) {
      return accepts(kind_of(value_, spec_), value_);
    }
    policy_.warn_of_exponent(value_, spec_);
    if (is_out_of_bounds(value_, spec_)) {
      return accepts(InvalidValue::Kind::bounds, value_);
    }
    return spec_.record == nullptr || check_records();
  }

 private:
  // Reports a value. Returns true if the framework accepts it.
  bool accepts(InvalidValue::Kind kind, const Value& value) const {
    const InvalidValue invalid{kind, record_, name_, value, spec_, evaluated_};
    const auto severity = policy_.severity(invalid);
    if (severity) policy_.report(invalid);
    return severity != diag::Severity::error;
  }

  bool check_records() const {
    const auto* map = value_.get<source::Map>();
    const auto* list = value_.get<source::List>();
    if (allows(spec_.type, Type::record) && map != nullptr) {
      return check_record(value_);
    }
    bool valid = true;
    if (allows(spec_.type, Type::named_records) && map != nullptr && lacks_names(*map)) {
      return accepts(InvalidValue::Kind::not_a_record, value_);
    }
    if (allows(spec_.type, Type::named_records) && map != nullptr) {
      for (const source::Entry& entry : *map) valid &= check_record(entry.second);
    } else if (list != nullptr) {
      for (const Value& item : *list) valid &= check_record(item);
    }
    return valid;
  }

  // Returns true if a mapping has fields of a record where it needs names of records.
  bool lacks_names(const source::Map& map) const {
    const auto knows = [&](const source::Entry& entry) {
      const auto* name = entry.first.get<std::string>();
      return name != nullptr && spec_.record->find(*name) != nullptr;
    };
    return std::ranges::any_of(map, [&](const source::Entry& entry) {
      const auto* inner = entry.second.get<source::Map>();
      return knows(entry) && (inner == nullptr || std::ranges::none_of(*inner, knows));
    });
  }

  bool check_record(const Value& value) const {
    const auto* map = value.get<source::Map>();
    if (map == nullptr) {
      return accepts(InvalidValue::Kind::not_a_record, value);
    }
    Record record{spec_.record, value.span, fields_of(*map), true, {}, {}, 0};
    check_fields(policy_, record);
    return record.valid;
  }

  const Policy& policy_;
  const Record& record_;
  std::string_view name_;
  const Value& value_;
  const FieldSpec& spec_;
  bool evaluated_;
};

bool check_value(const Policy& policy, const Record& record, std::string_view name, const Value& value,
                 const FieldSpec& spec, bool evaluated) {
  return ValueCheck(policy, record, name, value, spec, evaluated).run();
}

// --- records ------------------------------------------------------------------------------------

std::vector<Field> fields_of(const source::Map& map) {
  std::vector<Field> fields;
  fields.reserve(map.size());
  for (const source::Entry& entry : map) {
    const auto* name = entry.first.get<std::string>();
    fields.push_back({name != nullptr ? *name : source::python_str(entry.first), entry.first.span, entry.second});
  }
  return fields;
}

void check_field(const Policy& policy, const Record& record, Field& field) {
  field.valid = check_value(policy, record, field.name, field.value, *field.spec, field.evaluated);
  if (field.valid) {
    policy.check_valid(record, field);
  }
}

// Names the required field that an unknown one may be, if there is one of each.
static void pair_unknown_and_missing(const Record& record, FieldNames& names) {
  const auto unknown = std::ranges::count_if(
      record.fields, [&](const Field& field) { return record.spec->find(field.name) == nullptr; });
  std::vector<std::string_view> missing;
  for (const std::span<const FieldSpec> part : {record.spec->fields, record.spec->common}) {
    for (const FieldSpec& spec : part) {
      if (spec.required && record.find(spec.name) == nullptr) missing.push_back(spec.name);
    }
  }
  if (unknown == 1 && missing.size() == 1) names.set_only_missing(missing.front());
}

void check_fields(const Policy& policy, Record& record) {
  FieldNames names(policy.sink());
  pair_unknown_and_missing(record, names);
  for (Field& field : record.fields) {
    field.spec = record.spec->find(field.name);
    field.valid = field.valid && policy.evaluate(record, field);
    field.unknown = policy.is_unknown(field.value);
    if (field.spec != nullptr && field.unknown) {
      field.valid = false;
    } else if (field.spec != nullptr) {
      if (field.valid && !policy.is_late(record, field)) check_field(policy, record, field);
    } else if (!record.spec->open) {
      field.valid = policy.report_unknown(record, field, names) && field.valid;
    } else {
      field.spec = policy.row_of_any_field();
    }
  }
  for (const std::span<const FieldSpec> part : {record.spec->fields, record.spec->common}) {
    for (const FieldSpec& spec : part) {
      if (spec.required && record.find(spec.name) == nullptr) {
        record.valid = policy.report_missing(record, spec, names) && record.valid;
      }
    }
  }
  record.valid = record.valid &&
                 std::ranges::all_of(record.fields, [](const Field& field) { return field.valid || field.unknown; });
}

// --- columns of valid fields ---------------------------------------------------------------------

bool check_unsupported(const FieldSpec& spec, std::string_view class_name, const Field& field, diag::Sink& sink) {
  const auto row =
      std::ranges::find_if(spec.unsupported, [&](const Unsupported& each) { return each.test(field.value); });
  if (row == spec.unsupported.end()) {
    return true;
  }
  auto& report = sink.report(row->rule, field.value.span, field.name, class_name, source::python_str(field.value));
  report.with_fix(row->deletable && !field.key.empty() ? diag::Fix::safe().remove(field.key) : diag::Fix());
  const double number = as_real(field.value).value_or(0);
  const bool small = base::parse_double(spec.default_value).value_or(1) < 0.1;  // a few percent are usual
  const double fraction = is_percent(number) && (small || number >= 10) ? fraction_of(number) : number;
  if (fraction != number && !row->test({fraction, {}})) {  // a percentage
    const std::string text = base::python_repr(fraction);
    report.with_help(fmt::format("write `{}: {}`, a fraction", field.name, text))
        .with_fix(diag::Fix::unsafe().replace(field.value.span, text));
  }
  return row->rule.info.severity != diag::Severity::error;
}

bool check_unsupported(const Record& record, diag::Sink& sink) {
  bool accepted = true;
  for (const Field& field : record.fields) {
    if (field.spec == nullptr || !field.valid) continue;
    accepted = check_unsupported(*field.spec, record.spec->name, field, sink) && accepted;
  }
  return accepted;
}

void check_conflicts(const Record& record, const diag::Def<diag::Text, diag::Text>& rule, diag::Sink& sink) {
  for (const Field& field : record.fields) {
    const bool excludes = field.spec != nullptr && !field.spec->conflict.empty();
    if (!excludes || record.given(field.name) == nullptr || record.given(field.spec->conflict) == nullptr) continue;
    sink.report(rule, field.key, field.name, field.spec->conflict)
        .with_label(record.find(field.spec->conflict)->key, "only one of them is allowed")
        .with_help("keep one of them");
  }
}

}  // namespace sparsecfg::dialect
