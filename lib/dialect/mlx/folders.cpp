#include <fmt/format.h>

#include <map>
#include <string>

#include "base/text.h"
#include "diag/rule.h"
#include "dialect/mlx/codes.h"
#include "dialect/quantized_dialects.h"
#include "dialect/quantizers.h"
#include "source/shell_words.h"

// The folders that commands of a script write to (docs/semantics/mlx.md#c1-4).
namespace sparsecfg::dialect::mlx {

using source::ShellCommand;
using source::ShellWord;
using source::Span;

DIAGNOSTIC(
    MX116, mlx_folder_exists, error, (Text), "the folder `{}` exists already",
    "`mlx_lm.convert` writes only to a new folder, by default `mlx_model`, and raises a ValueError if it exists. "
    "A script that runs twice stops for the same reason.",
    "write another folder after `--mlx-path`")

namespace {

// Follows the folders of a script. Commands that a run can skip create none.
class Folders {
 public:
  explicit Folders(diag::Sink& sink) : sink_(sink) {}

  void run(const std::vector<ShellCommand>& commands) {
    for (const ShellCommand& command : commands) {
      if (ends_script(command.words.front().text)) return;
      step(command);
    }
  }

 private:
  static bool ends_script(std::string_view word) {
    return word == "trap" || word == "exec" || word == "exit" || word == "return";
  }

  void step(const ShellCommand& command) {
    const std::string& name = command.words.front().text;
    const CalledProgram program = called_program(command);
    if (program.row != nullptr && program.row->names.front() == "mlx_lm.convert" &&
        program.arguments < command.words.size()) {
      if (!command.conditional) convert(command, program.arguments);
    } else if (name == "mkdir") {
      if (!command.conditional) add_folders(command);
    } else if (!is_harmless(command)) {
      written_.clear();  // it may remove or move folders
    }
  }

  static bool is_harmless(const ShellCommand& command) {
    constexpr std::string_view kHarmless[] = {"echo", "export", "set",  "pip",    "pip3", "uv",
                                              "ls",   "du",     "date", "printf", "true"};
    const std::string& name = command.words.front().text;
    const bool assignment = command.words.size() == 1 && name.find('=') != name.npos;
    return assignment || base::contains(kHarmless, name);
  }

  void add_folders(const ShellCommand& command) {
    for (std::size_t at = 1; at < command.words.size(); ++at) {
      const ShellWord& word = command.words[at];
      if (!word.unknown && !word.text.starts_with('-')) written_.emplace(normal(word.text), word.span);
    }
  }

  static std::string normal(std::string path) {
    while (path.size() > 1 && path.ends_with('/')) path.pop_back();
    return path.starts_with("./") && path.size() > 2 ? path.substr(2) : path;
  }

  // Returns the folder of a command; nullopt if it is unknown.
  static std::optional<source::Located<std::string>> folder_of(const ShellCommand& command, std::size_t first) {
    constexpr std::string_view kName = "--mlx-path";
    source::Located<std::string> out{"mlx_model", command.words[first - 1].span};
    for (std::size_t at = first; at < command.words.size(); ++at) {
      const ShellWord& word = command.words[at];
      const std::string_view name = std::string_view(word.text).substr(0, word.text.find('='));
      const bool help = word.text == "-h" || word.text == "--help";
      const bool whole_unknown = word.unknown && !(word.text.starts_with("--") && name.size() < word.text.size());
      const bool value = at > first && command.words[at - 1].text.starts_with('-');
      if (help || (whole_unknown && !value)) return std::nullopt;
      if (name.size() < 4 || !kName.starts_with(name)) continue;
      const bool together = name.size() < word.text.size();
      if (!together && at + 1 == command.words.size()) return std::nullopt;
      const ShellWord& path = together ? word : command.words[at + 1];
      if (path.unknown) return std::nullopt;
      out = {together ? word.text.substr(name.size() + 1) : path.text, path.span};
    }
    return out;
  }

  void convert(const ShellCommand& command, std::size_t first) {
    const auto folder = folder_of(command, first);
    if (!folder) return;
    const std::string path = normal(folder->value);
    const auto [known, is_new] = written_.emplace(path, folder->span);
    if (is_new) return;
    sink_.report(diag::mlx_folder_exists, folder->span, path)
        .with_label(known->second, "created here")
        .with_help(fmt::format("write `--mlx-path {}-2`", path));
  }

  diag::Sink& sink_;
  std::map<std::string, Span> written_;
};

}  // namespace

void check_commands(const std::vector<ShellCommand>& commands, diag::Sink& sink) { Folders(sink).run(commands); }

}  // namespace sparsecfg::dialect::mlx
