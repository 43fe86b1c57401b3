#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ir/operation.h"
#include "model/model_names.h"
#include "model/names.h"

// How `quantize_`, transformers and vLLM compare keys with modules and parameters (docs/semantics/torchao.md#b1-3).
namespace sparsecfg::dialect::torchao {

// All linear layers.
extern const ir::Language kLinearLayers;
extern const ir::Language kFiltered;  // the modules that a filter selects
// Maps of configurations.
extern const ir::Language kOwnMap;
extern const ir::Language kCompiledMap;  // of a model that `torch.compile` returned
extern const ir::Language kTransformersMap;
extern const ir::Language kTransformersMapWithEmbeddings;
extern const ir::Language kVllmMap;
// Lists of layers that stay unquantized. Without a list, transformers skips the output layer.
extern const ir::Language kTransformersSkip;
extern const ir::Language kTransformersDefaultSkip;
extern const ir::Language kVllmSkip;

// The type of a unit that is a parameter other than the weight of a module.
inline constexpr std::string_view kParameterType = "parameter";

// Returns true for linear layers. Programs test with isinstance(), so a class that is derived from Linear counts.
[[nodiscard]] bool is_linear(const model::Module& unit);

// Returns the name of a module in the model that `torch.compile` returns.
[[nodiscard]] std::string compiled_name(std::string_view name);

// Returns false if a layer stays unquantized because of its shape: the group size of the scheme does not divide its
// columns, or it can't be multiplied in float8 (docs/semantics/torchao.md#a1-6). Unknown shapes fit.
[[nodiscard]] bool fits(const ir::Scheme& scheme, const model::Module& unit);

// Returns the modules of a model, followed by all parameters that are not the weight of a module.
[[nodiscard]] std::vector<model::Module> units_of(const std::vector<model::Module>& modules,
                                                  const model::ModelNames* parameters);

// Returns a module of which two parameters have null entries, which stops quantize_. Empty if there is none.
struct TwoNulls {
  std::string module;
  std::uint32_t rule = 0;  // of the second parameter
};

[[nodiscard]] std::optional<TwoNulls> two_nulls(const ir::Selection& selection,
                                                const std::vector<model::Module>& units);

}  // namespace sparsecfg::dialect::torchao
