#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compile/places.h"
#include "source/span.h"

// Command lines in shell scripts and Makefiles.
namespace sparsecfg::places {

// A word of a command.
struct ShellWord {
  std::string text;  // without quotes
  source::Span span;
  bool known = true;  // false if it contains a variable or the output of a command
};

// A command with its arguments. Assignments before its name are left out.
struct ShellCommand {
  std::vector<ShellWord> words;
  source::Span span;
};

// Returns the commands in a part of a text, in order. Quotes, escapes, comments and continued lines are read as the
// shell does; control structures are not evaluated.
[[nodiscard]] std::vector<ShellCommand> shell_commands(std::string_view text, source::Span part);

// Returns true for files that contain command lines: `.sh`, `.bash`, `.zsh`, `.mk` and Makefiles.
[[nodiscard]] bool is_shell_file(std::string_view path);

// Adds the commands of a script, or of a block in a document, that are recipes of a dialect.
void add_commands(const source::SourceFile& file, source::Span part, std::vector<Place>& places);

// Returns the recipes in the commands of a script.
[[nodiscard]] Found find_in_shell(const source::SourceFile& file);

}  // namespace sparsecfg::places
