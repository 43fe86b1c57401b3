#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "dialect/dialect.h"
#include "source/shell_words.h"

// Dialects of quantizers for language models, in their own folders.
namespace sparsecfg::dialect {

namespace gptqmodel {
extern const Dialect kDialect;
}

namespace autoround {
extern const Dialect kDialect;
}

namespace torchao {
extern const Dialect kDialect;
}

// Programs whose command lines are recipes of a dialect. A recipe is a mapping from the first name to a list of words.
struct CommandNames {
  using Check = void (*)(const std::vector<source::ShellCommand>& commands, diag::Sink& sink);

  const Dialect* dialect;
  std::span<const std::string_view> names;  // a name may have two words: "mlx_lm convert"
  std::span<const std::string_view> model;  // options for the model, which may also be the first argument
  std::string_view loader{};                // the class that loads the model; empty: any
  Check check = nullptr;                    // reports conflicts between the commands of a script
};

[[nodiscard]] std::span<const CommandNames> command_names();

// The program that a command calls, and the index of its first argument.
struct CalledProgram {
  const CommandNames* row = nullptr;  // null: another program
  std::size_t arguments = 0;
};

// A program may follow others, such as `python -m`, `env` or `nohup`.
[[nodiscard]] CalledProgram called_program(const source::ShellCommand& command);

}  // namespace sparsecfg::dialect
