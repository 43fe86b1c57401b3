#pragma once

#include <string_view>

#include "diag/sink.h"
#include "dialect/options.h"
#include "doc/document.h"
#include "source/source_file.h"
#include "source/value.h"

// Configurations of a script against the model that `from_pretrained` loads with them.
namespace sparsecfg::dialect::checkpoint {

// The script that loads the model.
struct Loader {
  const source::SourceFile& file;
  std::string_view model;  // its id or folder; empty: unknown
};

// Checks the document of a configuration (QC401 to QC404, MD929). `base`: the `quantization_config` of the model; null
// if it is not quantized. Returns true if the configuration does not decide how the layers are quantized.
bool check_base(const doc::Document& document, const source::Value& base, const Loader& loader,
                const ReadOptions& options, diag::Sink& sink);

}  // namespace sparsecfg::dialect::checkpoint
