#include "dialect/dialects.h"
#include "dialect/llmcompressor/describe.h"
#include "dialect/llmcompressor/detect.h"
#include "dialect/llmcompressor/objects.h"
#include "dialect/llmcompressor/reading.h"
#include "dialect/llmcompressor/release.h"
#include "dialect/llmcompressor/write.h"
#include "dialect/stages/schema.h"

namespace sparsecfg::dialect::llmcompressor {

// Detects the dialect of unreadable text: class names as keys. In SparseML they are tags.
constexpr std::string_view kWords[] = {
    "AWQModifier:",          "AutoRoundModifier:",   "GPTQModifier:",        "QuIPModifier:",
    "QuantizationModifier:", "REAPPruningModifier:", "SmoothQuantModifier:", "SparseGPTModifier:",
    "SpinQuantModifier:",    "WandaPruningModifier:"};

const Dialect kDialect{
    .name = "llm-compressor",
    .title = "llm-compressor",
    .text = "an llm-compressor recipe",
    .claims = claims,
    .words = kWords,
    .read = read,
    .schema = schema,
    .pages = pages,
    .modules = true,
    .write = write,
    .plan = plan,
    .compose = compose,
    .maintained = true,
    .trains = false,
    .options = kReaderOptions,
    .order = stages::kFieldOrder,
    .module = "llmcompressor",
    .objects = &kObjects,
};

}  // namespace sparsecfg::dialect::llmcompressor
