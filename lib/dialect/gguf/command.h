#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dialect/gguf/script.h"
#include "dialect/gguf/types.h"
#include "source/shell_words.h"

// Commands that decide the types of a GGUF file.
namespace sparsecfg::dialect::gguf {

// A word of a command, such as an entry of a list of tensor types: `attn_v=q8_0`.
struct TypeEntry {
  std::string text;
  source::Span span{};
  std::string file{};  // list file whose name is at `span`; empty: the entry itself is at `span`
  std::size_t line{};  // in `file`, from 1; 0 without a file
};

inline constexpr std::string_view kFileEnding = ".gguf";

struct Command : Step {
  Program program = Program::llama;
  std::vector<TypeEntry> entries{};      // in order
  std::optional<TypeEntry> file_type{};  // such as Q4_K_M
  std::optional<TypeEntry> output_type{};
  std::optional<TypeEntry> embedding_type{};
  std::vector<std::int64_t> pruned_layers{};
  TypeEntry model{};                      // path of the input, relative to the script; empty: unknown
  std::optional<source::Span> unknown{};  // a word that only a run knows
  std::optional<StepFile> input{};        // nullopt: the command names none
  std::optional<StepFile> output{};       // likewise
  std::vector<source::ShellWord> rest{};  // the words after the type of the file
  bool incomplete = false;                // true if the list of types is not known

  [[nodiscard]] bool has(std::string_view flag) const;
};

// Returns the command of a step that writes a model; nullopt for other steps. `folder` is that of the script, in which
// files of types are read.
[[nodiscard]] std::optional<Command> command_of(const Step& step, const std::string& folder);

// Returns the path of a file that a script names, in the folder of the script. Empty if the name leaves the folder,
// because scripts of strangers must not make other files readable.
[[nodiscard]] std::string path_beside(const std::string& folder, const std::string& path);

// Returns the entries of a file of types, which are separated by white space.
[[nodiscard]] std::vector<TypeEntry> entries_of_file(std::string_view text);

}  // namespace sparsecfg::dialect::gguf
