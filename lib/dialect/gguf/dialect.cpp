#include "dialect/dialect.h"

#include "dialect/gguf/read.h"
#include "dialect/quantized_dialects.h"

namespace sparsecfg::dialect::gguf {

// Scripts are no YAML; is_script() detects them.
static bool claims(const doc::Document& /*document*/) { return false; }

static Plan plan(const ir::Recipe& /*recipe*/) { return {}; }

constexpr std::string_view kServedBy[] = {"llama.cpp", "ik_llama.cpp"};

const Dialect kDialect{
    .name{"gguf"},
    .title = "llama.cpp",
    .text = "a command of llama-quantize",
    .claims = claims,
    .words = {},
    .read = read,
    .pages = pages,
    .plan = plan,
    .maintained = true,
    .trains = false,
    .runtimes = {.programs = kServedBy},
};

}  // namespace sparsecfg::dialect::gguf
