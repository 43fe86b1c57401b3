#pragma once

#include "dialect/dialect.h"

namespace sparsecfg::dialect::nni {

// Keys of NNI configurations outside classes and entries.
inline constexpr LayoutWord kLayoutWords[] = {
    {"compressors", "Compressors that run together: a list of mappings with `class` and `config_list`."},
    {"pruner", "The pruner that uses the `config_list`: a mapping with `class` and its arguments."},
    {"quantizer", "The quantizer that uses the `config_list`: a mapping with `class` and its arguments."},
    {"distiller", "The distiller that uses the `config_list`: a mapping with `class` and its arguments."},
    {"class", "The class of a compressor."},
    {"mode", "Purpose of a `config_list` without a compressor class: pruning, quantization or distillation."},
    {"compress", "Arguments of `compress()`, which set the length of the run."},
    {"max_steps", "Length of the run in optimizer steps; a key of `compress`."},
    {"max_epochs", "Length of the run in epochs; a key of `compress`."},
};

}  // namespace sparsecfg::dialect::nni
