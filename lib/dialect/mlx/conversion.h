#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dialect/mlx/programs.h"
#include "ir/recipe.h"

// Commands and calls that quantize a model for MLX.
namespace sparsecfg::dialect::mlx {

// Returns true if a document is a command, or a call of a script.
[[nodiscard]] bool is_call(const Value& root);

// Adds the action of a command or call to a recipe.
void read_call(const Context& context, const Value& root, ir::Recipe& recipe);

// A format of a call, as far as it is known.
struct CallFormat {
  Format format;
  bool unknown = false;
  const source::Entry* group_size = nullptr;  // null: not given
  const source::Entry* bits = nullptr;
  const source::Entry* mode = nullptr;
};

[[nodiscard]] CallFormat format_of(const Context& context, const Call& call, const FormatArguments& names);

// Reports a format that mlx does not have. Returns false if it reports one.
bool check_format(const Context& context, const Call& call, const CallFormat& given);

// Checks the programs that tune a quantized model: dwq, awq, gptq and dynamic_quant. `formats`: those of the call.
bool check_tuning(const Context& context, const Call& call, const std::vector<CallFormat>& formats);

}  // namespace sparsecfg::dialect::mlx
