#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "ir/operation.h"
#include "model/selectors/reader.h"

// How GPTQModel and vLLM compare patterns of `dynamic` with modules (docs/semantics/gptqmodel.md#b1-1).
namespace sparsecfg::dialect::gptqmodel {

// GPTQModel. With the head, patterns also reach `lm_head`.
extern const ir::Language kOwn;
extern const ir::Language kOwnWithHead;
// The patterns of vLLM, over the layers that it builds.
extern const ir::Language kVllm;
// Layers of vLLM without quantized tensors. The rules are full names.
extern const ir::Language kVllmTensors;

// Returns the modules as patterns see them, with the names that GPTQModel tries.
[[nodiscard]] std::vector<selectors::Module> modules_with_facts(std::span<const model::Module> modules, bool head);

// Returns a pattern without its own mark, `+:` or `-:`, or that of another system, such as `re:`.
[[nodiscard]] std::string_view without_mark(std::string_view pattern);

}  // namespace sparsecfg::dialect::gptqmodel
