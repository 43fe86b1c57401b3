#pragma once

#include <span>
#include <string>

#include "dialect/dialect.h"
#include "dialect/gptqmodel/config.h"
#include "dialect/options.h"
#include "dialect/quantizers/calls.h"
#include "ir/recipe.h"

// Reads configurations of GPTQModel: calls of `QuantizeConfig`, and saved files.
namespace sparsecfg::dialect::gptqmodel {

// The calls whose arguments are a configuration.
[[nodiscard]] std::span<const quantizers::Callable> callables();

[[nodiscard]] ir::Recipe read(const Source& source, const ReadOptions& options, diag::Sink& sink);

// Returns the operation that a configuration means to GPTQModel.
[[nodiscard]] ir::Assign lowered(const Config& config);

// Returns the settings of a call that decide the values of quantized weights. An unknown one is compared by its text.
[[nodiscard]] std::vector<ir::MethodSetting> settings_of(const Context& context, const Config& config);

// The configuration as vLLM reads it. Reports what vLLM rejects. Sets the layers of vLLM as units if the modules are
// known.
void read_by_vllm(const Context& context, const Config& config, const ReadOptions& options, ir::Recipe& recipe);

// Reports entries that transformers ignores, if it is the selected runtime.
void check_for_transformers(const Context& context, const Config& config, const ReadOptions& options);

// Reports entries that lose a part of the configuration.
void check_losses(const Context& context, const Config& config, const ReadOptions& options, ir::Assign& assign);

// Reports entries whose values are not applied to layers that another entry also matches.
void check_merges(const Context& context, const Config& config, const ReadOptions& options);

// Reports values that no kernel can store. Returns false if `quantize` stops at one.
[[nodiscard]] bool check_kernels(const Context& context, const Config& config, const ReadOptions& options);

// Reports an output layer that shares its weight with the embedding. Returns false if `quantize` stops at it.
[[nodiscard]] bool check_tied_head(const Context& context, const Config& config, const ReadOptions& options);

// Reports patterns that the regex library rejects. Returns false if there is one.
[[nodiscard]] bool check_patterns(const Context& context, const Config& config);

[[nodiscard]] std::string schema(const ReadOptions& options);

}  // namespace sparsecfg::dialect::gptqmodel
