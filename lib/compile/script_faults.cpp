#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "compile/places.h"
#include "diag/rule.h"
#include "diag/sink.h"

namespace sparsecfg::places {

DIAGNOSTIC(
    SP050, script_rejected, error, (Text), "Python cannot parse {}",
    "Python parses a whole script before it runs the first line. With a syntax error, nothing of the script runs, "
    "and a module with one cannot be imported. The recipes of the script are not checked.",
    "correct the syntax; `python -m py_compile FILE` finds it, too")

DIAGNOSTIC(SP051, script_stops, error, (Text), "{} is not defined",
           "Python looks a name up when it runs the statement, and stops with a NameError or an ImportError if nothing "
           "defines the name. sparsecfg reports the first such name that every run of the script reaches.",
           "define the name, or write the name of the value that you mean")

using script::Failure;

// Returns what to write, for the frequent errors; empty for others.
static std::string help_for(std::string_view fault) {
  static constexpr std::pair<std::string_view, std::string_view> kHelps[] = {
      {"unclosed `(`", "add `)`"},
      {"unclosed `[`", "add `]`"},
      {"unclosed `{`", "add `}`"},
      {"expected `:`", "add `:`"},
      {"unterminated string", "add the closing quote"},
      {"expected an indented block", "indent the body by four spaces, or write `pass`"},
      {"unexpected indentation", "indent the line like the lines of its block"}};
  const auto* found = std::ranges::find_if(kHelps, [&](const auto& each) { return fault.starts_with(each.first); });
  return found == std::end(kHelps) ? std::string() : std::string(found->second);
}

static void report_rejection(std::string_view what, source::Span span, const std::string& fault, diag::Sink& sink) {
  auto& finding = sink.report(diag::script_rejected, span, fmt::format("{}: {}", what, fault));
  if (const std::string help = help_for(fault); !help.empty()) finding.with_help(help);
}

// Returns true if a script names a word only where it defines it.
static bool is_only_defined(std::string_view text, std::string_view word) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + word.size())) {
    const bool begins = at == 0 || !base::is_name_letter(text[at - 1]);
    const std::size_t end = at + word.size();
    count += begins && (end == text.size() || !base::is_name_letter(text[end])) ? 1 : 0;
  }
  return count == 1;
}

namespace {

// Decides which failures are mistakes. A fragment of a script also lacks names, such as that of the model.
class Mistakes {
 public:
  Mistakes(const script::Trace& trace, std::string_view text, const IsKnown& is_known)
      : trace_(trace), text_(text), is_known_(is_known) {}

  [[nodiscard]] bool contain(const Failure& failure) const {
    return failure.kind != Failure::Kind::undefined || is_misspelled(failure) || is_part_of_recipe(failure);
  }

  // Returns true for the class of a framework, or a function that runs recipes.
  [[nodiscard]] bool is_called(const Failure& failure) const {
    return std::ranges::any_of(trace_.objects, [&](const script::Ref& call) {
      return call->name_span == failure.span && is_known_ && is_known_(*call);
    });
  }

 private:
  // Returns true if a similar name is defined, and nothing uses it.
  [[nodiscard]] bool is_misspelled(const Failure& failure) const {
    return !failure.near.empty() && is_only_defined(text_, failure.near);
  }

  // Returns true for the argument `recipe` of a call, and for a class.
  [[nodiscard]] bool is_part_of_recipe(const Failure& failure) const {
    return is_called(failure) || std::ranges::any_of(trace_.objects, [&](const script::Ref& call) {
             const script::Ref recipe = call->argument(script::kRecipe);
             return recipe != nullptr && recipe->span == failure.span;
           });
  }

  const script::Trace& trace_;
  std::string_view text_;
  const IsKnown& is_known_;
};

}  // namespace

static void report_failure(const Failure& failure, const Mistakes& mistakes, diag::Sink& sink) {
  if (failure.kind == Failure::Kind::module) {
    return report_rejection("the imported module", failure.span, failure.text, sink);
  }
  auto& finding = sink.report(diag::script_stops, failure.span, fmt::format("`{}`", failure.text));
  if (mistakes.is_called(failure)) {
    finding.with_help(fmt::format("import `{}`", failure.text));
  } else if (failure.kind == Failure::Kind::absent) {
    finding.with_help("write the name of a module of the package");
  } else if (!failure.near.empty()) {
    finding.with_help(fmt::format("did you mean `{}`?", failure.near));
  }
}

void report_faults(const script::Source& source, const script::Trace& trace, const IsKnown& is_known, Found& out,
                   diag::Sink& sink) {
  const std::span<const python::Script> scripts = source.scripts;
  const auto script = std::ranges::find_if(scripts, [](const python::Script& each) { return each.fault.has_value(); });
  out.rejected = script != scripts.end();
  if (out.rejected) {
    const std::uint32_t place = script->fault->offset;
    return report_rejection("this script", {place, place + 1}, script->fault->message, sink);
  }
  const Mistakes mistakes(trace, source.text, is_known);
  const auto failure =
      std::ranges::find_if(trace.failures, [&](const Failure& each) { return mistakes.contain(each); });
  out.stops = failure != trace.failures.end();
  if (out.stops) report_failure(*failure, mistakes, sink);
}

}  // namespace sparsecfg::places
