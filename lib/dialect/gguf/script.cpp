#include "dialect/gguf/script.h"

#include <algorithm>

#include "base/text.h"

namespace sparsecfg::dialect::gguf {

using source::ShellCommand;
using source::ShellWord;

// Commands that name programs without running them.
constexpr std::string_view kNaming[] = {"echo", "printf", "ls",   "cp",      "mv",    "rm",     "ln",    "test", "[",
                                        "[[",   "which",  "type", "chmod",   "make",  "cmake",  "ninja", "git",  "brew",
                                        "cat",  "find",   "tar",  "install", "strip", "scp",    "rsync", "grep", "sed",
                                        "hash", "file",   "wget", "curl",    "alias", "command"};

// Returns the place of the program that a command runs. It can follow others, such as `nohup` and `python`.
static std::size_t program_in(const ShellCommand& command) {
  if (base::contains(kNaming, command.words.front().text)) return command.words.size();
  const auto found = std::ranges::find_if(command.words, [](const ShellWord& word) {
    return word.text.find_first_of("= ") == std::string::npos && tool_called(word.text) != Tool::none;
  });
  return static_cast<std::size_t>(found - command.words.begin());
}

std::string plain_path(std::string_view path) {
  std::string out;
  for (std::size_t at = 0; at < path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    const std::string_view part = path.substr(at, end - at);
    const bool root = at == 0 && part.empty();
    if (root || (!part.empty() && part != ".")) out.append(part).append(end < path.size() ? "/" : "");
    at = end + 1;
  }
  return out;
}

std::string_view folder_in(std::string_view path) { return path.substr(0, path.find_last_of("/\\") + 1); }

Script read_script(std::string_view text) {
  Script out{source::shell_commands(text), {}};
  std::size_t folders = 0;
  for (std::size_t at = 0; at < out.commands.size(); ++at) {
    const ShellCommand& command = out.commands[at];
    const std::string& name = command.words.front().text;
    if (name == "cd" || name == "pushd" || name == "popd") ++folders;
    const std::size_t program = program_in(command);
    if (program == command.words.size()) continue;
    Step& step = out.steps.emplace_back();
    step.tool = tool_called(command.words[program].text);
    step.span = command.words[program].span;
    step.number = at;
    step.arguments = arguments_of(step.tool, std::span(command.words).subspan(program + 1));
    step.conditional = command.conditional;
    step.folder = std::to_string(folders);
  }
  return out;
}

StepFile file_of(const Step& step, const ShellWord& word) {
  StepFile out{word, {}};
  if (word.identity.empty()) return out;
  out.identity = plain_path(word.identity);
  if (!out.identity.starts_with('/')) out.identity.insert(0, step.folder + ":");
  return out;
}

}  // namespace sparsecfg::dialect::gguf
