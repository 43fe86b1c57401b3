#pragma once

#include <optional>
#include <string>

#include "dialect/dialect.h"

// The row of each dialect, in its own folder.
namespace sparsecfg::dialect {

namespace schedule {
extern const Dialect kDialect;
}

namespace nni {
extern const Dialect kDialect;
}

namespace llmcompressor {
extern const Dialect kDialect;
}

namespace compressed_tensors {
extern const Dialect kDialect;
}

namespace sparseml {
extern const Dialect kDialect;
}

namespace distiller {
extern const Dialect kDialect;
// Returns the last milestone of the learning rate schedulers of a schedule before an epoch. Returns nullopt if there is
// none, or if a scheduler has no milestones.
[[nodiscard]] std::optional<double> last_milestone(const std::string& name, std::string text, double before);
}  // namespace distiller

// Policies of ai8x-training. Its schedules are those of Distiller.
namespace ai8x {
extern const Dialect kDialect;
// Returns the epoch at which a QAT policy starts quantization. Returns nullopt if it never starts or is not valid.
[[nodiscard]] std::optional<double> start_of_qat(const std::string& name, std::string text);
}  // namespace ai8x

// Recipes, snippets and checkpoints of NVIDIA Model Optimizer.
namespace modelopt {
extern const Dialect kDialect;
}

// Write-only: Python programs that run a schedule with plain PyTorch.
namespace pytorch {
extern const Dialect kDialect;
}

}  // namespace sparsecfg::dialect
