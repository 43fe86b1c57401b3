#pragma once

#include <string_view>

#include "diag/sink.h"
#include "dialect/options.h"
#include "script/trace.h"
#include "script/value.h"

// The calls of a script around a configuration of GPTQModel.
namespace sparsecfg::dialect::gptqmodel {

// Returns the method of `GPTQModel` that a call runs, such as "load"; empty for other calls. Documents leave imports
// out.
[[nodiscard]] std::string_view class_method(const script::Value& call);

// Returns true for a call that returns a model of GPTQModel.
[[nodiscard]] bool makes_model(const script::Value& call);

// Returns true for a method of a model that changes neither the model nor its arguments, and for one of a data set.
[[nodiscard]] bool keeps_object(const script::Value& object, std::string_view method);

// Reports calls that GPTQModel rejects or interprets differently.
void check_script(const script::Trace& trace, const ReadOptions& options, diag::Sink& sink);

// Reports calibration data that the call `quantize` of a model cannot use.
void check_calibration(const script::Value& call, diag::Sink& sink);

// Reports calibration data of `quantize` that are single lines (GQ418).
void check_lines(const script::Trace& trace, const script::Value& call, diag::Sink& sink);

}  // namespace sparsecfg::dialect::gptqmodel
