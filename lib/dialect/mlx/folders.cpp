#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "base/text.h"
#include "diag/rule.h"
#include "dialect/mlx/codes.h"
#include "dialect/quantized_dialects.h"
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

// Follows the folders of a script without loops and branches.
class Folders {
 public:
  Folders(const source::SourceFile& script, diag::Sink& sink) : script_(script), sink_(sink) {}

  void run() {
    for (const ShellCommand& command : source::shell_commands(script_.text())) {
      if (command.words.empty()) continue;
      if (begins_block(command.words.front().text)) return;
      if (!is_alternative(command)) step(command);
    }
  }

 private:
  static bool begins_block(std::string_view word) {
    constexpr std::string_view kWords[] = {"if", "case",     "for",  "while", "until", "select",
                                           "{",  "function", "trap", "exec",  "exit",  "return"};
    return base::contains(kWords, word) || word.ends_with("()");
  }

  // Returns true for a command after `||`, which runs only if the one before it fails.
  [[nodiscard]] bool is_alternative(const ShellCommand& command) const {
    const std::size_t begin = command.words.front().span.begin;
    const std::string_view before = base::trim(script_.text().substr(0, begin));
    return before.ends_with("||");
  }

  void step(const ShellCommand& command) {
    const std::size_t at = program_at(command);
    if (at < command.words.size()) return convert(command, at);
    const std::string& name = command.words.front().text;
    if (name == "mkdir") return add_folders(command);
    constexpr std::string_view kHarmless[] = {"echo", "export", "set", "pip",  "pip3",
                                              "uv",   "ls",     "du",  "date", "printf"};
    const bool assignment = command.words.size() == 1 && name.find('=') != name.npos;
    if (!assignment && !base::contains(kHarmless, name)) written_.clear();  // it may remove or move folders
  }

  // Returns the index of the first argument of `mlx_lm.convert`, or the number of words.
  static std::size_t program_at(const ShellCommand& command) {
    const auto& words = command.words;
    for (std::size_t at = 0; at < std::min<std::size_t>(words.size(), 6); ++at) {
      const std::string_view name = std::string_view(words[at].text).substr(words[at].text.rfind('/') + 1);
      if (name == "mlx_lm.convert") return at + 1;
      if (name == "mlx_lm" && at + 1 < words.size() && words[at + 1].text == "convert") return at + 2;
    }
    return words.size();
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
    const auto folder = first > 0 ? folder_of(command, first) : std::nullopt;
    if (!folder) return;
    const std::string path = normal(folder->value);
    const auto [known, is_new] = written_.emplace(path, folder->span);
    if (is_new) return;
    sink_.report(diag::mlx_folder_exists, folder->span, path)
        .with_label(known->second, "created here")
        .with_help(fmt::format("write `--mlx-path {}-2`", path));
  }

  const source::SourceFile& script_;
  diag::Sink& sink_;
  std::map<std::string, Span> written_;
};

}  // namespace

void check_commands(const source::SourceFile& script, diag::Sink& sink) { Folders(script, sink).run(); }

}  // namespace sparsecfg::dialect::mlx
