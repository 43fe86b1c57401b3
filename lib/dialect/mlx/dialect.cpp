#include "dialect/dialect.h"

#include "dialect/mlx/read.h"
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

static Plan plan(const ir::Recipe& /*recipe*/) { return {.is_result = true}; }

constexpr std::string_view kServedBy[] = {"vllm", "sglang", "transformers"};

const Dialect kDialect{
    .name{"mlx"},
    .title = "MLX",
    .text = "a config.json of MLX",
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
};

}  // namespace sparsecfg::dialect::mlx
