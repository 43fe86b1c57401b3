#pragma once

#include "dialect/record/check.h"
#include "dialect/sparseml/read/modifier.h"
#include "dialect/sparseml/read/variables.h"

namespace sparsecfg::dialect::sparseml {

// How SparseML reads the fields of a tagged modifier: as PyYAML constructs them, with the checks of its classes.
class TagPolicy : public Policy {
 public:
  // If `variables` is null, expressions are not evaluated.
  TagPolicy(const source::SourceFile& file, diag::Sink& sink, const Modifier& modifier, Variables* variables)
      : Policy(file, sink, "SparseML"), modifier_(modifier), variables_(variables) {}

  bool evaluate(const Record& record, Field& field) const override;

  [[nodiscard]] const FieldSpec* row_of_any_field() const override { return &kAnyField; }

  [[nodiscard]] bool is_late(const Record& record, const Field& field) const override;
  [[nodiscard]] bool expects_text(const Record& record, std::string_view name, const FieldSpec& spec) const override;
  void check_valid(const Record& record, Field& field) const override;
  [[nodiscard]] std::optional<diag::Severity> severity(const InvalidValue& invalid) const override;
  void report(const InvalidValue& invalid) const override;
  bool report_unknown(const Record& record, const Field& field, FieldNames& names) const override;
  bool report_missing(const Record& record, const FieldSpec& spec, FieldNames& names) const override;

 private:
  void keep_variable(const std::string& stage, Field& field) const;
  void check_boolean(const Field& field, const std::string& text) const;
  void report_value(const InvalidValue& invalid) const;
  void report_expression(const InvalidValue& invalid) const;
  void report_choice(const InvalidValue& invalid) const;
  void report_bounds(const InvalidValue& invalid) const;
  void report_mixed_classes(const Record& record, const Field& newer, const Field& older) const;
  void report_here(const InvalidValue& invalid) const;
  [[nodiscard]] source::Span definition_of(const InvalidValue& invalid) const;
  void label_uses(diag::Diagnostic& report, const InvalidValue& invalid) const;
  [[nodiscard]] std::string variable_meant_by(std::string_view text) const;

  const Modifier& modifier_;
  Variables* variables_;
};

}  // namespace sparsecfg::dialect::sparseml
