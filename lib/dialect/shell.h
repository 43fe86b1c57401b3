#pragma once

#include <string>
#include <string_view>

namespace sparsecfg::dialect {

struct Dialect;

// Returns the dialect of a shell script or Makefile that calls one of the known programs, or of a list for one of their
// options; null for other files. `name` is the path of the file.
[[nodiscard]] const Dialect* detect_in_shell(std::string_view name, std::string_view text);

// Returns the dialect of a name if its files are no documents; null for other names.
[[nodiscard]] const Dialect* find_shell_dialect(std::string_view name);

// Returns the programs whose commands are read in shell scripts: "`auto-round`, `hf_ptq.py` and `llama-quantize`".
[[nodiscard]] std::string programs_in_shell();

}  // namespace sparsecfg::dialect
