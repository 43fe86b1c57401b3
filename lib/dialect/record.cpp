#include "dialect/record.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/edit_distance.h"
#include "base/text.h"
#include "dialect/synonyms.h"

namespace sparsecfg::dialect {

std::optional<std::string_view> FieldNames::report_unknown(const UnknownField& field) {
  const Meant meant = field.renamed_to ? Meant() : words_for(field.name, field.candidates);
  if (!meant.names.empty()) {
    return report_foreign(field, meant);
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

// A word of another framework, or of nobody, for one or two fields that the mapping lacks.
std::optional<std::string_view> FieldNames::report_foreign(const UnknownField& field, const Meant& meant) {
  auto& report = sink_.report(diag::unknown_field, field.key, base::printable(field.name), field.owner);
  const std::string words = fmt::format("write `{}`", fmt::join(meant.names, "` and `"));
  report.with_help(meant.whose.empty() ? words : fmt::format("{}: `{}` is {} word", words, field.name, meant.whose));
  suggested_.insert(suggested_.end(), meant.names.begin(), meant.names.end());
  if (meant.names.size() > 1) {
    return std::nullopt;
  }
  report.with_fix(diag::Fix::unsafe().content(field.key, std::string(meant.names.front())));
  return meant.names.front();
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
  const bool plain = text != nullptr && !text->empty() && std::ranges::all_of(*text, [](char c) {
                       return base::is_letter(c) || base::is_digit(c) || c == '_' || c == '.';
                     });
  if (plain) {
    report.with_help(fmt::format("write `[{}]`", *text));
  }
}

bool FieldNames::suggested(std::string_view name) const {
  return std::ranges::find(suggested_, name) != suggested_.end();
}

}  // namespace sparsecfg::dialect
