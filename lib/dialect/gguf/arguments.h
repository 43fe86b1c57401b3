#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "source/shell_words.h"

// The arguments of the programs of llama.cpp.
namespace sparsecfg::dialect::gguf {

enum class Tool : std::uint8_t { none, convert, imatrix, quantize, split };

struct OptionRow {
  std::string_view name;
  bool has_value = false;
  bool only_ik = false;  // only in ik_llama.cpp
  std::string_view same_as{};
};

// Returns the program that a word names: `./build/bin/llama-quantize`.
[[nodiscard]] Tool tool_called(std::string_view word);

struct Argument {
  source::ShellWord name;
  const OptionRow* row = nullptr;  // null: the program is not known to have it
  source::ShellWord value{};       // its span is empty if there is none
};

struct Arguments {
  std::vector<Argument> options;
  std::vector<source::ShellWord> words;  // the others, in order
  bool exact = true;                     // false if some words can be options or values that only a run knows

  // Returns the last option of this name; null if there is none.
  [[nodiscard]] const Argument* find(std::string_view name) const;
};

// Returns the arguments of a program. `words`: without its name.
[[nodiscard]] Arguments arguments_of(Tool tool, std::span<const source::ShellWord> words);

// Returns the option that an unknown one means, such as `--tensor-type` for `--tensor_type` and `--tensor-type=a=q8_0`.
// Null if there is none.
[[nodiscard]] const OptionRow* option_meant(Tool tool, std::string_view name);

}  // namespace sparsecfg::dialect::gguf
