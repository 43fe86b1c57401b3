#include "dialect/mlx/other_bits.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

#include "dialect/quantizers/python_text.h"

namespace sparsecfg::dialect::mlx {

// Returns the bits with the other number in place of one of the recipe: more bits are for the sensitive layers. Nullopt
// if the number is between both.
static std::optional<MixedBits> bits_meant(const OtherBits& other) {
  if (other.bits > other.recipe.high) return MixedBits{other.recipe.low, other.bits};
  if (other.bits < other.recipe.low) return MixedBits{other.bits, other.recipe.high};
  return std::nullopt;
}

// Returns the function that decides as a recipe does. Without the model, it ignores the numbers of layers.
static std::string function_for(const OtherBits& other, MixedBits bits) {
  const std::string more =
      other.mixed ? other.mixed->python_condition() : R"(path.endswith(("v_proj", "down_proj", "lm_head")))";
  return fmt::format(R"(lambda path, module: {{"group_size": {}, "bits": {} if {} else {}}})", other.group_size,
                     bits.high, more, bits.low);
}

// Returns an argument as Python code; empty for a value that is not known.
static std::string python_argument(const Context& context, const source::Entry& entry) {
  if (context.is_unknown(entry.second)) return {};
  const auto* text = entry.second.get<std::string>();
  return fmt::format("{}={}", source::python_str(entry.first),
                     text == nullptr ? source::python_str(entry.second) : quantizers::python_string(*text));
}

// Returns the call of the function for a command; empty if an argument is not known.
static std::string call_for(const Context& context, const Call& command, const std::string& function) {
  std::string out;
  for (const source::Entry& entry : command.arguments) {
    const std::string name = source::python_str(entry.first);
    if (name == "q_bits" || name == "quant_predicate") continue;
    const std::string argument = python_argument(context, entry);
    if (argument.empty()) return {};
    out += argument + ", ";
  }
  return fmt::format("convert({}quant_predicate={})", out, function);
}

std::string advice_for_bits(const Context& context, const OtherBits& other) {
  const auto meant = bits_meant(other);
  if (!meant) return {};
  const std::string recipe = fmt::format("mixed_{}_{}", meant->low, meant->high);
  const Program& program = *other.call.program;
  if (std::ranges::find(program.recipes, recipe) != program.recipes.end())
    return fmt::format(
        ". For {} bits, write `{}`", other.bits,
        other.call.text("quant_predicate", other.call.command ? recipe : quantizers::python_string(recipe)));
  if (program.vision) return {};
  const std::string function = function_for(other, *meant);
  const std::string call = other.call.command ? call_for(context, other.call, function) : std::string();
  return call.empty()
             ? fmt::format(". For {} bits, write `quant_predicate={}`{}", other.bits, function,
                           other.call.command ? " in a call of `mlx_lm.convert` in Python" : "")
             : fmt::format(". For {} bits, run in Python `{}`, with `from mlx_lm import convert`", other.bits, call);
}

}  // namespace sparsecfg::dialect::mlx
