#include "dialect/dialect.h"

#include "dialect/mlx/read.h"
#include "dialect/mlx/script.h"
#include "dialect/quantized_dialects.h"

namespace sparsecfg::dialect::mlx {

// A section of ModelOpt with the same key names an algorithm.
static bool claims(const doc::Document& document) {
  const auto section = member(document, document.root, "quantization");
  if (!section || document[*section].kind != doc::Kind::mapping || member(document, *section, "quant_algo"))
    return false;
  const bool model = member(document, document.root, "model_type") || member(document, document.root, "architectures");
  return model || (member(document, *section, "group_size") && member(document, *section, "bits"));
}

constexpr std::string_view kWords[] = {"\"quantization\": {"};

// A command or call quantizes the model. The file describes a quantized one.
static Plan plan(const ir::Recipe& recipe) {
  return {.is_result = recipe.actions.empty() || recipe.actions.front().origin.class_name == "Quantization"};
}

constexpr std::string_view kServedBy[] = {"vllm", "sglang", "transformers"};

const Dialect kDialect{
    .name{"mlx"},
    .title = "MLX",
    .text = "a configuration of MLX",
    .claims = claims,
    .words = kWords,
    .read = read,
    .schema = schema,
    .pages = pages,
    .modules = true,
    .plan = plan,
    .maintained = true,
    .trains = false,
    .runtimes = {.programs = kServedBy},
    .module = "mlx_lm",
    .objects = &kObjects,
};

}  // namespace sparsecfg::dialect::mlx
