#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dialect/write.h"
#include "ir/recipe.h"
#include "source/value.h"

namespace sparsecfg::dialect::sparseml {

// A modifier to write.
struct Draft {
  std::string class_name;
  std::string stage{};  // empty in recipes without stages
  std::string group = "modifiers";
  source::Map fields;  // in output order

  void set(std::string_view name, source::Value value);
};

[[nodiscard]] source::Value real(double value);
[[nodiscard]] source::Value word(std::string_view text);

// Prints a tag recipe. Keeps the order of `drafts`, in which modifiers of a group must be adjacent. Metadata, and
// variables if expressions are kept, come from `recipe`.
[[nodiscard]] std::string print(const std::vector<Draft>& drafts, const ir::Recipe& recipe,
                                const source::SourceFile* expressions);

// Same as print(), but as a stage recipe, whose modifiers are keys.
[[nodiscard]] std::string print_stages(const std::vector<Draft>& drafts, const ir::Recipe& recipe,
                                       const source::SourceFile* expressions);

}  // namespace sparsecfg::dialect::sparseml
