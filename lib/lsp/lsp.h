#pragma once

#include <istream>
#include <ostream>

namespace sparsecfg::lsp {

// Runs a language server (LSP 3.17) on two streams until the client sends `exit` or the input ends. Writes a line to
// `log` for each error. Returns 0 if the client sent `shutdown` before, otherwise 1.
int serve(std::istream& in, std::ostream& out, std::ostream& log);

}  // namespace sparsecfg::lsp
