#pragma once

#include "dialect/dialect.h"

namespace sparsecfg::dialect::llmcompressor {

// Descriptions of the structure of an llm-compressor recipe, apart from its modifiers.
inline constexpr LayoutWord kLayoutWords[] = {
    {"stages", "Top-level keys that end in `_stage`. The part before it is arbitrary."},
    {"quant_stage", "A common name of a stage. The word before `_stage` is arbitrary."},
    {"groups", "Keys of a stage that end in `_modifiers`. Each contains a mapping from modifiers to their fields."},
    {"quant_modifiers", "A common name of a group. The word before `_modifiers` is arbitrary."},
    {"pruning_modifiers", "A common name of a group. The word before `_modifiers` is arbitrary."},
    {"args", "Variables of SparseML recipes. llm-compressor reads and ignores them."},
    {"re:", "Prefix of a Python regular expression in a target, matched from the start of a name."},
};

}  // namespace sparsecfg::dialect::llmcompressor
