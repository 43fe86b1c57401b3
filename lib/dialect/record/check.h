#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diag/sink.h"
#include "dialect/record/field_names.h"
#include "dialect/record/record.h"
#include "source/source_file.h"

// Checks records against the rows of their classes, for all dialects.
namespace sparsecfg::dialect {

// A value that does not fit its row.
struct InvalidValue {
  enum class Kind : std::uint8_t {
    type,
    choice,        // a string that is not one of the choices
    integer,       // an integer where only floats are accepted
    bounds,        // a number out of bounds
    sexagesimal,   // a string that YAML 1.1 reads as a number in base 60
    not_a_record,  // an item of `records` or `named_records` that is not a mapping
  };

  Kind kind;
  const Record& record;
  std::string_view name;
  const source::Value& value;
  const FieldSpec& spec;
  bool evaluated = false;  // true if the value is the result of an expression, which no fix may replace

  // Returns the value if it is a string, else null.
  [[nodiscard]] const std::string* text() const { return value.get<std::string>(); }
};

// The row of a field of which only the name is known.
inline constexpr FieldSpec kAnyField{.name = "any", .default_value = "null", .nullable = true};

// How a framework reads records. The functions are the differences between frameworks; each has a default.
class Policy {
 public:
  Policy(const source::SourceFile& file, diag::Sink& sink, std::string_view framework)
      : file_(file), sink_(sink), framework_(framework) {}

  Policy(const Policy&) = delete;
  Policy& operator=(const Policy&) = delete;
  virtual ~Policy() = default;

  // Evaluates the expressions of a field. Returns false after it has reported one that cannot be evaluated.
  virtual bool evaluate(const Record& record, Field& field) const;
  // Returns true if the value is known only after running the script around the recipe.
  [[nodiscard]] virtual bool is_unknown(const source::Value& value) const;
  // Returns the row for unlisted fields of an open class, or null if they are unknown fields.
  [[nodiscard]] virtual const FieldSpec* row_of_any_field() const;
  // Returns true if the value is checked later or never.
  [[nodiscard]] virtual bool is_late(const Record& record, const Field& field) const;
  // Returns true if a number in base 60 is probably a misread string.
  [[nodiscard]] virtual bool expects_text(const Record& record, std::string_view name, const FieldSpec& spec) const;
  // Returns true if a value is rejected although its type fits.
  [[nodiscard]] virtual bool rejects(const source::Value& value, const FieldSpec& spec) const;
  // Checks a valid value further.
  virtual void check_valid(const Record& record, Field& field) const;
  // Returns the severity of a value that does not fit, or nullopt if it is accepted.
  [[nodiscard]] virtual std::optional<diag::Severity> severity(const InvalidValue& invalid) const;
  virtual void report(const InvalidValue& invalid) const;
  // Reports an unknown field. Returns true if the framework accepts the record in spite of it.
  virtual bool report_unknown(const Record& record, const Field& field, FieldNames& names) const;

  // Returns what the words of several classes are filed under, such as "lr_scheduler"; empty: nothing.
  [[nodiscard]] virtual std::string_view group_of_words() const { return {}; }

  // Reports a missing field. Returns true if the framework accepts the record without it.
  virtual bool report_missing(const Record& record, const FieldSpec& spec, FieldNames& names) const;

  // Reports a string that is read as a number, although it is converted back.
  void warn_of_exponent(const source::Value& value, const FieldSpec& spec) const;

  [[nodiscard]] bool is_sexagesimal(const source::Value& value) const;

  [[nodiscard]] diag::Sink& sink() const { return sink_; }

 protected:
  diag::Diagnostic& report_type(const InvalidValue& invalid) const;
  diag::Diagnostic& report_integer(const InvalidValue& invalid) const;
  // Adds the intended choice to a report, or the list of choices.
  void suggest_choice(diag::Diagnostic& report, const InvalidValue& invalid) const;
  // Returns a fix that replaces the value. Empty if `text` is nullopt or the value is the result of an expression.
  [[nodiscard]] static diag::Fix replaced(diag::Fix fix, const InvalidValue& invalid, std::optional<std::string> text);

  const source::SourceFile& file_;
  diag::Sink& sink_;
  std::string_view framework_;

 private:
  void report_sexagesimal(const InvalidValue& invalid) const;
  void suggest_number(diag::Diagnostic& report, const InvalidValue& invalid, const std::string& text) const;
  void suggest_list(diag::Diagnostic& report, const InvalidValue& invalid, const std::string& text) const;
  void suggest_item(diag::Diagnostic& report, const InvalidValue& invalid) const;
  [[nodiscard]] bool is_octal(const InvalidValue& invalid) const;
};

// Returns the bounds as an interval: "(0.0, 1.0]".
[[nodiscard]] std::string interval(const Bounds& bounds);

// Returns true for a number that was probably meant as a percentage.
[[nodiscard]] constexpr bool is_percent(double number) { return number > 1 && number <= 100; }

// Returns the names of the fields that a record does not have.
[[nodiscard]] std::vector<std::string_view> absent_fields(const Record& record);

// Returns the fields of a mapping, without their rows. A key that is not a string is converted by Python's str().
[[nodiscard]] std::vector<Field> fields_of(const source::Map& map);

// Checks one value, including nested records. Reports it unless it fits. Returns false if it is rejected.
bool check_value(const Policy& policy, const Record& record, std::string_view name, const source::Value& value,
                 const FieldSpec& spec, bool evaluated = false);

// Checks the value of a field, and marks the field as invalid if it is rejected.
void check_field(const Policy& policy, const Record& record, Field& field);

// Finds the rows of the fields of a record, evaluates the fields and checks them. Reports unknown, missing and wrong
// fields.
void check_fields(const Policy& policy, Record& record);

// Reports a value that a row lists as not supported. Returns false if that is an error.
bool check_unsupported(const FieldSpec& spec, std::string_view class_name, const Field& field, diag::Sink& sink);

// Does so for all valid fields. Returns false if one of them is an error.
bool check_unsupported(const Record& record, diag::Sink& sink);

// Reports pairs of fields that must not be set together according to their rows.
void check_conflicts(const Record& record, const diag::Def<diag::Text, diag::Text>& rule, diag::Sink& sink);

}  // namespace sparsecfg::dialect
