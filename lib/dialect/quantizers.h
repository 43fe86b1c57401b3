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
  const Dialect* dialect;
  std::span<const std::string_view> names;
  std::span<const std::string_view> model;  // options for the model, which may also be the first argument
};

[[nodiscard]] std::span<const CommandNames> command_names();

}  // namespace sparsecfg::dialect
