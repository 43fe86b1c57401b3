#pragma once

#include <string_view>

// What the names of GGUF files tell about their tensors.
namespace sparsecfg::dialect::gguf {

// A name that ends with a type: `models/llama-Q8_0.gguf`. Parts of its text.
struct TypedName {
  std::string_view model;  // without the type and the character before it: `models/llama`
  std::string_view type;   // empty: the name has none
};

// Returns the parts of a path of a file.
[[nodiscard]] TypedName typed_name(std::string_view path);

}  // namespace sparsecfg::dialect::gguf
