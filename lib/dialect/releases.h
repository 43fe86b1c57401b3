#pragma once

#include <algorithm>
#include <string_view>

#include "dialect/options.h"

// Values of options that are releases, as pip prints them.
namespace sparsecfg::dialect {

// Returns the value of an option of which `given` is a patch release: "0.14" for "0.14.0", and "vllm@0.24" for
// "vllm@0.24.1". Returns `given` if the option lists it, or if it is no such release.
[[nodiscard]] inline std::string_view listed_release(const ReaderOption& option, std::string_view given) {
  const auto is_listed = [&](std::string_view value) {
    return std::ranges::find(option.values, value) != option.values.end();
  };
  std::string_view release = given;
  while (!is_listed(release)) {
    const std::size_t point = release.rfind('.');
    const bool number = point != std::string_view::npos && point > 0 && point + 1 < release.size() &&
                        release.find_first_not_of("0123456789", point + 1) == std::string_view::npos;
    if (!number) return given;
    release = release.substr(0, point);
  }
  return release;
}

}  // namespace sparsecfg::dialect
