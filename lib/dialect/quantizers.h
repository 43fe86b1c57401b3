#pragma once

#include <span>
#include <string_view>

#include "dialect/dialect.h"

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
  using Check = void (*)(const source::SourceFile& script, diag::Sink& sink);

  const Dialect* dialect;
  std::span<const std::string_view> names;  // a name may have two words: "mlx_lm convert"
  std::span<const std::string_view> model;  // options for the model, which may also be the first argument
  std::string_view loader{};                // the class that loads the model; empty: any
  Check check = nullptr;                    // reports what the commands of a shell script do to each other
};

[[nodiscard]] std::span<const CommandNames> command_names();

}  // namespace sparsecfg::dialect
