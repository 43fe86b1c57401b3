#pragma once

#include "lsp/workspace.h"

// What the server answers to each request: a function takes the workspace and the parameters, and returns the result.
namespace sparsecfg::lsp {

// The parameters of `textDocument/publishDiagnostics`; without findings if the document was closed.
[[nodiscard]] Json diagnostics(Workspace& workspace, const std::string& uri);

}  // namespace sparsecfg::lsp
