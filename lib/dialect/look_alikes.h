#pragma once

#include <string_view>
#include <vector>

#include "diag/sink.h"
#include "doc/document.h"

// Documents that more than one dialect can read.
namespace sparsecfg::dialect {

struct Dialect;

namespace llmcompressor {
// Returns true if a recipe of llm-compressor has nothing that only llm-compressor reads.
[[nodiscard]] bool may_be_sparseml(const doc::Document& document);
// Reports that such a recipe is read as one of SparseML. `error`: why llm-compressor rejects it.
void report_sparseml(source::Span root, const diag::Diagnostic& error, diag::Sink& sink);
}  // namespace llmcompressor

// Returns the dialects that can read a document: the first one that claims it, and the others if the document has no
// mark that only the first one has. Empty if no dialect claims it.
[[nodiscard]] std::vector<const Dialect*> readers_of(const doc::Document& document);

// Returns true if an error of a rule is a mistake in a recipe for the dialect that reports it. False: the rule is about
// something that only a dialect with the same form has or does.
[[nodiscard]] bool proves_dialect(const Dialect& dialect, std::string_view rule);

// Reports that another reader than the first one reads a document. `error`: why the first one rejects it.
void report_other_reader(const doc::Document& document, const diag::Diagnostic& error, diag::Sink& sink);

}  // namespace sparsecfg::dialect
