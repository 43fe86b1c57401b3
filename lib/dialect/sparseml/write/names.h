#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "diag/sink.h"
#include "dialect/write.h"
#include "source/value.h"

namespace sparsecfg::dialect::sparseml {

// What a model's names begin with while it is wrapped for several devices.
inline constexpr std::string_view kParallel = "module.";

// The names, patterns or tokens that each target of another dialect's pruner takes, as SparseML has
// them. Nothing where they can't be told, which is reported; the fate then says why.
[[nodiscard]] std::optional<std::vector<source::List>> names_of_targets(const ir::Action& action,
                                                                        const ir::Prune& prune,
                                                                        const WriteOptions& options, ActionStatus& status,
                                                                        diag::Sink& sink);

}  // namespace sparsecfg::dialect::sparseml
