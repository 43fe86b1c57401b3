#pragma once

#include "dialect/nni/targets.h"

namespace sparsecfg::dialect::nni {

// What stops NNI 3.0 when it makes its targets and builds the compressor: types and granularities that
// don't fit, and the conditions of single classes (reference 2.2, 2.3, 4.1 and 6). Marks entries.
void check_targets(Compressor& compressor, const std::vector<Target>& targets, const Context& context);

// What stops it when it fuses modules.
void check_fusion(Compressor& compressor, const std::vector<Target>& targets, const Context& context);

// What stops a pruner when it makes masks: groups whose members differ, and alignments to what has no
// mask (reference 4.3). Only where the file says which class makes them.
void check_masks(Compressor& compressor, const std::vector<Target>& targets, const Context& context);

}  // namespace sparsecfg::dialect::nni
