#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "lsp/document.h"
#include "lsp/tree.h"

// Parses incomplete documents for completion.
namespace sparsecfg::lsp {

// The parsed part of a document with the placeholder in it.
struct Probe {
  std::unique_ptr<source::SourceFile> file;
  doc::Document tree;
  std::vector<Step> steps;  // path to the placeholder
};

// Parses the text around the typed word. The word may be a key without its colon, a value, or the last item of a list
// without its bracket.
[[nodiscard]] std::optional<Probe> read_probe(const Document& document, source::Span typed, const doc::Limits& limits);

}  // namespace sparsecfg::lsp
