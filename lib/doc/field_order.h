#pragma once

#include <span>
#include <string_view>

namespace sparsecfg::doc {

// How people write the fields of a dialect's classes. Without names every order is as usual as another.
struct FieldOrder {
  std::span<const std::string_view> names{};                  // from the first to the last
  std::span<const std::span<const std::string_view>> runs{};  // fields that nobody writes in another order on purpose
};

}  // namespace sparsecfg::doc
