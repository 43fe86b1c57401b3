#pragma once

#include "base/text.h"
#include "source/value.h"

namespace sparsecfg::dialect::quantizers {

// Returns true for a string that says false, but that Python counts as true because it is not empty.
[[nodiscard]] inline bool says_false(const source::Value& value) {
  const auto* text = value.get<std::string>();
  const std::string word = text == nullptr ? "" : base::to_lower(*text);
  return word == "false" || word == "no" || word == "off" || word == "0";
}

}  // namespace sparsecfg::dialect::quantizers
