#include <fmt/format.h>

#include "compile/places.h"
#include "diag/rule.h"
#include "diag/sink.h"

namespace sparsecfg::places {

DIAGNOSTIC(
    SP050, script_rejected, error, (Text), "Python cannot parse this script: {}",
    "Python parses a whole script before it runs the first line. With a syntax error, nothing of the script runs, "
    "and a module with one cannot be imported. The recipes of the script are not checked.",
    "correct the syntax; `python -m py_compile FILE` finds it, too")

DIAGNOSTIC(SP051, script_stops, error, (Text), "{} is not defined",
           "Python looks a name up when it runs the statement, and stops with a NameError or an ImportError if nothing "
           "defines the name. sparsecfg reports the first such name that every run of the script reaches.",
           "define the name, or write the name of the value that you mean")

using script::Failure;

static void report_failure(const Failure& failure, diag::Sink& sink) {
  if (failure.kind == Failure::Kind::module) {
    sink.report(diag::script_rejected, failure.span, failure.text);
    return;
  }
  auto& finding = sink.report(diag::script_stops, failure.span, fmt::format("`{}`", failure.text));
  if (!failure.near.empty()) finding.with_help(fmt::format("did you mean `{}`?", failure.near));
}

bool report_faults(std::span<const python::Script> scripts, const script::Trace& trace, diag::Sink& sink) {
  for (const python::Script& script : scripts) {
    if (!script.fault) continue;
    const std::uint32_t place = script.fault->offset;
    sink.report(diag::script_rejected, {place, place + 1}, script.fault->message);
    return true;
  }
  if (!trace.failures.empty()) report_failure(trace.failures.front(), sink);
  return false;
}

}  // namespace sparsecfg::places
