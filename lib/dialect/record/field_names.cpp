#include "dialect/record/field_names.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/edit_distance.h"
#include "base/text.h"
#include "dialect/record/suggest.h"
#include "dialect/record/types.h"
#include "dialect/words.h"

namespace sparsecfg::dialect {

std::optional<std::string_view> FieldNames::report_unknown(const UnknownField& field) {
  const std::string_view owner = field.spec == nullptr ? std::string_view() : field.spec->name;
  const Word* word = field.renamed_to ? nullptr : find_word(Word::Place::field, owner, field.name, field.candidates);
  if (word != nullptr) {
    return report_word(field, *word);
  }
  const SynonymMatch match = field.renamed_to ? SynonymMatch() : synonyms_for(field.name, field.candidates);
  if (!match.names.empty()) {
    return report_foreign(field, match);
  }
  const auto similar = similar_to(field);
  auto& report = sink_.report(diag::unknown_field, field.key, field.name, field.owner);
  if (similar) {
    suggested_.push_back(*similar);
    report.with_help(base::did_you_mean(similar));
    offer_name(report, field, *similar);
  } else {
    report.with_severity(field.severity).with_help(field.help);
  }
  return similar;
}

// Returns true if a row accepts the type of a value. The choices and ints instead of floats are reported later.
static bool accepts(const FieldSpec& row, const source::Value& value) {
  const auto* text = value.get<std::string>();
  if (text != nullptr && text->starts_with("eval(")) return true;
  const bool selects = value.get<std::string>() != nullptr || value.get<source::List>() != nullptr;
  return value.is_null() || (allows(row.type, Type::selectors) && selects) || !row.choices.empty() ||
         (!allows(row.type, Type::selectors) && fits(value, row.type)) || allows(row.type, Type::exact_float);
}

// Returns the field that was probably meant: of a similar name, or the only one that is missing.
std::optional<std::string_view> FieldNames::similar_to(const UnknownField& field) const {
  const auto similar = field.renamed_to ? field.renamed_to : base::nearest(field.name, field.candidates);
  const FieldSpec* missing = field.spec == nullptr || !only_missing_ ? nullptr : field.spec->find(*only_missing_);
  // A boolean fits too many fields: `freeze: true` is the opposite of `trainable: true`.
  const bool boolean = missing != nullptr && allows(missing->type, Type::boolean | Type::exact_boolean | Type::truth);
  const bool fitting = missing != nullptr && field.value != nullptr && missing->type != Type::any && !boolean &&
                       field.value->get<bool>() == nullptr && fits(*field.value, missing->type);
  return similar || !fitting ? similar : only_missing_;
}

// Offers to rename a field, unless the other field does not accept its value.
void FieldNames::offer_name(diag::Diagnostic& report, const UnknownField& field, std::string_view name) {
  const FieldSpec* row = field.spec == nullptr ? nullptr : field.spec->find(name);
  if (row == nullptr || field.value == nullptr || accepts(*row, *field.value)) {
    report.with_fix(diag::Fix::unsafe().content(field.key, std::string(name)));
    return;
  }
  report.with_help(fmt::format("the field of a similar name, `{}`, needs {}", name, describe(*row)));
}

// Reports a field name of a table of users' words.
std::optional<std::string_view> FieldNames::report_word(const UnknownField& field, const Word& word) {
  auto& report = sink_.report(diag::unknown_field, field.key, field.name, field.owner);
  report.with_help(help_of(word));
  if (word.ours.empty()) {
    if (word.reason.ends_with("delete this field")) report.with_fix(diag::Fix::unsafe().remove(field.key));
    return std::nullopt;
  }
  suggested_.push_back(word.ours);
  offer_name(report, field, word.ours);
  return word.ours;
}

// Layer types, as llm-compressor and NNI select them, are not parameter names.
static std::string parameters_for_types(const UnknownField& field, std::string_view name) {
  const bool types =
      field.value != nullptr && (name == "params" || name == "weights") && names_layer_types(*field.value);
  return !types             ? ""
         : name == "params" ? "write `params: __ALL_PRUNABLE__`, or names of parameters; layer types select nothing"
                            : "use `weights` with full names of parameters; layer types select nothing";
}

// Reports a field name of another framework, or a common synonym, that corresponds to one or two fields of the mapping.
std::optional<std::string_view> FieldNames::report_foreign(const UnknownField& field, const SynonymMatch& match) {
  auto& report = sink_.report(diag::unknown_field, field.key, field.name, field.owner);
  const std::string words = fmt::format("write `{}`", fmt::join(match.names, "` and `"));
  report.with_help(
      match.framework.empty() ? words : fmt::format("{}; `{}` is the {} name", words, field.name, match.framework));
  suggested_.insert(suggested_.end(), match.names.begin(), match.names.end());
  if (match.names.size() > 1) {
    return std::nullopt;
  }
  const std::string parameters = parameters_for_types(field, match.names.front());
  if (parameters.empty()) {
    offer_name(report, field, match.names.front());
  } else {
    report.with_help(parameters);
  }
  return match.names.front();
}

void FieldNames::report_missing(source::Span place, std::string_view owner, std::string_view name, std::string help,
                                diag::Fix fix) {
  if (!suggested(name)) {
    const bool older = name == "params" && help.find("__ALL_PRUNABLE__") == std::string::npos;
    const std::string example = older ? "params: __ALL__" : example_of(name);
    const std::string doc = help.empty() ? "" : ": " + help;
    sink_.report(diag::missing_required, place, owner, name)
        .with_help(!example.empty() ? fmt::format("add `{}`, such as `{}`{}", name, example, doc)
                   : help.empty()   ? ""
                                    : fmt::format("add `{}`{}", name, doc))
        .with_fix(std::move(fix));
  }
}

void offer_list(diag::Diagnostic& report, const source::Value& value) {
  const auto* text = value.get<std::string>();
  const bool plain = text != nullptr && !text->empty() &&
                     std::ranges::all_of(*text, [](char c) { return base::is_name_letter(c) || c == '.'; });
  if (plain) {
    report.with_help(fmt::format("write `[{}]`", *text));
  }
}

bool FieldNames::suggested(std::string_view name) const {
  return std::ranges::find(suggested_, name) != suggested_.end();
}

}  // namespace sparsecfg::dialect
