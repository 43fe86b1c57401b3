#include "dialect/sparseml/read/fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/edit_distance.h"
#include "base/number.h"
#include "base/text.h"
#include "dialect/number_spelling.h"
#include "dialect/record/types.h"
#include "dialect/sparseml/read/variables.h"
#include "doc/fixes.h"

namespace sparsecfg::dialect::sparseml {

using source::Value;

constexpr std::string_view kFromParam = "__FROM_PARAM__";

// Checks the value of one field.
class ValueCheck {
 public:
  // `variables` may be null; then no variable names are suggested.
  ValueCheck(const source::SourceFile& file, const Variables* variables, const Modifier& modifier, Field& field,
             diag::Sink& sink)
      : file_(file), variables_(variables), modifier_(modifier), field_(field), spec_(*field.spec), sink_(sink) {}

  void run() {
    const Value& value = field_.value;
    const auto* text = value.get<std::string>();
    const bool as_token = text != nullptr && !spec_.token.empty() && *text == spec_.token;
    const bool as_mapping = allows(spec_.type, Type::selectors_by) && value.get<source::Map>() != nullptr;
    const bool as_list =
        allows(spec_.type, kNumbers) && allows(spec_.type, Type::list) && value.get<source::List>() != nullptr;
    if (as_token || as_mapping || as_list || (value.is_null() && spec_.nullable)) {
      return;
    }
    if (is_mask() && is_sexagesimal(file_, value)) {
      report_mask_as_number();
      return;
    }
    check_type(value, text);
    if (field_.valid) {
      check_number_spelling(file_, value, false, sink_);
    }
  }

 private:
  // Returns true if the field accepts N:M masks.
  bool is_mask() const { return field_.name == "mask_type" && spec_.type == Type::any; }

  void report_mask_as_number() {
    field_.valid = false;
    const std::string written = base::printable(file_.text(field_.value.span));
    sink_.report(diag::yaml11_sexagesimal, field_.value.span, written, source::python_str(field_.value))
        .with_help(fmt::format("put the mask in quotes: `\"{}\"`", written))
        .with_fix(diag::Fix::safe().replace(field_.value.span, fmt::format("\"{}\"", written)));
  }

  void check_type(const Value& value, const std::string* text) {
    if (allows(spec_.type, Type::exact_float)) {
      check_real(value, text);
      return;
    }
    switch (spec_.type) {
      case Type::real: check_number(value, text); break;
      case Type::number:
        if (const auto number = value.number()) {
          check_bounds(*number);
        } else {
          reject(text);
        }
        break;
      case Type::choice: check_choice(value, text); break;
      case Type::truth: check_boolean(text); break;
      // SparseML stores these values unchecked, so another type is only a warning. Exceptions: the keys of a required
      // mapping are read immediately, and a list used in a step can be neither a string nor a number.
      case Type::text: warn(text != nullptr); break;
      case Type::list:
        if (spec_.phase == Moment::step && (text != nullptr ? !text->empty() : value.number().value_or(0) != 0)) {
          reject(text);
        } else {
          warn(value.get<source::List>() != nullptr);
        }
        break;
      case Type::any_mapping:
        if (spec_.required && value.get<source::Map>() == nullptr) {
          reject(text);
        } else {
          warn(value.get<source::Map>() != nullptr);
        }
        break;
      default: break;
    }
  }

  // Rejects the value unless Python float() accepts it: a number, or a string that contains one.
  void check_number(const Value& value, const std::string* text) {
    const auto number = text != nullptr ? base::python_float(*text) : value.number();
    if (!number) {
      reject(text);
      return;
    }
    if (text != nullptr && file_.text(value.span) == *text) {
      sink_.report(diag::yaml11_float_is_string, value.span, base::printable(*text))
          .with_severity(diag::Severity::info)
          .with_help(fmt::format(
              "write `{}`, which is a number in YAML 1.1 as well: SparseML converts this field, but not every field",
              float_as_yaml(*number)))
          .with_fix(as_written(diag::Fix::safe(), doc::spelled_as_float(*text)));
    }
    check_bounds(*number);
  }

  void check_real(const Value& value, const std::string* text) {
    if (const auto* real = value.get<double>()) {
      check_bounds(*real);
    } else if (const auto number = value.number(); number && !value.get<bool>()) {
      field_.valid = false;
      sink_.report(diag::float_required, value.span, field_.name, source::describe(value))
          .with_help(is_octal() ? fmt::format("write `{}`: YAML reads numbers with a leading 0 as octal, so this is {}",
                                              decimal_meant(), base::python_repr(*number))
                     : !percent(*number) || fits(*number)
                         ? fmt::format("write `{}`", base::python_repr(*number))
                         : fmt::format("write `{}`: a sparsity is a fraction (0 to 1), not a percentage",
                                       base::python_repr(*number / 100)))
          .with_fix(is_octal()         ? diag::Fix()
                    : fits(*number)    ? as_written(diag::Fix::safe(), base::python_repr(*number))
                    : percent(*number) ? as_written(diag::Fix::unsafe(), base::python_repr(*number / 100))
                                       : diag::Fix());
    } else {
      reject(text);
    }
  }

  // Returns the variable named by `$name`, `${name}`, `{{ name }}`, `%(name)s`, `eval (name)` or a bare `name`. Returns
  // an empty string if the recipe has no such variable.
  std::string variable_meant_by(std::string_view text) const {
    if (text.starts_with("eval")) text.remove_prefix(4);  // `eval (name)`
    const std::size_t begin = std::min(text.find_first_not_of("${%(<[ "), text.size());
    const std::size_t end = std::min(text.find_first_of("})>] ", begin), text.size());
    const std::string_view name = text.substr(begin, end - begin);
    const bool word = !name.empty() && std::ranges::all_of(name, [](char c) {
      return base::is_letter(c) || base::is_digit(c) || c == '_';
    });
    return word && variables_ != nullptr && variables_->knows(modifier_.stage, name) ? std::string(name) : "";
  }

  // Returns true for numbers such as `010`, which YAML 1.1 reads as 8. The intended number is ambiguous.
  bool is_octal() const {
    const std::string_view written = file_.text(field_.value.span);
    return !field_.evaluated && written.size() > 1 && written.front() == '0' &&
           std::ranges::all_of(written, base::is_digit);
  }

  // Returns the number read as decimal: "10.0" for `010`.
  std::string decimal_meant() const {
    const std::string_view written = file_.text(field_.value.span);
    return fmt::format("{}.0", written.substr(std::min(written.find_first_not_of('0'), written.size() - 1)));
  }

  static bool percent(double number) { return number > 1 && number <= 100; }

  // Replaces the value in the file. Returns an empty fix if the value is the result of an expression.
  diag::Fix as_written(diag::Fix fix, std::optional<std::string> text) const {
    return field_.evaluated || !text ? diag::Fix() : fix.replace(field_.value.span, std::move(*text));
  }

  void check_choice(const Value& value, const std::string* text) {
    if (text != nullptr && std::ranges::find(spec_.choices, *text) != spec_.choices.end()) {
      return;
    }
    field_.valid = false;
    const std::string list = fmt::format("use one of `{}`", fmt::join(spec_.choices, "`, `"));
    if (text == nullptr) {
      sink_.report(diag::wrong_type, value.span, field_.name, describe(spec_), source::describe(value)).with_help(list);
      return;
    }
    const std::string shown = base::printable(*text);
    auto& report = field_.name == "lr_class" ? sink_.report(diag::lr_class_unknown, value.span, shown)
                   : modifier_.spec->name == "StructuredPruningModifier" && field_.name == "mask_type"
                       ? sink_.report(diag::structured_mask_required, value.span, source::describe(value))
                   : field_.name == "mask_type" ? sink_.report(diag::mask_type_unknown, value.span,
                                                               source::describe(value), modifier_.spec->name)
                                                : sink_.report(diag::unknown_choice, value.span, shown, field_.name);
    const auto guess = base::nearest(*text, spec_.choices);
    report.with_help(base::did_you_mean(guess, list));
    if (guess && !field_.evaluated) {
      report.with_fix(diag::Fix::unsafe().content(value.span, std::string(*guess)));
    }
  }

  // Warns about strings, which can be read as the opposite boolean: "false" counts as true.
  void check_boolean(const std::string* text) {
    if (text == nullptr) {
      return;
    }
    const bool by_letters = modifier_.spec->meaning == Meaning::trainable || field_.name == "constant_logging" ||
                            (field_.name == "leave_enabled" && modifier_.framework != Framework::pytorch);
    const std::string lower = base::to_lower(*text);
    const bool counts = by_letters ? !lower.empty() && lower.find_first_of("f0") == std::string::npos : !text->empty();
    if (lower == (counts ? "true" : "false")) {
      return;
    }
    sink_.report(diag::yaml11_bool_word, field_.value.span, base::printable(*text), counts ? "true" : "false")
        .with_help(meant_boolean(lower))
        .with_fix(as_boolean(lower, counts));
  }

  static std::string meant_boolean(std::string_view word) {
    static constexpr std::string_view kWords[] = {"true", "false"};
    return base::did_you_mean(base::nearest(word, kWords), "write `true` or `false`, without quotes");
  }

  // The fix is safe if the word already has the effect that it suggests.
  diag::Fix as_boolean(std::string_view word, bool counts) const {
    static constexpr std::string_view kTrue[] = {"true", "yes", "on"};
    static constexpr std::string_view kFalse[] = {"false", "no", "off"};
    const bool says_true = std::ranges::find(kTrue, word) != std::end(kTrue);
    const bool says_false = std::ranges::find(kFalse, word) != std::end(kFalse);
    const bool detected = says_true || says_false;
    return detected ? as_written(diag::Fix::safe_if(says_true == counts), says_true ? "true" : "false") : diag::Fix();
  }

  // Quantization fields of another type are checked by check_quantization_run().
  void warn(bool fits) {
    if (modifier_.spec->meaning == Meaning::quantization || modifier_.spec->meaning == Meaning::legacy_quantization) {
      return;
    }
    if (!fits) {
      sink_.report(diag::wrong_type, field_.value.span, field_.name, describe(spec_), source::describe(field_.value))
          .with_severity(diag::Severity::warning);
    }
  }

  void reject(const std::string* text) {
    field_.valid = false;
    if (text != nullptr && text->find("eval(") != std::string::npos) {
      sink_
          .report(diag::eval_not_evaluated, field_.value.span,
                  modifier_.framework == Framework::pytorch_2020
                      ? "SparseML releases of 2020 do not support expressions"
                  : is_eval(*text) ? "the recipe mixes stages with modifiers at the top level"
                                   : "it must be the whole value")
          .with_help(modifier_.framework == Framework::pytorch_2020 ? "write the result of the expression"
                     : is_eval(*text)                               ? "move the top-level modifiers into a stage"
                                                                    : "");
      return;
    }
    if (text != nullptr && *text == kFromParam) {
      sink_.report(diag::from_param_unsupported, field_.value.span, field_.name);
      return;
    }
    auto& report =
        sink_.report(diag::wrong_type, field_.value.span, field_.name, describe(spec_), source::describe(field_.value));
    if (const auto number = text != nullptr ? base::python_float(*text) : std::nullopt) {
      const bool plain = file_.text(field_.value.span) == *text;
      report.with_help(plain ? fmt::format("write `{}`: YAML 1.1 floats need a decimal point and a signed exponent",
                                           float_as_yaml(*number))
                             : "remove the quotes");
      if (fits(*number))
        report.with_fix(as_written(diag::Fix::safe(), spec_.type == Type::number ? doc::spelled_as_number(*text)
                                                                                 : doc::spelled_as_float(*text)));
    } else if (const auto meant = text != nullptr ? doc::number_meant_by(*text) : std::nullopt) {
      report.with_help(fmt::format("write `{}`", base::python_repr(*meant)));
      if (fits(*meant)) report.with_fix(as_written(diag::Fix::unsafe(), base::python_repr(*meant)));
    } else if (const std::string name = text != nullptr ? variable_meant_by(*text) : ""; !name.empty()) {
      report.with_help(fmt::format("write `eval({})`", name))
          .with_fix(as_written(diag::Fix::unsafe(), fmt::format("eval({})", name)));
    } else if (field_.value.is_null()) {
      report.with_help(spec_.required ? fmt::format("add a value after `{}:`", field_.name)
                                      : fmt::format("delete `{}`, or add a value", field_.name));
    }
  }

  bool fits(double number) const {
    const Bounds& bounds = spec_.bounds;
    const bool low = bounds.min_excluded ? number <= bounds.min : number < bounds.min;
    const bool high = bounds.max_excluded ? number >= bounds.max : number > bounds.max;
    return !low && !high;
  }

  void check_bounds(double number) {
    const Bounds& bounds = spec_.bounds;
    if (!bounds.any() || fits(number)) {
      return;
    }
    field_.valid = false;
    const std::string shown = source::python_str(field_.value);
    const source::Span place = field_.value.span;
    if (field_.name.ends_with("_epoch") || field_.name == "update_frequency") {
      sink_.report(diag::negative_epoch, place, field_.name, shown, base::python_repr(bounds.min))
          .with_help(meaning_of_minus_one());
    } else if (field_.name.ends_with("_lr") || field_.name == "learning_rate") {
      auto& report = sink_.report(diag::lr_out_of_range, place, field_.name, shown, interval(bounds));
      label_variable(report.with_help(excluded(number)));
    } else if (percent(number)) {
      sink_.report(diag::sparsity_looks_like_percent, place, field_.name, shown)
          .with_severity(diag::Severity::error)
          .with_help(fmt::format("write `{}`", base::python_repr(number / 100)))
          .with_fix(as_written(diag::Fix::unsafe(), base::python_repr(number / 100)));
    } else {
      auto& report = sink_.report(diag::sparsity_out_of_range, place, field_.name, shown, interval(bounds));
      label_variable(report.with_help(excluded(number)));
    }
  }

  // Adds a label at the definition of the variable that the value comes from.
  void label_variable(diag::Diagnostic& report) const {
    const source::Span from = variables_ == nullptr
                                  ? source::Span()
                                  : variables_->place_of_value(modifier_.stage, file_.text(field_.value.span));
    if (!from.empty()) {
      report.with_label(from, "the value is defined here");
    }
  }

  std::string meaning_of_minus_one() const {
    return spec_.bounds.min > -1          ? "write the epoch at which this modifier ends"
           : field_.name == "start_epoch" ? "write `-1` to start immediately"
           : field_.name == "end_epoch"   ? "write `-1` for no end"
                                          : "write `-1` to update at every step";
  }

  std::string excluded(double number) const {
    const bool at_limit = number == spec_.bounds.min || number == spec_.bounds.max;
    return at_limit ? fmt::format("write a number within {}, which excludes {} itself", interval(spec_.bounds),
                                  base::python_repr(number))
                    : "";
  }

  static std::string interval(const Bounds& bounds) {
    return fmt::format("{}{}, {}{}", bounds.min_excluded ? '(' : '[', base::python_repr(bounds.min),
                       base::python_repr(bounds.max), bounds.max_excluded ? ')' : ']');
  }

  const source::SourceFile& file_;
  const Variables* variables_;
  const Modifier& modifier_;
  Field& field_;
  const FieldSpec& spec_;
  diag::Sink& sink_;
};

// Returns true if the value is stored unchecked and first used in a step.
static bool is_late(const Modifier& modifier, const Field& field) {
  return field.spec->phase == Moment::step && modifier.framework == Framework::pytorch;
}

// Returns true if no step uses the value.
static bool is_unused(const Modifier& modifier, const Field& field) {
  return field.name == "cycle_epochs" && modifier.text("lr_func") != "cyclic_linear";
}

void check_value(const Reading& reading, const Modifier& modifier, Field& field) {
  if (!is_late(modifier, field)) {
    ValueCheck(reading.file, &reading.variables, modifier, field, reading.sink).run();
  }
}

void check_late_values(const source::SourceFile& file, Modifier& modifier, diag::Sink& sink) {
  for (Field& field : modifier.fields) {
    if (is_late(modifier, field) && !is_unused(modifier, field)) {
      ValueCheck(file, nullptr, modifier, field, sink).run();
      modifier.valid = modifier.valid && field.valid;
    }
  }
}

}  // namespace sparsecfg::dialect::sparseml
