#pragma once

#include "dialect/layout_page.h"

namespace sparsecfg::dialect::llmcompressor {

// What a recipe of llm-compressor's consists of besides its modifiers.
inline constexpr LayoutWord kLayoutWords[] = {
    {"stages", "Keys of the top level that end in `_stage`. The part before it is free."},
    {"quant_stage", "A usual name of a stage; the word before `_stage` is free."},
    {"groups", "Keys of a stage that end in `_modifiers`, and below each a mapping from modifiers to their fields."},
    {"quant_modifiers", "A usual name of a group; the word before `_modifiers` is free."},
    {"pruning_modifiers", "A usual name of a group; the word before `_modifiers` is free."},
    {"args", "Variables of SparseML's recipes. llm-compressor keeps them and does nothing with them."},
    {"re:", "What follows in a target is a regular expression of Python's, matched from the start of a name."},
};

}  // namespace sparsecfg::dialect::llmcompressor
