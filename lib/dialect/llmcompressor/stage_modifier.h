#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diag/sink.h"
#include "dialect/llmcompressor/draft.h"
#include "dialect/write.h"
#include "ir/recipe.h"

namespace sparsecfg::dialect::llmcompressor {

// The state of converting a modifier of SparseML stages to llm-compressor.
struct StageModifier {
  const ir::Action& action;
  ActionStatus& status;
  std::vector<std::string>& notes;         // fields omitted without an effect
  std::vector<std::string>& instructions;  // settings to make outside the file
  diag::Sink& sink;
  Draft draft;

  // Returns the value of a field, or null if it is absent or null.
  [[nodiscard]] const source::Value* given(std::string_view name) const;
  // Copies fields unchanged.
  void keep(std::initializer_list<std::string_view> names);
  void note(const std::string& line);
  // Notes why a field is omitted, if it is set.
  void note_dropped(std::string_view field, std::string_view why);
  // Report the result of the action, and record it in its status.
  void approximate(std::string_view reason);
  void drop(std::string reason);
};

// Returns a single string, or the strings of a list.
[[nodiscard]] std::vector<std::string> texts_of(const source::Value& value);

// Converts GPTQ. `quantized` is true if an earlier modifier sets schemes. Returns nullopt if there is nothing to
// quantize.
[[nodiscard]] std::optional<Draft> quantize_by_hessian(StageModifier& from, bool quantized);

// Converts quantization by schemes or groups, and the older quantization by schemes of layer types.
void quantize(StageModifier& from);
void quantize_by_schemes(StageModifier& from);

}  // namespace sparsecfg::dialect::llmcompressor
