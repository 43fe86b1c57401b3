#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/edit_distance.h"
#include "base/number.h"
#include "base/text.h"
#include "dialect/number_spelling.h"
#include "dialect/record/check.h"
#include "dialect/record/types.h"
#include "doc/fixes.h"

// The default behavior of frameworks, and the messages that all of them share.
namespace sparsecfg::dialect {

using source::Value;

bool Policy::evaluate(const Record&, Field&) const { return true; }

bool Policy::is_unknown(const Value&) const { return false; }

bool Policy::is_late(const Record&, const Field&) const { return false; }

bool Policy::expects_text(const Record&, std::string_view, const FieldSpec& spec) const {
  return allows(spec.type, Type::text) && !allows(spec.type, kNumbers | Type::whole);
}

bool Policy::rejects(const Value&, const FieldSpec&) const { return false; }

void Policy::check_valid(const Record&, Field&) const {}

std::optional<diag::Severity> Policy::severity(const Misfit&) const { return diag::Severity::error; }

bool Policy::is_sexagesimal(const Value& value) const { return dialect::is_sexagesimal(file_, value); }

std::vector<std::string_view> absent_fields(const Record& record) {
  const auto is_given = [&](std::string_view name) { return record.find(name) != nullptr; };
  std::vector<std::string_view> absent = names_without(record.spec->fields, is_given);
  std::ranges::copy(names_without(record.spec->common, is_given), std::back_inserter(absent));
  return absent;
}

// --- names of fields ----------------------------------------------------------------------------

bool Policy::report_unknown(const Record& record, const Field& field, FieldNames& names) const {
  names.report_unknown({field.key, field.name, fmt::format("`{}`", record.spec->name), absent_fields(record),
                        fmt::format("list the valid fields with `sparsecfg explain {}`", record.spec->name)});
  return false;
}

bool Policy::report_missing(const Record& record, const FieldSpec& spec, FieldNames& names) const {
  names.report_missing(record.key, record.spec->name, spec.name, base::as_clause(spec.doc));
  return false;
}

// --- values -------------------------------------------------------------------------------------

void Policy::report(const Misfit& misfit) const {
  switch (misfit.kind) {
    case Misfit::Kind::type: report_type(misfit); break;
    case Misfit::Kind::choice:
      suggest_choice(
          sink_.report(diag::unknown_choice, misfit.value.span, base::printable(*misfit.text()), misfit.name), misfit);
      break;
    case Misfit::Kind::integer: report_integer(misfit); break;
    case Misfit::Kind::bounds:
      sink_.report(diag::sparsity_out_of_range, misfit.value.span, misfit.name, source::python_str(misfit.value),
                   interval(misfit.spec.bounds));
      break;
    case Misfit::Kind::sexagesimal: report_sexagesimal(misfit); break;
    case Misfit::Kind::not_a_record:
      sink_
          .report(diag::wrong_type, misfit.value.span, misfit.name, "a mapping of fields",
                  source::describe(misfit.value))
          .with_help(fmt::format("write a mapping with the fields of `{}`", misfit.spec.record->name));
      break;
  }
}

diag::Diagnostic& Policy::report_type(const Misfit& misfit) const {
  const auto& [kind, record, name, value, spec, evaluated] = misfit;
  const Value& wrong = wrong_part(value, spec.type);
  auto& report = sink_.report(diag::wrong_type, wrong.span, name, describe(spec), source::describe(wrong));
  report.with_severity(severity(misfit).value_or(diag::Severity::error));
  const auto* text = misfit.text();
  if (value.is_null()) {
    report.with_help(spec.required ? fmt::format("add a value after `{}:`", name)
                                   : fmt::format("delete `{}`, or add a value", name));
  } else if (!spec.choices.empty()) {
    report.with_help(fmt::format("use one of `{}`", fmt::join(spec.choices, "`, `")));
  } else if (text != nullptr && allows(spec.type, kNumbers)) {
    suggest_number(report, misfit, *text);
  } else if (text != nullptr && allows(spec.type, Type::texts)) {
    report.with_help("put the value in brackets: `[...]`").with_fix(diag::Fix::safe().list(value.span));
  }
  return report;
}

void Policy::suggest_choice(diag::Diagnostic& report, const Misfit& misfit) const {
  const auto guess = base::nearest(*misfit.text(), misfit.spec.choices);
  report.with_help(base::did_you_mean(guess, fmt::format("use one of `{}`", fmt::join(misfit.spec.choices, "`, `"))));
  if (guess && !misfit.evaluated) {
    report.with_fix(diag::Fix::unsafe().content(misfit.value.span, std::string(*guess)));
  }
}

void Policy::report_sexagesimal(const Misfit& misfit) const {
  const std::string written = base::printable(file_.text(misfit.value.span));
  const std::string quoted = fmt::format("\"{}\"", written);
  sink_.report(diag::yaml11_sexagesimal, misfit.value.span, written, source::python_str(misfit.value))
      .with_help(fmt::format("put it in quotes: `{}`", quoted))
      .with_fix(diag::Fix::safe().replace(misfit.value.span, quoted));
}

// --- numbers ------------------------------------------------------------------------------------

diag::Fix Policy::replaced(diag::Fix fix, const Misfit& misfit, std::optional<std::string> text) {
  return misfit.evaluated || !text ? diag::Fix() : fix.replace(misfit.value.span, std::move(*text));
}

// JSON numbers do not need a decimal point.
static bool is_json(const source::SourceFile& file) { return base::to_lower(file.name()).ends_with(".json"); }

void Policy::warn_of_exponent(const Value& value, const FieldSpec& spec) const {
  const auto* text = value.get<std::string>();
  if (text == nullptr || spec.type != Type::real || file_.text(value.span) != *text || is_json(file_)) {
    return;
  }
  const auto spelled = doc::spelled_as_float(*text);
  sink_.report(diag::yaml11_float_is_string, value.span, base::printable(*text))
      .with_severity(diag::Severity::info)
      .with_help(
          fmt::format("write `{}`, which is a number in YAML 1.1 as well: {} converts this field, but not every field",
                      float_as_yaml(*as_real(value)), framework_))
      .with_fix(spelled ? diag::Fix::safe().replace(value.span, *spelled) : diag::Fix());
}

void Policy::suggest_number(diag::Diagnostic& report, const Misfit& misfit, const std::string& text) const {
  const Bounds& bounds = misfit.spec.bounds;
  if (const auto number = base::python_float(text)) {
    const bool plain = file_.text(misfit.value.span) == text;
    report.with_help(plain ? fmt::format("write `{}`: YAML 1.1 floats need a decimal point and a signed exponent",
                                         float_as_yaml(*number))
                           : "remove the quotes");
    if (bounds.contain(*number)) {
      report.with_fix(replaced(
          diag::Fix::safe(), misfit,
          allows(misfit.spec.type, Type::number) ? doc::spelled_as_number(text) : doc::spelled_as_float(text)));
    }
  } else if (const auto meant = doc::number_meant_by(text)) {
    report.with_help(fmt::format("write `{}`", base::python_repr(*meant)));
    if (bounds.contain(*meant)) report.with_fix(replaced(diag::Fix::unsafe(), misfit, base::python_repr(*meant)));
  }
}

// Returns true for numbers such as `010`, which YAML 1.1 reads as 8. The intended number is ambiguous.
bool Policy::is_octal(const Misfit& misfit) const {
  const std::string_view written = file_.text(misfit.value.span);
  return !misfit.evaluated && written.size() > 1 && written.front() == '0' &&
         std::ranges::all_of(written, base::is_digit);
}

// Returns the digits read as decimal: "10.0" for `010`.
static std::string decimal_meant(std::string_view written) {
  return fmt::format("{}.0", written.substr(std::min(written.find_first_not_of('0'), written.size() - 1)));
}

diag::Diagnostic& Policy::report_integer(const Misfit& misfit) const {
  const double number = *misfit.value.number();
  const bool fits = misfit.spec.bounds.contain(number);
  auto& report = sink_.report(diag::float_required, misfit.value.span, misfit.name, source::describe(misfit.value));
  if (is_octal(misfit)) {
    return report.with_help(fmt::format("write `{}`: YAML reads numbers with a leading 0 as octal, so this is {}",
                                        decimal_meant(file_.text(misfit.value.span)), base::python_repr(number)));
  }
  const bool percent = !fits && is_percent(number);
  const std::string meant = base::python_repr(percent ? number / 100 : number);
  report.with_help(percent ? fmt::format("write `{}`: a sparsity is a fraction (0 to 1), not a percentage", meant)
                           : fmt::format("write `{}`", meant));
  return fits || percent ? report.with_fix(replaced(diag::Fix::safe_if(fits), misfit, meant)) : report;
}

std::string interval(const Bounds& bounds) {
  return fmt::format("{}{}, {}{}", bounds.min_excluded ? '(' : '[', base::python_repr(bounds.min),
                     base::python_repr(bounds.max), bounds.max_excluded ? ')' : ']');
}

}  // namespace sparsecfg::dialect
