#pragma once

#include <span>

#include "dialect/checkpoint/table.h"

// Values that programs reject, by method. Named by the rows of loadings.
namespace sparsecfg::dialect::checkpoint::checks {

extern const std::span<const ValueCheck> kTransformersAwq;
extern const std::span<const ValueCheck> kTransformersBitsandbytes;
extern const std::span<const ValueCheck> kTransformersFp8;
extern const std::span<const ValueCheck> kTransformersGptq;
extern const std::span<const ValueCheck> kTransformersHqq;
extern const std::span<const ValueCheck> kTransformersAqlm;
extern const std::span<const ValueCheck> kTransformersSpqr;
extern const std::span<const ValueCheck> kTransformersVptq;
extern const std::span<const ValueCheck> kTransformersEetq;
extern const std::span<const ValueCheck> kTransformersHiggs;
extern const std::span<const ValueCheck> kTransformersQuanto;
extern const std::span<const ValueCheck> kTransformersBitnet;
extern const std::span<const ValueCheck> kTransformersMetal;

extern const std::span<const ValueCheck> kVllmFp8;
extern const std::span<const ValueCheck> kVllmAwq;
extern const std::span<const ValueCheck> kVllmGptq;
extern const std::span<const ValueCheck> kVllmBitsandbytes;
extern const std::span<const ValueCheck> kVllmQuark;

extern const std::span<const ValueCheck> kSglangAwq;
extern const std::span<const ValueCheck> kSglangGptq;
extern const std::span<const ValueCheck> kSglangQuark;

}  // namespace sparsecfg::dialect::checkpoint::checks
