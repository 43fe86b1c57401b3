#pragma once

#include <optional>
#include <string>

#include "source/value.h"

// Values as GPTQModel reads them.
namespace sparsecfg::dialect::gptqmodel {

// Returns a string in lower case; nullopt for null and other values.
[[nodiscard]] std::optional<std::string> lower_text(const source::Value* value);

// Returns Python's truth value of a scalar, list or mapping; false for null.
[[nodiscard]] bool is_true(const source::Value* value);

}  // namespace sparsecfg::dialect::gptqmodel
