#pragma once

#include "lsp/workspace.h"

// What the server answers to each request. Each function takes the workspace and the parameters of the protocol and
// returns the result; it throws RequestError, or an exception of the JSON library for parameters that are not as the
// protocol says.
namespace sparsecfg::lsp {

// The parameters of `textDocument/publishDiagnostics`; without findings if the document was closed.
[[nodiscard]] Json diagnostics(Workspace& workspace, const std::string& uri);
// One finding as the protocol has it.
[[nodiscard]] Json finding_json(const diag::Diagnostic& finding, const Document& document);

// Modifiers with what they do and when, fields with their meaning and value, variables, codes, and what a selector
// matches.
[[nodiscard]] Json hover(Workspace& workspace, const Json& params);

// Classes, fields, values, variables, anchors and names of the model.
[[nodiscard]] Json completion(Workspace& workspace, const Json& params);

// The fixes of findings, and all safe ones together.
[[nodiscard]] Json code_actions(Workspace& workspace, const Json& params);

// Of variables and anchors.
[[nodiscard]] Json definition(Workspace& workspace, const Json& params);
[[nodiscard]] Json references(Workspace& workspace, const Json& params);
[[nodiscard]] Json prepare_rename(Workspace& workspace, const Json& params);
[[nodiscard]] Json rename(Workspace& workspace, const Json& params);

// The outline: groups, modifiers with their windows, fields, variables.
[[nodiscard]] Json document_symbols(Workspace& workspace, const Json& params);

// The edits that `normalize` would make.
[[nodiscard]] Json formatting(Workspace& workspace, const Json& params);
// The edits from one text to another.
[[nodiscard]] Json edits_between(const Text& before, const std::string& after);

// The values of expressions, and the epoch of the last update of each pruner.
[[nodiscard]] Json inlay_hints(Workspace& workspace, const Json& params);

}  // namespace sparsecfg::lsp
