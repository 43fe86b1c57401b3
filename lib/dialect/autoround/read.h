#pragma once

#include <span>
#include <string>

#include "dialect/autoround/config.h"
#include "dialect/dialect.h"
#include "dialect/options.h"
#include "dialect/quantizers/calls.h"
#include "ir/recipe.h"

// Reads calls, command lines and saved configurations of AutoRound.
namespace sparsecfg::dialect::autoround {

[[nodiscard]] std::span<const quantizers::Callable> callables();

// Checks the objects that a script passes to AutoRound.
void check_script(const script::Trace& trace, const ReadOptions& options, diag::Sink& sink);

// The name of the program in command lines.
inline constexpr std::string_view kProgram = "auto-round";

[[nodiscard]] ir::Recipe read(const Source& source, const ReadOptions& options, diag::Sink& sink);

// Returns the words of a command line as the arguments of the call that they mean. Reports what the program rejects;
// returns null values if it stops.
[[nodiscard]] std::optional<source::Value> arguments_of(const Context& context, const source::Value& words);

// Reports settings of which a part is lost, and settings that other paths and readers read differently.
void check_losses(const Context& context, const Arguments& arguments, ir::Assign& assign);

// Reports layers whose settings the path without a model changes. Does nothing if AutoRound loads the model.
void check_model_free(const Context& context, const Arguments& arguments, ir::Assign& own);

// Reports patterns that Python rejects. Returns false if there is one.
bool check_patterns(const Context& context, const Arguments& arguments);

// The configuration as vLLM or SGLang reads it. Reports what the runtime rejects, and layers that it reads otherwise
// than `own`, the operation of AutoRound. `config` is the file; null for a call.
void read_by_runtime(bool sglang, const Context& context, const Saved& saved, const source::Value* config,
                     const ir::Assign& own, ir::Recipe& recipe);

[[nodiscard]] std::string schema(const ReadOptions& options);

}  // namespace sparsecfg::dialect::autoround
