#pragma once

#include <optional>
#include <string_view>

#include "source/value.h"

namespace sparsecfg::doc {

// What PyYAML makes of a text that it takes for an int: signs, `0b`, `0x`, a leading 0 for octal,
// numbers to the base of 60 with colons, underscores anywhere. An int64 or a BigInt; nothing where
// Python raises, as on more than 4,300 digits, and where the number is to another base than 10 and
// has more than 400.
[[nodiscard]] std::optional<source::Value::Data> construct_int(std::string_view text);

}  // namespace sparsecfg::doc
