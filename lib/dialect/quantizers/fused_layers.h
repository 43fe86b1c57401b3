#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/names.h"
#include "model/selectors/reader.h"

// The layers that vLLM builds from the modules of a model.
namespace sparsecfg::dialect::quantizers {

struct FusedOptions {
  bool head = true;     // includes the layer that computes the output
  bool experts = true;  // includes the experts of a block, as one layer
};

// Adds the rows of a part to a layer that joins several, as if all had the columns of the first: the last layer of an
// expert has others. Does nothing if a shape is unknown.
void add_rows(model::Module& layer, const model::Module& part);

// Returns the layers of vLLM: `qkv_proj` for `q_proj`, `k_proj` and `v_proj`, `gate_up_proj` for `gate_proj` and
// `up_proj`, and all experts of a block as one layer. Routers are left out. The shape is that of the first part.
[[nodiscard]] std::vector<model::Module> fused_layers(std::span<const model::Module> modules, FusedOptions options);

// Returns the name of the layer that joins a module with others; the name of the module if none does.
[[nodiscard]] std::string layer_of(std::string_view module);

// Returns the names of the modules that a layer of this name joins; empty for other layers.
[[nodiscard]] std::vector<std::string> parts_of(std::string_view layer);

// Returns a regular expression for the last part of the names of the modules that a layer of this name joins, such as
// `(q_proj|k_proj|v_proj)`. With `joined`, the layer itself matches too.
[[nodiscard]] std::string pattern_of_parts(std::string_view layer, bool joined);

// Replaces the name of each layer that joins modules in a regular expression: `qkv_proj` by `(q_proj|k_proj|v_proj)`.
[[nodiscard]] std::string with_parts(std::string pattern);

// Returns the pattern that matches the same names as a pattern, and a joined layer of whose parts it matches some:
// `(q|k|v|qkv)_proj` for `(q|k|v)_proj`. Empty if none is found. `prefix`, such as "re:", is the text before the
// pattern in entries.
[[nodiscard]] std::string entry_for_joined(std::string_view entry, const std::string& layer, std::string_view prefix);

// Returns the layers as a reader sees them, with parts and the facts `head` and `experts`.
[[nodiscard]] std::vector<selectors::Module> runtime_modules(std::span<const model::Module> layers);

}  // namespace sparsecfg::dialect::quantizers
