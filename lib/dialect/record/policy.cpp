#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "base/edit_distance.h"
#include "base/number.h"
#include "base/text.h"
#include "dialect/record/check.h"
#include "dialect/record/suggest.h"
#include "dialect/record/types.h"
#include "dialect/words.h"
#include "doc/fixes.h"

// The default behavior of frameworks, and the messages that all of them share.
namespace sparsecfg::dialect {

using source::Value;

bool Policy::evaluate(const Record&, Field&) const { return true; }

bool Policy::is_unknown(const Value&) const { return false; }

const FieldSpec* Policy::row_of_any_field() const { return nullptr; }

bool Policy::is_late(const Record&, const Field&) const { return false; }

bool Policy::expects_text(const Record&, std::string_view, const FieldSpec& spec) const {
  return allows(spec.type, Type::text) && !allows(spec.type, kNumbers | Type::whole);
}

bool Policy::rejects(const Value&, const FieldSpec&) const { return false; }

void Policy::check_valid(const Record&, Field&) const {}

std::optional<diag::Severity> Policy::severity(const InvalidValue&) const { return diag::Severity::error; }

bool Policy::is_sexagesimal(const Value& value) const { return dialect::is_sexagesimal(file_, value); }

std::vector<std::string_view> absent_fields(const Record& record) {
  const auto is_given = [&](std::string_view name) { return record.find(name) != nullptr; };
  std::vector<std::string_view> absent = names_without(record.spec->fields, is_given);
  std::ranges::copy(names_without(record.spec->common, is_given), std::back_inserter(absent));
  return absent;
}

// --- names of fields ----------------------------------------------------------------------------

bool Policy::report_unknown(const Record& record, const Field& field, FieldNames& names) const {
  names.report_unknown({field.key,
                        field.name,
                        fmt::format("`{}`", record.spec->name),
                        absent_fields(record),
                        fmt::format("list the valid fields with `sparsecfg explain {}`", record.spec->name),
                        {},
                        diag::Severity::error,
                        &field.value,
                        record.spec,
                        &record,
                        group_of_words()});
  return false;
}

bool Policy::report_missing(const Record& record, const FieldSpec& spec, FieldNames& names) const {
  names.report_missing(record.key, record.spec->name, spec.name, base::as_clause(spec.doc));
  return false;
}

// --- values -------------------------------------------------------------------------------------

// Offers to put a name above the fields of a record, and to indent these.
static diag::Fix named(const source::SourceFile& file, source::Span fields) {
  const std::string_view text = file.text(fields);
  const std::string_view before = file.text().substr(0, fields.begin);
  const std::size_t column = before.size() - (before.rfind('\n') + 1);
  if (text.empty() || text.front() == '{' || before.substr(before.size() - column).find_first_not_of(' ') < column) {
    return {};
  }
  const std::string indent(column + 2, ' ');
  diag::Fix fix = diag::Fix::unsafe().replace({fields.begin, fields.begin}, "group_0:\n" + indent);
  for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1)) {
    const auto line = fields.begin + static_cast<std::uint32_t>(at) + 1;
    if (at + 1 < text.size() && text[at + 1] == ' ') fix.replace({line, line}, "  ");
  }
  return fix;
}

// Reports a mapping whose keys are the fields of a record instead of the names of records.
static void report_unnamed(const source::SourceFile& file, diag::Sink& sink, const InvalidValue& invalid) {
  const source::Entry& first = invalid.value.get<source::Map>()->front();
  const std::string key = source::python_str(first.first);
  sink.report(diag::wrong_type, first.first.span, invalid.name, "a mapping from names to groups",
              "one group without a name")
      .with_caret("read as the name of a group")
      .with_help(fmt::format("put a name such as `group_0:` above `{}`, and indent the fields below it", key))
      .with_fix(named(file, invalid.value.span));
}

static bool is_fraction(const Bounds& bounds) { return bounds.min >= 0 && bounds.max <= 1; }

void Policy::report(const InvalidValue& invalid) const {
  switch (invalid.kind) {
    case InvalidValue::Kind::type: report_type(invalid); break;
    case InvalidValue::Kind::choice:
      suggest_choice(sink_.report(diag::unknown_choice, invalid.value.span, *invalid.text(), invalid.name), invalid);
      break;
    case InvalidValue::Kind::integer: report_integer(invalid); break;
    case InvalidValue::Kind::bounds:
      if (is_fraction(invalid.spec.bounds)) {
        sink_.report(diag::sparsity_out_of_range, invalid.value.span, invalid.name, source::python_str(invalid.value),
                     interval(invalid.spec.bounds));
      } else {
        sink_.report(diag::number_out_of_range, invalid.value.span, invalid.name, source::python_str(invalid.value),
                     interval(invalid.spec.bounds), invalid.record.spec->name);
      }
      break;
    case InvalidValue::Kind::sexagesimal: report_sexagesimal(invalid); break;
    case InvalidValue::Kind::not_a_record:
      if (invalid.value.get<source::Map>() != nullptr) return report_unnamed(file_, sink_, invalid);
      sink_
          .report(diag::wrong_type, invalid.value.span, invalid.name, "a mapping of fields",
                  source::describe(invalid.value))
          .with_help(fmt::format("write a mapping with the fields of `{}`", invalid.spec.record->name));
      break;
  }
}

// Returns true for a single SmoothQuant mapping (a list and a string) in place of the required list of mappings.
static bool is_flat_pair(const Value& value, const FieldSpec& spec) {
  const auto* list = value.get<source::List>();
  return list != nullptr && allows(spec.type, Type::groups) && list->size() == 2 &&
         list->front().get<source::List>() != nullptr && list->back().get<std::string>() != nullptr;
}

static diag::Diagnostic& report_flat_pair(const source::SourceFile& file, diag::Sink& sink,
                                          const InvalidValue& invalid) {
  const source::Span place = invalid.value.span;
  const bool flow = file.text(place).starts_with('[');
  return sink
      .report(diag::wrong_type, place, invalid.name, "a list of lists", "one of its items without the outer list")
      .with_help("put one more pair of brackets around it")
      .with_fix(flow ? diag::Fix::unsafe().replace({place.begin, place.begin}, "[").replace({place.end, place.end}, "]")
                     : diag::Fix());
}

diag::Diagnostic& Policy::report_type(const InvalidValue& invalid) const {
  const auto& [kind, record, name, value, spec, evaluated] = invalid;
  if (is_flat_pair(value, spec)) {
    return report_flat_pair(file_, sink_, invalid);
  }
  const Value& wrong = wrong_part(value, spec.type);
  auto& report = sink_.report(diag::wrong_type, wrong.span, name, describe(spec), source::describe(wrong));
  report.with_severity(severity(invalid).value_or(diag::Severity::error));
  const auto* text = invalid.text();
  if (value.is_null()) {
    report.with_help(spec.required ? fmt::format("add a value after `{}:`", name)
                                   : fmt::format("delete `{}`, or add a value", name));
  } else if (!spec.choices.empty() && text != nullptr) {
    suggest_choice(report, invalid);
  } else if (!spec.choices.empty()) {
    report.with_help(fmt::format("use one of `{}`", fmt::join(spec.choices, "`, `")));
  } else if (text != nullptr && allows(spec.type, kNumbers | Type::whole | Type::integer)) {
    suggest_number(report, invalid, *text);
  } else if (text != nullptr) {
    suggest_list(report, invalid, *text);
  } else {
    suggest_item(report, invalid);
  }
  return report;
}

// Offers the list that a string lacks the brackets of.
void Policy::suggest_list(diag::Diagnostic& report, const InvalidValue& invalid, const std::string& text) const {
  if (const auto list = list_meant_by(text, invalid.spec.type)) {
    report.with_help(fmt::format("write `{}`", *list)).with_fix(replaced(diag::Fix::unsafe(), invalid, *list));
  } else if (allows(invalid.spec.type, Type::texts)) {
    const bool short_name = text.size() <= 40 && text.find_first_of("`\n") == std::string::npos;
    report.with_help(short_name ? fmt::format("write `{}`", flow_list({text})) : "put the value in brackets: `[...]`")
        .with_fix(diag::Fix::safe().list(invalid.value.span));
  }
}

// Offers names for the items of a list where a mapping of records is required.
static bool suggest_names(diag::Diagnostic& report, const InvalidValue& invalid) {
  const auto* list = invalid.value.get<source::List>();
  const auto is_map = [](const Value& item) { return item.get<source::Map>() != nullptr; };
  if (!allows(invalid.spec.type, Type::named_records) || list == nullptr || list->empty() ||
      !std::ranges::all_of(*list, is_map)) {
    return false;
  }
  source::Map named;
  for (const Value& item : *list) named.emplace_back(Value{fmt::format("group_{}", named.size()), {}}, item);
  const std::string text = flow_text({std::move(named), {}});
  report.with_help(fmt::format("write `{}: {}`", invalid.name, text))
      .with_fix(invalid.evaluated ? diag::Fix() : diag::Fix::unsafe().replace(invalid.value.span, text));
  return true;
}

// Offers a mapping for a list of mappings that have their names inside: `[{name: conv1, bits: 4}]`.
static bool suggest_keys(diag::Diagnostic& report, const InvalidValue& invalid) {
  static constexpr std::string_view kNames[] = {"name", "layer", "module", "op", "op_name", "param"};
  const auto* list = invalid.value.get<source::List>();
  if (!allows(invalid.spec.type, Type::any_mapping | Type::mapping) || list == nullptr || list->empty()) return false;
  source::Map named;
  for (const Value& item : *list) {
    const auto* map = item.get<source::Map>();
    if (map == nullptr) return false;
    source::Map rest;
    const std::size_t size = named.size();
    for (const source::Entry& entry : *map) {
      const bool name = named.size() == size && entry.second.get<std::string>() != nullptr &&
                        base::contains(kNames, source::python_str(entry.first));
      if (name) {
        named.emplace_back(entry.second, Value{});
      } else {
        rest.push_back(entry);
      }
    }
    if (named.size() == size) return false;
    named.back().second = {std::move(rest), {}};
  }
  const std::string text = flow_text({std::move(named), {}});
  report.with_help(fmt::format("write `{}: {}`", invalid.name, text))
      .with_fix(invalid.evaluated ? diag::Fix() : diag::Fix::unsafe().replace(invalid.value.span, text));
  return true;
}

// Offers the only item of a list where a number or a string is required, and a list for a number.
void Policy::suggest_item(diag::Diagnostic& report, const InvalidValue& invalid) const {
  if (suggest_names(report, invalid) || suggest_keys(report, invalid)) return;
  if (invalid.value.number() && fits(Value{source::List{invalid.value}, {}}, invalid.spec.type)) {
    const std::string written = fmt::format("[{}]", source::python_str(invalid.value));
    report.with_help(fmt::format("write `{}`", written)).with_fix(replaced(diag::Fix::unsafe(), invalid, written));
    return;
  }
  const auto* list = invalid.value.get<source::List>();
  const auto* text = list != nullptr && list->size() == 1 ? list->front().get<std::string>() : nullptr;
  if (text != nullptr && allows(invalid.spec.type, Type::text)) {
    const std::string item = flow_text(list->front());
    report.with_help(fmt::format("write `{}`, without brackets", item))
        .with_fix(replaced(diag::Fix::unsafe(), invalid, item));
    return;
  }
  const bool one = list != nullptr && list->size() == 1 && list->front().get<std::string>() == nullptr;
  if (one && allows(invalid.spec.type, kNumbers) && fits(list->front(), invalid.spec.type) &&
      invalid.spec.bounds.contain(list->front().number().value_or(0))) {
    const std::string item = source::python_str(list->front());
    report.with_help(fmt::format("write `{}`, without brackets", item))
        .with_fix(replaced(diag::Fix::unsafe(), invalid, item));
  }
}

void Policy::suggest_choice(diag::Diagnostic& report, const InvalidValue& invalid) const {
  const std::string lower = base::to_lower(*invalid.text());
  if (allows(invalid.spec.type, Type::exact_boolean | Type::boolean) && (lower == "true" || lower == "false")) {
    report.with_help(fmt::format("write `{}`, without quotes", lower))
        .with_fix(replaced(diag::Fix::unsafe(), invalid, lower));
    return;
  }
  const Meant meant = meant_by(Word::Place::value, invalid.name, *invalid.text(), invalid.spec.choices,
                               fmt::format("use one of `{}`", fmt::join(invalid.spec.choices, "`, `")));
  report.with_help(meant.help).with_fix(invalid.evaluated ? diag::Fix() : meant.fix(invalid.value.span));
}

void Policy::report_sexagesimal(const InvalidValue& invalid) const {
  const std::string_view written = file_.text(invalid.value.span);
  const std::string quoted = fmt::format("\"{}\"", written);
  sink_.report(diag::yaml11_sexagesimal, invalid.value.span, written, source::python_str(invalid.value))
      .with_help(fmt::format("put it in quotes: `{}`", quoted))
      .with_fix(diag::Fix::safe().replace(invalid.value.span, quoted));
}

// --- numbers ------------------------------------------------------------------------------------

diag::Fix Policy::replaced(diag::Fix fix, const InvalidValue& invalid, std::optional<std::string> text) {
  return invalid.evaluated || !text ? diag::Fix() : fix.replace(invalid.value.span, std::move(*text));
}

// JSON numbers do not need a decimal point.
static bool is_json(const source::SourceFile& file) { return base::to_lower(file.name()).ends_with(".json"); }

void Policy::warn_of_exponent(const Value& value, const FieldSpec& spec) const {
  const auto* text = value.get<std::string>();
  if (text == nullptr || spec.type != Type::real || file_.text(value.span) != *text || is_json(file_)) {
    return;
  }
  const auto spelled = doc::spelled_as_float(*text);
  sink_.report(diag::yaml11_float_is_string, value.span, *text)
      .with_severity(diag::Severity::info)
      .with_help(
          fmt::format("write `{}`, which is a number in YAML 1.1 as well: {} converts this field, but not every field",
                      float_as_yaml(*as_real(value)), framework_))
      .with_fix(spelled ? diag::Fix::safe().replace(value.span, *spelled) : diag::Fix());
}

void Policy::suggest_number(diag::Diagnostic& report, const InvalidValue& invalid, const std::string& text) const {
  const Bounds& bounds = invalid.spec.bounds;
  if (const auto number = base::python_float(text)) {
    const bool plain = file_.text(invalid.value.span) == text;
    if (!allows(invalid.spec.type, kNumbers)) {
      report.with_help("");
      return;
    }
    report.with_help(plain ? fmt::format("write `{}`: YAML 1.1 floats need a decimal point and a signed exponent",
                                         float_as_yaml(*number))
                           : "remove the quotes");
    if (bounds.contain(*number)) {
      report.with_fix(replaced(
          diag::Fix::safe(), invalid,
          allows(invalid.spec.type, Type::number) ? doc::spelled_as_number(text) : doc::spelled_as_float(text)));
    }
  } else if (const auto meant = doc::number_meant_by(text); meant && bounds.contain(*meant)) {
    const bool whole = !allows(invalid.spec.type, kNumbers) && *meant == std::floor(*meant);
    const std::string written = whole ? fmt::format("{:.0f}", *meant) : base::python_repr(*meant);
    report.with_help(fmt::format("write `{}`", written)).with_fix(replaced(diag::Fix::unsafe(), invalid, written));
  }
}

// Returns true for numbers such as `010`, which YAML 1.1 reads as 8. The intended number is ambiguous.
bool Policy::is_octal(const InvalidValue& invalid) const {
  const std::string_view written = file_.text(invalid.value.span);
  return !invalid.evaluated && written.size() > 1 && written.front() == '0' &&
         std::ranges::all_of(written, base::is_digit);
}

// Returns the digits read as decimal: "10.0" for `010`.
static std::string decimal_meant(std::string_view written) {
  return fmt::format("{}.0", written.substr(std::min(written.find_first_not_of('0'), written.size() - 1)));
}

diag::Diagnostic& Policy::report_integer(const InvalidValue& invalid) const {
  const double number = *invalid.value.number();
  const bool fits = invalid.spec.bounds.contain(number);
  auto& report = sink_.report(diag::float_required, invalid.value.span, invalid.name, source::describe(invalid.value));
  const bool octal = is_octal(invalid);
  const std::string decimal = octal ? decimal_meant(file_.text(invalid.value.span)) : "";
  if (octal && invalid.spec.bounds.contain(*base::parse_double(decimal))) {
    return report.with_help(fmt::format("write `{}`: YAML reads numbers with a leading 0 as octal, so this is {}",
                                        decimal, base::python_repr(number)));
  }
  const bool percent = !fits && !octal && is_percent(number) && invalid.spec.bounds.contain(fraction_of(number));
  const std::string meant = base::python_repr(percent ? fraction_of(number) : number);
  if (!fits && !percent) {
    const auto near = nearest_sparsity(invalid.spec.bounds, number);
    return report.with_help(fmt::format("write a float within {}{}", interval(invalid.spec.bounds),
                                        near ? fmt::format(", such as `{}`", base::python_repr(*near)) : ""));
  }
  report.with_help(percent ? fmt::format("write `{}`: a sparsity is a fraction (0 to 1), not a percentage", meant)
                           : fmt::format("write `{}`", meant));
  return report.with_fix(replaced(diag::Fix::safe_if(fits), invalid, meant));
}

std::string interval(const Bounds& bounds) {
  return fmt::format("{}{}, {}{}", bounds.min_excluded ? '(' : '[', base::python_repr(bounds.min),
                     base::python_repr(bounds.max), bounds.max_excluded ? ')' : ']');
}

}  // namespace sparsecfg::dialect
