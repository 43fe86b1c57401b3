#include <algorithm>
#include <vector>

#include "compile/model.h"
#include "compile/parts.h"
#include "dialect/look_alikes.h"

// Chooses between dialects that can read the same document.
namespace sparsecfg {

using source::Span;

// Returns true if an option or the project selects a dialect.
static bool is_selected(const dialect::Dialect& dialect, const CompileOptions& options) {
  const auto is_given = [&](const dialect::ReaderOption& option) { return options.read.given(option).has_value(); };
  const bool required =
      options.requirements.llmcompressor && options.requirements.llmcompressor->package == dialect.module;
  return required || std::ranges::any_of(dialect.options, is_given);
}

// Returns the errors of a reading.
static std::vector<diag::Diagnostic> errors_of(const dialect::Dialect& dialect, const dialect::Source& source,
                                               const CompileOptions& options) {
  CompileOptions own = options;
  forget_names(own);
  diag::Sink sink(true);
  const ir::Recipe recipe = dialect.read(source, own.read, sink);
  if (!recipe.dialect.empty()) check_recipe(recipe, own, sink);
  std::vector<diag::Diagnostic> findings = sink.take();
  settle_findings(source.file, &source.document, findings);
  std::erase_if(findings, [](const diag::Diagnostic& each) { return each.severity != diag::Severity::error; });
  return findings;
}

Choice choose_dialect(const dialect::Source& source, const CompileOptions& options) {
  const std::vector<const dialect::Dialect*> readers = dialect::readers_of(source.document);
  if (readers.empty()) return {};
  const dialect::Dialect& first = *readers.front();
  if (readers.size() == 1 || is_selected(first, options)) return {&first};
  const std::vector<diag::Diagnostic> errors = errors_of(first, source, options);
  const auto proves = [&](const diag::Diagnostic& each) { return dialect::proves_dialect(first, each.info->code); };
  if (errors.empty() || std::ranges::any_of(errors, proves)) return {&first};
  const auto reads = [&](const dialect::Dialect* other) { return errors_of(*other, source, options).empty(); };
  const auto other = std::find_if(readers.begin() + 1, readers.end(), reads);
  return other == readers.end() ? Choice{&first} : Choice{*other, errors.front()};
}

void report_choice(const Choice& choice, const doc::Document& document, diag::Sink& sink) {
  if (choice.rejected) dialect::report_other_reader(document, *choice.rejected, sink);
}

}  // namespace sparsecfg
