#include "dialect/record/field_names.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/edit_distance.h"
#include "base/text.h"
#include "dialect/record/record.h"
#include "dialect/record/suggest.h"
#include "dialect/record/types.h"
#include "dialect/words.h"

namespace sparsecfg::dialect {

// Returns true if a row accepts the type of a value. The choices and ints instead of floats are reported later.
static bool accepts(const FieldSpec& row, const source::Value& value) {
  const auto* text = value.get<std::string>();
  if (text != nullptr && text->starts_with("eval(")) return true;
  const bool selects = value.get<std::string>() != nullptr || value.get<source::List>() != nullptr;
  return value.is_null() || (allows(row.type, Type::selectors) && selects) || !row.choices.empty() ||
         (!allows(row.type, Type::selectors) && fits(value, row.type)) || allows(row.type, Type::exact_float);
}

std::optional<std::string_view> FieldNames::report_unknown(const UnknownField& field) {
  const std::string_view owner = field.spec == nullptr ? std::string_view() : field.spec->name;
  const std::string value = field.value == nullptr ? "" : flow_text(*field.value);
  const Word* word =
      field.renamed_to ? nullptr : find_word(Word::Place::field, owner, field.name, field.candidates, value);
  if (word == nullptr && !field.group.empty()) {
    word = find_word(Word::Place::field, field.group, field.name, field.candidates, value);
  }
  if (word != nullptr) {
    return report_word(field, *word);
  }
  if (report_second_name(field, owner, value)) {
    return std::nullopt;
  }
  if (field.renamed_to) {
    keep_foreign(field, *field.renamed_to, {}, {});
    return field.renamed_to;
  }
  const SynonymMatch match = synonyms_for(field.name, field.candidates);
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

// Returns the field that was probably meant: of a similar name, or the only one that is missing.
std::optional<std::string_view> FieldNames::similar_to(const UnknownField& field) const {
  const auto similar = base::nearest(field.name, field.candidates);
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
  const EntryText ours = split_entry(word.ours);
  if (!ours.name.empty()) {
    keep_foreign(field, ours.name, ours.value, std::string(word.reason));
    return ours.name;
  }
  for (const std::string_view name : field.candidates) {  // the advice names the field to write
    if (word.reason.find(fmt::format("`{}`", name)) != std::string_view::npos) suggested_.push_back(name);
  }
  auto& report = sink_.report(diag::unknown_field, field.key, field.name, field.owner);
  report.with_help(help_of(word));
  if (word.reason.ends_with("delete this field")) report.with_fix(diag::Fix::unsafe().remove(field.key));
  return std::nullopt;
}

// Returns the value that the table has for a value of another system, such as `float` for `fp8`; empty: the same one.
static std::string_view translated(const UnknownField& field, std::string_view name) {
  const FieldSpec* row = field.spec == nullptr ? nullptr : field.spec->find(name);
  const auto* text = field.value == nullptr ? nullptr : field.value->get<std::string>();
  if (row == nullptr || text == nullptr || row->choices.empty()) return {};
  const Word* word = find_word(Word::Place::value, name, *text, row->choices);
  return word == nullptr ? std::string_view() : word->ours;
}

// Keeps a field of another system for report_foreign_words().
void FieldNames::keep_foreign(const UnknownField& field, std::string_view name, std::string_view value,
                              std::string reason) {
  suggested_.push_back(name);
  const FieldSpec* row = field.spec == nullptr ? nullptr : field.spec->find(name);
  const std::string_view own = value.empty() ? translated(field, name) : value;
  ForeignWord word{field.key, std::string(field.name), field.owner, std::string(name), std::move(reason), {}};
  if (!own.empty() && field.value != nullptr) {
    word.text += fmt::format(": {}", own);
    word.fix = diag::Fix::unsafe().content(field.key, std::string(name)).replace(field.value->span, std::string(own));
  } else if (row == nullptr || field.value == nullptr || accepts(*row, *field.value)) {
    word.fix = diag::Fix::unsafe().content(field.key, std::string(name));
  } else {
    word.text.clear();
    word.reason = fmt::format("the field for this, `{}`, needs {}", name, describe(*row));
  }
  foreign_.push_back(std::move(word));
}

// Reports one such field with its reason, or all of them at the first one.
void FieldNames::report_foreign_words() {
  if (foreign_.empty()) return;
  const ForeignWord& first = foreign_.front();
  auto& report = sink_.report(diag::unknown_field, first.key, first.name, first.owner);
  std::vector<std::string> texts;
  diag::Fix fix = diag::Fix::unsafe();
  bool fixable = true;
  for (const ForeignWord& word : foreign_) {
    if (&word != &first) report.with_label(word.key, "unknown as well");
    if (!word.text.empty()) texts.push_back(fmt::format("`{}`", word.text));
    fixable = fixable && !word.fix.edits.empty();
    for (const diag::Edit& edit : word.fix.edits) fix.add(edit);
  }
  const std::string help = texts.empty() ? "" : fmt::format("write {}", base::join_and(texts));
  const bool one = foreign_.size() == 1;
  report.with_help(help.empty()                           ? first.reason
                   : one && first.reason.starts_with(';') ? help + first.reason
                   : one && !first.reason.empty()         ? fmt::format("{}: {}", help, first.reason)
                                                          : help);
  if (fixable) report.with_fix(std::move(fix));
}

FieldNames::~FieldNames() { report_foreign_words(); }

// Returns the items of a list, or a single string, as texts.
static std::vector<std::string> items_of_value(const source::Value& value) {
  std::vector<std::string> out;
  const auto add = [&](const source::Value& item) {
    if (const auto* text = item.get<std::string>()) out.push_back(*text);
  };
  if (const auto* list = value.get<source::List>()) {
    std::ranges::for_each(*list, add);
  } else {
    add(value);
  }
  return out;
}

// Reports a word for a field that the mapping already has. The items of a list belong to that field.
bool FieldNames::report_second_name(const UnknownField& field, std::string_view owner, std::string_view value) {
  if (field.record == nullptr || field.spec == nullptr || field.value == nullptr || field.renamed_to) return false;
  std::vector<std::string_view> names;
  for (const FieldSpec& each : field.spec->fields) names.push_back(each.name);
  const Word* word = find_word(Word::Place::field, owner, field.name, names, value);
  const Field* given =
      word == nullptr || word->ours.empty() ? nullptr : field.record->find(split_entry(word->ours).name);
  if (given == nullptr || given->value.get<source::List>() == nullptr) return false;
  diag::Fix fix = diag::Fix::unsafe();
  std::vector<std::string> missing = items_of_value(*field.value);
  const std::vector<std::string> known = items_of_value(given->value);
  std::erase_if(missing, [&](const std::string& item) { return std::ranges::find(known, item) != known.end(); });
  for (const std::string& item : missing) fix.append(given->value.span, flow_text({item, {}}));
  auto& report = sink_.report(diag::unknown_field, field.key, field.name, field.owner);
  report.with_label(given->key, fmt::format("the name of {}", word->dialect));
  report.with_help(
      missing.empty()
          ? fmt::format("delete `{}`: `{}` already contains its entries", field.name, given->name)
          : fmt::format("add `{}` to `{}`, and delete `{}`", fmt::join(missing, "`, `"), given->name, field.name));
  report.with_fix(std::move(fix.remove(field.key)));
  return true;
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
  if (match.names.size() == 1 && parameters_for_types(field, match.names.front()).empty()) {
    keep_foreign(field, match.names.front(), {},
                 match.framework.empty() ? "" : fmt::format("; `{}` is the {} name", field.name, match.framework));
    return match.names.front();
  }
  auto& report = sink_.report(diag::unknown_field, field.key, field.name, field.owner);
  const std::string words = fmt::format("write `{}`", fmt::join(match.names, "` and `"));
  report.with_help(
      match.framework.empty() ? words : fmt::format("{}; `{}` is the {} name", words, field.name, match.framework));
  suggested_.insert(suggested_.end(), match.names.begin(), match.names.end());
  if (match.names.size() > 1) {
    return std::nullopt;
  }
  report.with_help(parameters_for_types(field, match.names.front()));
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
