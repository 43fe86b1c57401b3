#pragma once

#include <string_view>

#include "diag/sink.h"
#include "dialect/options.h"
#include "doc/document.h"
#include "source/value.h"

// Configurations of a script against the model that `from_pretrained` loads with them.
namespace sparsecfg::dialect::checkpoint {

// The reader option with the release of transformers that a project requires, if it is older than 5.
inline constexpr std::string_view kRequiredTransformers = "transformers";

// Returns true if the project requires a release of transformers before 5.
[[nodiscard]] inline bool is_before_transformers_5(const ReadOptions& options) {
  return options.given({.name = kRequiredTransformers, .doc = {}}).has_value();
}

// Checks the document of a configuration (QC401 to QC404, MD929). `base`: the `quantization_config` of the model; null
// if it is not quantized. Returns true if the configuration does not decide how the layers are quantized.
bool check_base(const doc::Document& document, const source::Value& base, const ReadOptions& options, diag::Sink& sink);

}  // namespace sparsecfg::dialect::checkpoint
