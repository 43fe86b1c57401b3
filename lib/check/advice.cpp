#include <fmt/core.h>

#include "check/check.h"

// Advice on values of actions.
namespace sparsecfg::check {

bool advise_value(diag::Diagnostic& report, const ir::Action& action, source::Span value, const std::string& text,
                  std::string_view why) {
  const auto writable = action.origin.writable(value);
  if (!writable) return false;
  if (writable->place != value) report.with_label(value, "used here");
  report.span = writable->place;
  report.with_help(fmt::format("write `{}: {}`{}", writable->name, text, why))
      .with_fix(diag::Fix::unsafe().replace(writable->place, text));
  return true;
}

}  // namespace sparsecfg::check
