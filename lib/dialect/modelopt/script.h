#pragma once

#include <optional>
#include <string>

#include "dialect/modelopt/read.h"
#include "dialect/objects.h"

// Python scripts that call ModelOpt.
namespace sparsecfg::dialect::modelopt {

extern const Objects kObjects;

// The calls that a document of a script represents. `quantize` is represented by its dictionary alone.
inline constexpr std::string_view kAutoQuantizeCall = "mtq.auto_quantize";
inline constexpr std::string_view kSparsifyCall = "mts.sparsify";
// Calls that change the quantizers of a model, represented by the entries of all calls until then.
inline constexpr std::string_view kChangeCall = "mtq.set_quantizer_by_cfg";

// Returns the call that a document of a script represents; nullopt for other documents.
[[nodiscard]] std::optional<std::string> script_call(const source::Value& content);

// Reads the arguments of such a call.
void read_script(const Context& context, const std::string& call, const source::Value& content, ir::Recipe& out);

// Reports a dictionary that is a preset which ModelOpt lacks. Returns false if it is not.
bool report_unknown_preset(const Context& context, const source::Value& section);

}  // namespace sparsecfg::dialect::modelopt
