#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "diag/sink.h"
#include "dialect/record/spec.h"
#include "source/value.h"

// Checks of field names, shared by all dialects.
namespace sparsecfg::dialect {

struct Record;
struct Word;

// The fields that a word probably refers to, and the framework that uses the word ("llm-compressor"; empty if none).
struct SynonymMatch {
  std::vector<std::string_view> names{};
  std::string_view framework{};
};

// Returns the candidates that mean the same as `name`, the name used by another framework. Returns none if the name is
// unknown or ambiguous.
[[nodiscard]] SynonymMatch synonyms_for(std::string_view name, std::span<const std::string_view> candidates);

// A key that is not a field of its mapping.
struct UnknownField {
  source::Span key;
  std::string_view name;
  std::string owner;                                // owner of the fields: "`GMPruningModifier`", "a policy"
  std::vector<std::string_view> candidates{};       // possible intended fields
  std::string help{};                               // help text if no candidate is similar
  std::optional<std::string_view> renamed_to{};     // current name of the field, if known
  diag::Severity severity = diag::Severity::error;  // used if no candidate is similar
  const source::Value* value = nullptr;             // if known, no fix renames a field that does not accept it
  const ClassSpec* spec = nullptr;                  // the rows of the candidates
  const Record* record = nullptr;                   // the mapping, if its other fields are known
  std::string_view group{};                         // of classes that share words; empty: none
};

// Reports unknown and missing fields of one mapping. A missing field is not reported if it was suggested for an unknown
// field before.
class FieldNames {
 public:
  explicit FieldNames(diag::Sink& sink) : sink_(sink) {}

  FieldNames(const FieldNames&) = delete;
  FieldNames& operator=(const FieldNames&) = delete;

  // Reports the words of other systems.
  ~FieldNames();

  // Reports an unknown field, with a field of similar name or the field's current name as a fix. Returns the
  // suggestion.
  std::optional<std::string_view> report_unknown(const UnknownField& field);
  void report_missing(source::Span place, std::string_view owner, std::string_view name, std::string help = {},
                      diag::Fix fix = {});  // `help`: describes the field, as a noun phrase

  // Names the only required field that is missing. It is suggested for an unknown field that accepts its value.
  void set_only_missing(std::string_view name) { only_missing_ = name; }

  // Returns true if `name` was suggested for an unknown field.
  [[nodiscard]] bool suggested(std::string_view name) const;

 private:
  std::optional<std::string_view> report_word(const UnknownField& field, const Word& word);
  bool report_second_name(const UnknownField& field, std::string_view owner, std::string_view value);
  std::optional<std::string_view> report_foreign(const UnknownField& field, const SynonymMatch& match);
  [[nodiscard]] std::optional<std::string_view> similar_to(const UnknownField& field) const;
  static void offer_name(diag::Diagnostic& report, const UnknownField& field, std::string_view name);
  void keep_foreign(const UnknownField& field, std::string_view name, std::string_view value, std::string reason);

  // A field with a name of another system. Several of them in a mapping are one mistake.
  struct ForeignWord {
    source::Span key;
    std::string name;
    std::string owner;
    std::string text;    // what to write: "num_bits: 4"
    std::string reason;  // why, as a clause; may be empty
    diag::Fix fix;
  };

  void report_foreign_words();

  diag::Sink& sink_;
  std::vector<ForeignWord> foreign_;
  std::vector<std::string_view> suggested_;
  std::optional<std::string_view> only_missing_;
};

// Suggests a one-item list if a list is required and the value is a plain string. Ignores other values.
void offer_list(diag::Diagnostic& report, const source::Value& value);

// Returns the names of the rows for which `is_given` returns false.
[[nodiscard]] auto names_without(const auto& rows, auto is_given) {
  std::vector<std::string_view> names;
  for (const auto& row : rows) {
    if (!is_given(row.name)) names.push_back(row.name);
  }
  return names;
}

}  // namespace sparsecfg::dialect
