#pragma once

#include "dialect/objects.h"

// Calls of Python scripts that quantize a model for MLX.
namespace sparsecfg::dialect::mlx {

extern const Objects kObjects;

}  // namespace sparsecfg::dialect::mlx
