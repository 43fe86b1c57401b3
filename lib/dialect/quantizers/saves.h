#pragma once

#include <string_view>

#include "script/trace.h"
#include "script/value.h"

// Calls that save a model of transformers.
namespace sparsecfg::dialect::quantizers {

// Returns true for `model.save_pretrained(...)` and `model.push_to_hub(...)`.
[[nodiscard]] bool saves_model(const script::Value& call);

// Returns the name of the model in such a call: `model`. Empty if an expression is there, or if the call is not in the
// text of the script.
[[nodiscard]] std::string_view name_of_model(const script::Trace& trace, const script::Value& call);

}  // namespace sparsecfg::dialect::quantizers
