#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dialect/gguf/arguments.h"
#include "source/shell_words.h"

// A shell script as a sequence of programs of llama.cpp, with the files that they read and write.
namespace sparsecfg::dialect::gguf {

// A command that runs a program of llama.cpp.
struct Step {
  Tool tool = Tool::none;
  source::Span span{};     // of the name of the program
  std::size_t number = 0;  // index in the commands of the script
  Arguments arguments{};
  bool conditional = false;  // true if a run can skip it
  std::string folder{};      // identifies the working folder
};

struct Script {
  std::vector<source::ShellCommand> commands;  // of all programs
  std::vector<Step> steps;                     // in order
};

[[nodiscard]] Script read_script(std::string_view text);

// A file of a step. Two files with the same identity are the same file.
struct StepFile {
  source::ShellWord word;  // that names it; its span is the name of the program if the step has a default name
  std::string identity{};  // empty: unknown
};

// Returns the file that a word of a step names.
[[nodiscard]] StepFile file_of(const Step& step, const source::ShellWord& word);

// Returns the name of a file after other ways to write it: `./a//b` is `a/b`.
[[nodiscard]] std::string plain_path(std::string_view path);

// Returns the folder of a path, with the slash at its end.
[[nodiscard]] std::string_view folder_in(std::string_view path);

}  // namespace sparsecfg::dialect::gguf
