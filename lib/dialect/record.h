#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "diag/sink.h"
#include "source/value.h"

// How the names of fields are checked, the same for every dialect.
namespace sparsecfg::dialect {

struct Meant;

// A key that is not a field of the mapping that holds it.
struct UnknownField {
  source::Span key;
  std::string_view name;
  std::string owner;                                // of the fields: "`GMPruningModifier`", "a policy"
  std::vector<std::string_view> candidates{};       // the fields that may be meant
  std::string help{};                               // what to do if none of them is similar
  std::optional<std::string_view> renamed_to{};     // what the field is called today, if that is known
  diag::Severity severity = diag::Severity::error;  // if no field is similar
};

// Reports unknown and missing fields of one mapping. A missing field is not reported if a misspelt one was reported as
// it before.
class FieldNames {
 public:
  explicit FieldNames(diag::Sink& sink) : sink_(sink) {}

  // A field with a similar name, or the field's new name, is suggested and offered as a fix. Returns that field.
  std::optional<std::string_view> report_unknown(const UnknownField& field);
  void report_missing(source::Span place, std::string_view owner, std::string_view name, std::string help = {},
                      diag::Fix fix = {});  // `help`: what the field is, in a clause

  // Returns true if an unknown field is probably `name` misspelt.
  [[nodiscard]] bool suggested(std::string_view name) const;

 private:
  std::optional<std::string_view> report_foreign(const UnknownField& field, const Meant& meant);

  diag::Sink& sink_;
  std::vector<std::string_view> suggested_;
};

// Offers a list of one for a string that stands where a list belongs; does nothing for other values.
void offer_list(diag::Diagnostic& report, const source::Value& value);

// Returns the names of the rows that `is_given` is false for.
[[nodiscard]] auto names_without(const auto& rows, auto is_given) {
  std::vector<std::string_view> names;
  for (const auto& row : rows) {
    if (!is_given(row.name)) names.push_back(row.name);
  }
  return names;
}

}  // namespace sparsecfg::dialect
