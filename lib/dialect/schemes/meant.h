#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diag/sink.h"
#include "dialect/record/check.h"
#include "dialect/record/record.h"
#include "ir/scheme.h"
#include "source/value.h"

// Schemes that users describe in the words of other systems, and the texts to write for them.
namespace sparsecfg::dialect::schemes {

// A scheme, and why it is written like this.
struct SchemeMeant {
  ir::Scheme scheme;
  std::string reason;
};

// Returns the scheme that the name of a format in another system describes: `W4A16_G32`, `int4_weight_only` of torchao,
// `NVFP4_DEFAULT_CFG` of ModelOpt, `Q4_K_M` of llama.cpp (the nearest one). Returns nullopt for other words.
[[nodiscard]] std::optional<SchemeMeant> scheme_named(std::string_view name);

// Returns weights of a preset for integers of this width, in groups; int8 weights have one scale per channel.
[[nodiscard]] ir::Scheme integer_weights(std::int64_t bits);

// Returns the scheme of a preset; nullopt for an unknown name.
[[nodiscard]] std::optional<ir::Scheme> preset_scheme_named(const std::string& name);

// Sets one argument of the weights. Returns false for an argument or a value that has no place in a scheme.
bool set_argument(ir::Scheme& scheme, std::string_view argument, const source::Value& value);

// Returns the preset with this scheme; empty if there is none.
[[nodiscard]] std::string_view preset_of(const ir::Scheme& scheme);

// Returns targets as a list; `Linear` if there are none.
[[nodiscard]] source::Value targets_value(const std::vector<std::string>& targets);

// Returns a group for this scheme, as one line of YAML: `{targets: [Linear], weights: {num_bits: 4, ...}}`.
[[nodiscard]] std::string group_text(const ir::Scheme& scheme, const std::vector<std::string>& targets);

// Returns the arguments of the weights or the inputs as one line of YAML.
[[nodiscard]] std::string weights_text(const ir::Scheme& scheme);
[[nodiscard]] std::string inputs_text(const ir::Scheme& scheme);

// Returns the arguments that the name of a format means in a field of QuantizationArgs, such as `fp8` in
// `kv_cache_scheme`. Returns nullopt for unknown names and other fields.
[[nodiscard]] std::optional<source::Value> arguments_named(std::string_view field, const std::string& name);

// Returns an entry of a group with the name and the arguments that it means, such as those of `activations: fp8`.
// Returns nullopt for other keys than the weights, the inputs and the outputs, and for unknown formats.
[[nodiscard]] std::optional<source::Entry> group_part(const source::Entry& written);

// Adds the arguments to write to the report about a string in place of QuantizationArgs. Does nothing for other values.
void suggest_arguments(diag::Diagnostic& report, const InvalidValue& invalid);

// Reports the name of a preset in a group, such as `scheme: W4A16`, with the arguments to write instead. Returns false
// for other fields.
bool report_preset_in_group(const Record& group, const Field& field, diag::Sink& sink);

}  // namespace sparsecfg::dialect::schemes
