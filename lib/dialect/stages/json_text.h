#pragma once

#include "diag/sink.h"
#include "source/source_file.h"

namespace sparsecfg::dialect::stages {

// Frameworks of stages read a file that ends in `.json` as JSON and nothing else, which is much less than
// YAML. Reports the first place where the text is none (SP001).
void check_json(const source::SourceFile& file, diag::Sink& sink);

}  // namespace sparsecfg::dialect::stages
