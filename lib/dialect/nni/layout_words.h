#pragma once

#include "dialect/layout_page.h"

namespace sparsecfg::dialect::nni {

// What a configuration of NNI's consists of besides classes and the keys of entries.
inline constexpr LayoutWord kLayoutWords[] = {
    {"compressors", "A list of mappings with `class` and `config_list`, for several compressors that run together."},
    {"pruner", "The pruner that a file is for: its `class` and its arguments, or the class alone."},
    {"quantizer", "The quantizer that a file is for: its `class` and its arguments, or the class alone."},
    {"distiller", "The distiller that a file is for: its `class` and its arguments, or the class alone."},
    {"class", "The class of a compressor."},
    {"mode", "What a list that stands alone is for: pruning, quantization or distillation."},
    {"compress", "The arguments of `compress()`: how long the script trains."},
    {"max_steps", "Below `compress`: the optimizer steps of the run."},
    {"max_epochs", "Below `compress`: the epochs of the run."},
};

}  // namespace sparsecfg::dialect::nni
