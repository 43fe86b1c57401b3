#pragma once

#include "lsp/workspace.h"

// Implements the requests of the protocol. Each function receives the workspace and the parameters and returns the
// result. It throws RequestError, or an exception of the JSON library if the parameters violate the protocol.
namespace sparsecfg::lsp {

// Returns the parameters of `textDocument/publishDiagnostics`. They contain no findings if the document was closed.
[[nodiscard]] Json diagnostics(Workspace& workspace, const std::string& uri);
// Returns the findings of a document that an editor asks for: `DocumentDiagnosticReport`.
[[nodiscard]] Json pulled_diagnostics(Workspace& workspace, const Json& params);
// Returns one finding as a `Diagnostic` of the protocol.
[[nodiscard]] Json finding_json(const diag::Diagnostic& finding, const Document& document);

// Returns the hover for a modifier (its effect and window), field, variable, rule code or selector (its matches).
[[nodiscard]] Json hover(Workspace& workspace, const Json& params);

// Returns completions: classes, fields, values, variables, anchors and names of the model.
[[nodiscard]] Json completion(Workspace& workspace, const Json& params);

// Returns the fixes of findings as quick fixes, and an action that applies all safe ones.
[[nodiscard]] Json code_actions(Workspace& workspace, const Json& params);

// Find and rename variables and anchors.
[[nodiscard]] Json definition(Workspace& workspace, const Json& params);
[[nodiscard]] Json references(Workspace& workspace, const Json& params);
[[nodiscard]] Json prepare_rename(Workspace& workspace, const Json& params);
[[nodiscard]] Json rename(Workspace& workspace, const Json& params);

// Returns the places of the variable or anchor at a position, or else of the same word, within the document.
[[nodiscard]] Json highlights(Workspace& workspace, const Json& params);

// Returns the blocks of YAML that an editor can fold, by indentation, also in a text with errors.
[[nodiscard]] Json folding_ranges(Workspace& workspace, const Json& params);

// Returns links for names of existing files, such as `recipe="x.yaml"` and `params: names.txt`.
[[nodiscard]] Json document_links(Workspace& workspace, const Json& params);

// Returns the outline: groups, modifiers with their windows, fields and variables.
[[nodiscard]] Json document_symbols(Workspace& workspace, const Json& params);

// Returns the edits that `normalize` would make.
[[nodiscard]] Json formatting(Workspace& workspace, const Json& params);
// Returns the edits that change one text to another.
[[nodiscard]] Json edits_between(const Text& before, const std::string& after);

// Returns inlay hints with the values of expressions and the epoch of the last update of each pruner.
[[nodiscard]] Json inlay_hints(Workspace& workspace, const Json& params);

}  // namespace sparsecfg::lsp
