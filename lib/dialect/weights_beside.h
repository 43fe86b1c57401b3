#pragma once

#include <memory>

#include "diag/sink.h"
#include "dialect/options.h"
#include "model/model_names.h"
#include "source/source_file.h"

namespace sparsecfg::dialect {

// Returns the tensors of the weights in the folder of a `config.json`, or null if the file has another name, the
// options name parameters, or the folder has no weights. Reports weights that are not read because of a limit.
[[nodiscard]] std::shared_ptr<const model::ModelNames> weights_beside(const source::SourceFile& file,
                                                                      const ReadOptions& options, source::Span place,
                                                                      diag::Sink& sink);

}  // namespace sparsecfg::dialect
