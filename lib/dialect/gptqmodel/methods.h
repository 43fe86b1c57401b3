#pragma once

#include <array>
#include <span>
#include <string_view>

#include "dialect/gptqmodel/config.h"

// The methods of GPTQModel and their formats.
namespace sparsecfg::dialect::gptqmodel {

struct MethodRow {
  Method method;
  std::string_view word;
  std::string_view name;
  std::array<std::string_view, 12> formats;  // unused ones are empty
};

[[nodiscard]] std::span<const MethodRow> methods();

[[nodiscard]] const MethodRow& row_of(Method method);
// Returns the row of a method by its word; null if there is none.
[[nodiscard]] const MethodRow* find_method(std::string_view word);

[[nodiscard]] bool has_format(const MethodRow& row, std::string_view format);
// Returns the first method with a format; null if there is none.
[[nodiscard]] const MethodRow* owner_of(std::string_view format);

// Returns true for the name of a type of GGUF, such as "q4_k_m".
[[nodiscard]] bool is_gguf_type(std::string_view word);

}  // namespace sparsecfg::dialect::gptqmodel
