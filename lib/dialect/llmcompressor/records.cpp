#include "dialect/llmcompressor/records.h"

namespace sparsecfg::dialect::llmcompressor {

// One line per field if possible.
// clang-format off
using enum Type;

constexpr FieldSpec kAwqMappingFields[] = {
    {.name = "smooth_layer", .type = text, .required = true, .doc = "The module whose output is scaled."},
    {.name = "balance_layers", .type = texts, .required = true, .doc = "The following layers, which are scaled inversely."},
    {.name = "activation_hook_target", .type = text, .default_value = "null", .nullable = true,
     .doc = "The module at whose input activations are recorded."},
};
const ClassSpec kAwqMapping{.name = "AWQMapping", .fields = kAwqMappingFields, .doc = "A mapping of AWQModifier."};

constexpr FieldSpec kSpinQuantMappingFields[] = {
    {.name = "embedding", .type = text, .required = true, .doc = "The embedding."},
    {.name = "attn", .type = text, .required = true, .doc = "The attention modules."},
    {.name = "attn_q", .type = text, .required = true, .doc = "The query layers."},
    {.name = "attn_k", .type = text, .required = true, .doc = "The key layers."},
    {.name = "attn_v", .type = text, .required = true, .doc = "The value layers."},
    {.name = "attn_o", .type = text, .required = true, .doc = "The output layers of attention."},
    {.name = "attn_head_dim", .type = whole, .default_value = "null", .nullable = true, .doc = "Width of an attention head."},
    {.name = "mlp_in", .type = text | texts, .required = true, .doc = "The first layers of the feed-forward part."},
    {.name = "mlp_out", .type = text | texts, .required = true, .doc = "The last layers of the feed-forward part."},
    {.name = "lm_head", .type = text, .required = true, .doc = "The output head."},
};
const ClassSpec kSpinQuantMapping{.name = "SpinQuantMapping", .fields = kSpinQuantMappingFields, .open = true};

constexpr FieldSpec kNormMappingFields[] = {
    {.name = "norm", .type = text, .required = true, .doc = "The norm that is folded into the next layers."},
    {.name = "linears", .type = text | texts, .required = true, .doc = "The layers that the norm is folded into."},
};
const ClassSpec kNormMapping{.name = "NormMapping", .fields = kNormMappingFields, .open = true};

// clang-format on

}  // namespace sparsecfg::dialect::llmcompressor
