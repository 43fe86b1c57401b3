#include "dialect/record/field_names.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/edit_distance.h"
#include "base/text.h"
#include "dialect/synonyms.h"

namespace sparsecfg::dialect {

std::optional<std::string_view> FieldNames::report_unknown(const UnknownField& field) {
  const SynonymMatch match = field.renamed_to ? SynonymMatch() : synonyms_for(field.name, field.candidates);
  if (!match.names.empty()) {
    return report_foreign(field, match);
  }
  const auto similar = field.renamed_to ? field.renamed_to : base::nearest(field.name, field.candidates);
  auto& report = sink_.report(diag::unknown_field, field.key, base::printable(field.name), field.owner);
  if (similar) {
    suggested_.push_back(*similar);
    report.with_help(base::did_you_mean(similar))
        .with_fix(diag::Fix::unsafe().content(field.key, std::string(*similar)));
  } else {
    report.with_severity(field.severity).with_help(field.help);
  }
  return similar;
}

// Reports a field name of another framework, or a common synonym, that corresponds to one or two fields of the mapping.
std::optional<std::string_view> FieldNames::report_foreign(const UnknownField& field, const SynonymMatch& match) {
  auto& report = sink_.report(diag::unknown_field, field.key, base::printable(field.name), field.owner);
  const std::string words = fmt::format("write `{}`", fmt::join(match.names, "` and `"));
  report.with_help(
      match.framework.empty() ? words : fmt::format("{}; `{}` is the {} name", words, field.name, match.framework));
  suggested_.insert(suggested_.end(), match.names.begin(), match.names.end());
  if (match.names.size() > 1) {
    return std::nullopt;
  }
  report.with_fix(diag::Fix::unsafe().content(field.key, std::string(match.names.front())));
  return match.names.front();
}

void FieldNames::report_missing(source::Span place, std::string_view owner, std::string_view name, std::string help,
                                diag::Fix fix) {
  if (!suggested(name)) {
    sink_.report(diag::missing_required, place, owner, name)
        .with_help(help.empty() ? "" : fmt::format("add `{}`: {}", name, help))
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
