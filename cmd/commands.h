#pragma once

#include "cmd/command_line.h"

// Each function returns one command: its name, its options and its implementation. It is defined in the file of the
// same name.
namespace sparsecfg::cmd {

[[nodiscard]] Command validate_command();
[[nodiscard]] Command convert_command();
[[nodiscard]] Command timeline_command();
[[nodiscard]] Command normalize_command();
[[nodiscard]] Command match_command();
[[nodiscard]] Command inspect_command();
[[nodiscard]] Command rescale_command();
[[nodiscard]] Command diff_command();
[[nodiscard]] Command compose_command();
[[nodiscard]] Command explain_command();
[[nodiscard]] Command create_command();
[[nodiscard]] Command schema_command();
[[nodiscard]] Command lsp_command();
[[nodiscard]] Command mcp_command();
[[nodiscard]] Command init_command();

}  // namespace sparsecfg::cmd
