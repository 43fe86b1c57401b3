#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ir/recipe.h"
#include "source/value.h"

namespace sparsecfg::dialect::llmcompressor {

// A modifier to write.
struct Draft {
  std::string class_name;
  std::string stage = "compress_stage";
  std::string group = "main_modifiers";
  source::Map fields{};  // in output order

  void set(std::string_view name, source::Value value);
  [[nodiscard]] const source::Value* find(std::string_view name) const;
};

[[nodiscard]] source::Value text_value(std::string_view text);
[[nodiscard]] source::Value list_value(const std::vector<std::string>& texts);

// Returns the recipe with the modifiers. Modifiers of one class in one group get separate groups, because a group is a
// mapping.
[[nodiscard]] std::string print(std::vector<Draft> drafts);

// Returns quantization arguments with explicit `type` and `strategy`, so that the recipe written by llm-compressor can
// be read back. Other values are returned unchanged.
[[nodiscard]] source::Value written_out(const source::Value& arguments);
// Applies written_out() to all arguments in a mapping of groups.
[[nodiscard]] source::Value groups_written_out(const source::Value& groups);

}  // namespace sparsecfg::dialect::llmcompressor
