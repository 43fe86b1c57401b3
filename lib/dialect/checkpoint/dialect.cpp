#include "dialect/dialect.h"

#include "dialect/checkpoint/calls.h"
#include "dialect/checkpoint/read.h"
#include "dialect/quantization_config.h"
#include "dialect/quantized_dialects.h"

namespace sparsecfg::dialect::checkpoint {

static bool claims(const doc::Document& document) {
  return has_quantization_of(document, "checkpoint") || is_call(document);
}

constexpr std::string_view kWords[] = {"\"quantization_config\""};

static Plan plan(const ir::Recipe& /*recipe*/) { return {.is_result = true}; }

constexpr std::string_view kServedBy[] = {"vllm", "sglang", "transformers"};

const Dialect kDialect{
    .name{"checkpoint"},
    .title = "quantized checkpoints",
    .text = "a config.json of a quantized checkpoint",
    .claims = claims,
    .words = kWords,
    .read = read,
    .schema = schema,
    .pages = pages,
    .modules = true,
    .plan = plan,
    .maintained = true,
    .trains = false,
    .runtimes = {.programs = kServedBy, .releases = true, .splits = true, .experts = true, .kernels = true},
    .objects = &kObjects,
};

}  // namespace sparsecfg::dialect::checkpoint
