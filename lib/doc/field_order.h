#pragma once

#include <span>
#include <string_view>

namespace sparsecfg::doc {

// The usual order of fields in the classes of a dialect. If `names` is empty, every order is usual.
struct FieldOrder {
  std::span<const std::string_view> names{};                  // in their usual order
  std::span<const std::span<const std::string_view>> runs{};  // fields that always appear in this order
};

}  // namespace sparsecfg::doc
