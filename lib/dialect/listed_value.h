#pragma once

#include <algorithm>
#include <string_view>

#include "base/text.h"
#include "dialect/options.h"

// Values of options as users know them: releases as pip prints them, and names of GPUs and programs in capitals.
namespace sparsecfg::dialect {

// Returns the value of an option that `given` means: the same word in other letter case, such as "a100" for "A100", or
// a release of which it is a patch release: "0.14" for "0.14.0", and "vllm@0.24" for "vllm@0.24.1". Returns `given` if
// there is none.
[[nodiscard]] inline std::string_view listed_value(const ReaderOption& option, std::string_view given) {
  const auto listed = [&](std::string_view value) {
    return std::ranges::find(option.values, base::to_lower(value),
                             [](std::string_view each) { return base::to_lower(each); });
  };
  for (std::string_view release = given;;) {
    if (const auto found = listed(release); found != option.values.end()) return *found;
    const std::size_t point = release.rfind('.');
    const bool number = point != std::string_view::npos && point > 0 && point + 1 < release.size() &&
                        release.find_first_not_of("0123456789", point + 1) == std::string_view::npos;
    if (!number) return given;
    release = release.substr(0, point);
  }
}

}  // namespace sparsecfg::dialect
