#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "doc/document.h"
#include "source/span.h"

// Configurations of quantization methods that are not checked.
namespace sparsecfg {

struct OtherMethod {
  std::string name;   // "`gptq`"
  source::Span span;  // the value that names it; empty if there is none
};

// Returns the method of a `config.json` or `hf_quant_config.json` other than compressed-tensors; nullopt if it names
// none.
[[nodiscard]] std::optional<OtherMethod> other_method_in(const doc::Document& document);

// Returns true for YAML of NVIDIA ModelOpt. Its files may have two documents, so they are detected by their text.
[[nodiscard]] bool is_modelopt(std::string_view text);

}  // namespace sparsecfg
