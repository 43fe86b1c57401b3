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

}  // namespace sparsecfg
