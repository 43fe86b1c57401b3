#pragma once

#include <algorithm>
#include <string_view>

#include "source/value.h"

namespace sparsecfg::source {

// Returns the value at the path "a.b.c", or null.
[[nodiscard]] inline const Value* value_at(const Value& value, std::string_view path) {
  const Value* at = &value;
  while (at != nullptr && !path.empty()) {
    const std::size_t end = std::min(path.find('.'), path.size());
    at = at->find(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return at;
}

}  // namespace sparsecfg::source
