#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "source/span.h"

// The commands of shell scripts and Makefiles, as far as they do not depend on a run.
namespace sparsecfg::source {

struct ShellWord {
  std::string text;      // after quotes and escapes
  Span span{};           // as written
  bool unknown = false;  // true if it contains a value that only a run knows
};

struct ShellCommand {
  std::vector<ShellWord> words;
};

// Returns the simple commands of a script in order: words with quotes, escapes, continued lines and comments as a POSIX
// shell reads them. Variables that the script sets to a literal are replaced. Redirections are left out.
[[nodiscard]] std::vector<ShellCommand> shell_commands(std::string_view text);

}  // namespace sparsecfg::source
