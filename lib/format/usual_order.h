#pragma once

#include <span>
#include <string_view>

namespace sparsecfg::format {

// How people write the fields of a dialect's classes.
struct FieldOrder {
  std::string_view dialect;
  std::span<const std::string_view> names{};                  // from the first to the last
  std::span<const std::span<const std::string_view>> runs{};  // fields that nobody writes in another order on purpose
};

// Returns the order of a dialect; without names if every order is as usual as another.
[[nodiscard]] FieldOrder usual_order(std::string_view dialect);

}  // namespace sparsecfg::format
