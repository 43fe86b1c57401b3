#include "dialect/compressed_tensors/config.h"
#include "dialect/compressed_tensors/read.h"
#include "dialect/dialects.h"
#include "dialect/stages/schema.h"

namespace sparsecfg::dialect::compressed_tensors {

constexpr std::string_view kWords[] = {"\"quant_method\": \"compressed-tensors\""};
constexpr std::string_view kFieldNames[] = {"targets", "weights", "input_activations", "output_activations", "format"};

static Plan plan(const ir::Recipe& /*recipe*/) { return {.layer_schemes = true, .is_result = true}; }

const Dialect kDialect{
    .name = "compressed-tensors",
    .title = "compressed-tensors",
    .text = "a config.json of compressed-tensors",
    .claims = claims,
    .words = kWords,
    .read = read,
    .schema = schema,
    .pages = pages,
    .modules = true,
    .write = write,
    .plan = plan,
    .maintained = true,
    .trains = false,
    .options = kReaderOptions,
    .order = {kFieldNames, {}},
};

}  // namespace sparsecfg::dialect::compressed_tensors
