#include "dialect/record.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/edit_distance.h"
#include "base/text.h"

namespace sparsecfg::dialect {

std::optional<std::string_view> FieldNames::report_unknown(const UnknownField& field) {
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

void FieldNames::report_missing(source::Span place, std::string_view owner, std::string_view name, std::string help,
                                diag::Fix fix) {
  if (!suggested(name)) {
    sink_.report(diag::missing_required, place, owner, name).with_help(std::move(help)).with_fix(std::move(fix));
  }
}

bool FieldNames::suggested(std::string_view name) const {
  return std::ranges::find(suggested_, name) != suggested_.end();
}

}  // namespace sparsecfg::dialect
