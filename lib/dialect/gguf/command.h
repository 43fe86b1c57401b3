#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dialect/gguf/types.h"
#include "source/shell_words.h"

// Command lines of llama-quantize.
namespace sparsecfg::dialect::gguf {

// A word of a command, such as an entry of a list of tensor types: `attn_v=q8_0`.
struct TypeEntry {
  std::string text;
  source::Span span{};
};

struct Command {
  Program program = Program::llama;
  source::Span span{};                 // of the name of the program
  std::vector<TypeEntry> entries;      // in order
  std::optional<TypeEntry> file_type;  // such as Q4_K_M
  std::vector<std::string> flags;      // such as `--pure`
  std::optional<TypeEntry> output_type;
  std::optional<TypeEntry> embedding_type;
  std::vector<std::int64_t> pruned_layers{};
  TypeEntry model{};                      // path of the input, relative to the script; empty: unknown
  std::optional<source::Span> unknown{};  // a word that only a run knows

  [[nodiscard]] bool has(std::string_view flag) const;
};

// Returns true if a word names the program: `./build/bin/llama-quantize`.
[[nodiscard]] bool is_program(std::string_view word);

// Returns the first command of a script that calls the program; nullopt if there is none. `folder` is that of the
// script, in which files of types are read.
[[nodiscard]] std::optional<Command> find_command(std::string_view script, const std::string& folder);

// Returns the path of a file that a script names, in the folder of the script. Empty if the name leaves the folder,
// because scripts of strangers must not make other files readable.
[[nodiscard]] std::string path_beside(const std::string& folder, const std::string& path);

// Returns the entries of a file of types, which are separated by white space.
[[nodiscard]] std::vector<TypeEntry> entries_of_file(std::string_view text);

}  // namespace sparsecfg::dialect::gguf
