#include "dialect/class_of_numbers.h"

#include <fmt/format.h>

#include "regex/pattern.h"

namespace sparsecfg::dialect {

void advise_on_class(diag::Diagnostic& report, std::string_view entry, source::Span place, model::PatternUse use) {
  const auto numbers = model::number_class_in(entry);
  if (!numbers) return;
  const std::string meant = model::patterns_for(*numbers, entry, use).back();
  if (regex::syntax_error_of(meant)) return;
  report.with_caret("a class matches one character, not a number")
      .with_help(fmt::format("write `{}`", meant))
      .with_fix(diag::Fix::unsafe().content(place, meant));
}

}  // namespace sparsecfg::dialect
