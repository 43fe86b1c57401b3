#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "doc/document.h"
#include "source/span.h"

// Finds the quantization of a model in its `config.json`, for all dialects that read one.
namespace sparsecfg::dialect {

struct QuantizationConfig {
  doc::NodeId config{};  // the mapping
  source::Span key{};    // of the section; empty if the whole file is the config
  std::string method{};  // see method_of()
  bool whole_file = false;
};

// Returns the method of a section: its `quant_method`, or "modelopt" for a section without it that names ModelOpt as
// its producer. Empty if it has neither.
[[nodiscard]] std::string method_of(const doc::Document& document, doc::NodeId config);

// Returns the section `quantization_config` at the top or of the text config, `compression_config`, or the whole file
// if it is such a section. Nullopt: the file has none.
[[nodiscard]] std::optional<QuantizationConfig> find_quantization(const doc::Document& document);

// Returns the dialect that reads a quantization: "checkpoint", or that of a library with a dialect of its own.
[[nodiscard]] std::string_view owner_of(const doc::Document& document, const QuantizationConfig& found);

// Returns true if the file has a quantization that the dialect reads.
[[nodiscard]] bool has_quantization_of(const doc::Document& document, std::string_view dialect);

// Returns the class of the model, the first of `architectures`; empty if the file does not name it.
[[nodiscard]] std::string architecture_of(const doc::Document& document);

}  // namespace sparsecfg::dialect
