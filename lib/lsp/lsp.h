#pragma once

#include <istream>
#include <ostream>

namespace sparsecfg::lsp {

// Serves an editor over two streams by the Language Server Protocol (3.17) until it says `exit` or the input ends.
// `log` gets a line for each thing that goes wrong. Returns 0 if the editor said `shutdown` before, else 1.
int serve(std::istream& in, std::ostream& out, std::ostream& log);

}  // namespace sparsecfg::lsp
