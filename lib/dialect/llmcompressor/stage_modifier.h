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

// A modifier of SparseML's stages on its way to one of llm-compressor.
struct StageModifier {
  const ir::Action& action;
  ActionStatus& status;
  std::vector<std::string>& notes;         // what is left out without a loss
  std::vector<std::string>& instructions;  // what has to be done outside the file
  diag::Sink& sink;
  Draft draft;

  // Returns the value of a field; null where it is not given or is null.
  [[nodiscard]] const source::Value* given(std::string_view name) const;
  // Takes fields over as they are.
  void keep(std::initializer_list<std::string_view> names);
  void note(const std::string& line);
  // Notes why a field is left out, if it is given.
  void note_dropped(std::string_view field, std::string_view why);
  // Report what becomes of the action, and say so in its status.
  void approximate(std::string_view reason);
  void drop(std::string reason);
};

// A string alone, or the strings of a list.
[[nodiscard]] std::vector<std::string> texts_of(const source::Value& value);

// GPTQ. `quantized` is true if a modifier before it gives schemes. Returns nullopt if it has nothing to quantize.
[[nodiscard]] std::optional<Draft> quantize_by_hessian(StageModifier& from, bool quantized);

// Quantization by schemes or groups, and the older one by schemes of kinds of layers.
void quantize(StageModifier& from);
void quantize_by_schemes(StageModifier& from);

}  // namespace sparsecfg::dialect::llmcompressor
