#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ir/recipe.h"
#include "source/value.h"

namespace sparsecfg::dialect::llmcompressor {

// A modifier as it is to be written.
struct Draft {
  std::string class_name;
  std::string stage = "compress_stage";
  std::string group = "main_modifiers";
  source::Map fields{};  // in their order

  void set(std::string_view name, source::Value value);
  [[nodiscard]] const source::Value* find(std::string_view name) const;
};

[[nodiscard]] source::Value text_value(std::string_view text);
[[nodiscard]] source::Value list_value(const std::vector<std::string>& texts);

// A name as a pattern that takes it alone.
[[nodiscard]] std::string escaped(std::string_view name);

// The modifiers as a recipe. Those of one class that share a group get groups of their own, since a group is a mapping.
[[nodiscard]] std::string print(std::vector<Draft> drafts);

// Arguments of quantization with `type` and `strategy` written out, so that what llm-compressor writes of them can be
// read back. What is no mapping is left as it is.
[[nodiscard]] source::Value written_out(const source::Value& arguments);
// The same for all arguments of a mapping of groups.
[[nodiscard]] source::Value groups_written_out(const source::Value& groups);

}  // namespace sparsecfg::dialect::llmcompressor
