#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "source/span.h"

// The commands of shell scripts and Makefiles, as far as they do not depend on a run.
namespace sparsecfg::source {

struct ShellWord {
  std::string text;        // after quotes and escapes, without the values that only a run knows
  Span span{};             // place of the word, or of the array element that replaces it
  bool unknown = false;    // true if it contains a value that only a run knows
  bool splits = false;     // true if a run can replace it by any number of words
  std::string identity{};  // words with the same identity have the same value in each run
};

struct ShellCommand {
  std::vector<ShellWord> words;
  bool conditional = false;  // true if a run can skip the command
};

// Returns the simple commands of a script in the order in which a run reaches them: words with quotes, escapes,
// continued lines and comments as a POSIX shell reads them. Variables that the script sets to a literal are replaced,
// loops over literal words are repeated. Redirections, here-documents and the words of control structures are left out.
[[nodiscard]] std::vector<ShellCommand> shell_commands(std::string_view text);

// Returns the name of a program without its folder, and without `@`, `-` and `+` of Makefiles before it.
[[nodiscard]] std::string_view program_name(std::string_view word);

// Returns true for programs that print or find a command and do not run it, such as `echo`.
[[nodiscard]] bool only_names_programs(std::string_view program);

// Returns a word as a file contains it without quotes around it.
[[nodiscard]] std::string_view without_quotes(std::string_view word);

// Returns true for files that contain command lines: `.sh`, `.bash`, `.zsh`, `.ksh`, `.mk` and Makefiles.
[[nodiscard]] bool is_shell_file(std::string_view path);

}  // namespace sparsecfg::source
