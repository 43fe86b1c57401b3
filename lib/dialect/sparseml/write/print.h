#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dialect/write.h"
#include "ir/recipe.h"
#include "source/value.h"

namespace sparsecfg::dialect::sparseml {

// A modifier as it is to be written.
struct Draft {
  std::string class_name;
  std::string stage{};  // empty where there are no stages
  std::string group = "modifiers";
  source::Map fields;  // in their order

  void set(std::string_view name, source::Value value);
};

[[nodiscard]] source::Value real(double value);
[[nodiscard]] source::Value word(std::string_view text);

// The modifiers as a recipe of tags, in the order given, which keeps those of a group together. Of
// `recipe` come the metadata and, where expressions are kept, the variables.
[[nodiscard]] std::string print(const std::vector<Draft>& drafts, const ir::Recipe& recipe,
                                const source::SourceFile* expressions);

// The same as a recipe of stages, whose modifiers are keys.
[[nodiscard]] std::string print_stages(const std::vector<Draft>& drafts, const ir::Recipe& recipe,
                                       const source::SourceFile* expressions);

}  // namespace sparsecfg::dialect::sparseml
