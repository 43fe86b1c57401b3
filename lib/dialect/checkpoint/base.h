#pragma once

#include <string_view>

#include "diag/sink.h"
#include "dialect/options.h"
#include "dialect/quantizers/quantized_base.h"
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

// The places of a call that loads a model with a configuration.
struct LoadPlaces {
  source::Span configuration{};  // the name of the argument
  source::Span model{};          // its id; empty: unknown
};

// Checks the document of a configuration against the method that the name of the loaded model contains (MD929).
void check_named_base(const doc::Document& document, const quantizers::NamedMethod& named, const LoadPlaces& places,
                      const ReadOptions& options, diag::Sink& sink);

}  // namespace sparsecfg::dialect::checkpoint
