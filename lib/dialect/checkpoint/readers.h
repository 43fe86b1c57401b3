#pragma once

#include "model/selectors/reader.h"

// How each program reads the lists of each method. docs/semantics/checkpoint.md describes the sources.
namespace sparsecfg::dialect::checkpoint::readers {

using selectors::Reader;

extern const Reader kTransformers;  // `modules_to_not_convert`
extern const Reader kTransformersAwq;
extern const Reader kTransformersBitsandbytes;
extern const Reader kTransformersFp8;
extern const Reader kTransformersBlocks;
extern const Reader kTransformersInBlocks;
extern const Reader kTransformersMxfp4;
extern const Reader kTransformersFbgemm;
extern const Reader kTransformersHqqSkips;
extern const Reader kTransformersHqq;
extern const Reader kTransformersAqlm;
extern const Reader kTransformersGemma;

extern const Reader kVllmFp8;
extern const Reader kVllmAwq;
extern const Reader kVllmDynamic;
extern const Reader kVllmGptq;
extern const Reader kVllmBitsandbytes;
extern const Reader kVllmQuarkExclude;
extern const Reader kVllmQuark;
extern const Reader kVllmExperts;

extern const Reader kSglangFp8;
extern const Reader kSglangAwq;
extern const Reader kSglangBitsandbytes;
extern const Reader kSglangGptq;
extern const Reader kSglangQuark;

extern const Reader kQuarkExclude;
extern const Reader kQuark;

}  // namespace sparsecfg::dialect::checkpoint::readers
