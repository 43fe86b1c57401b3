#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "diag/sink.h"
#include "dialect/options.h"
#include "source/span.h"

namespace sparsecfg::dialect::quantizers {

// Reports a model that is already quantized and that a quantizer cannot quantize again (MD929). `dialect` and `called`
// name the dialect of the recipe and the class of its first element, `method` the `quant_method` of the model.
void check_base(std::string_view dialect, std::string_view called, std::string_view method, const ReadOptions& options,
                source::Span place, diag::Sink& sink);

// The method that the id of a model names: "gptq" for "Qwen/Qwen2.5-7B-Instruct-GPTQ-Int8".
struct NamedMethod {
  std::string_view method;
  std::string base;  // the id before the name of the method: "Qwen/Qwen2.5-7B-Instruct"
  bool only = true;  // false if models of several methods have such names
};

// Returns the method in the last part of an id; nullopt if it names none.
[[nodiscard]] std::optional<NamedMethod> method_in_name(std::string_view id);

// Returns the well-known id of the model in full precision, also if another owner has quantized it; empty if none is
// known.
[[nodiscard]] std::string_view full_precision_id(const NamedMethod& named);

// Returns the part of an id with the bits of the weights, such as "4bit"; empty if there is none.
[[nodiscard]] std::string_view bits_in_name(std::string_view id);

// The same as check_base() for a model whose configuration is not known, as a warning. Returns the report; null without
// one.
diag::Diagnostic* check_named_base(std::string_view dialect, std::string_view called, const NamedMethod& named,
                                   source::Span place, diag::Sink& sink);

}  // namespace sparsecfg::dialect::quantizers
