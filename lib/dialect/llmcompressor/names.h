#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dialect/llmcompressor/rules.h"
#include "dialect/llmcompressor/table.h"
#include "source/names.h"

// What can be said of modifiers once the modules of the model are known, with their classes and the shapes of their
// weights.
namespace sparsecfg::dialect::llmcompressor {

// All of it (LC801 to LC806, MD902).
void check_names(const Reading& reading, const std::vector<Modifier>& modifiers, const Modules& modules);

// Of a modifier that quantizes (LC801, LC803 to LC805, MD902).
void check_quantized_layers(const Reading& reading, const Modifier& modifier, const Modules& modules);

// Of SparseGPT and Wanda (LC109, MD902).
void check_pruned_layers(const Reading& reading, const Modifier& modifier, const Modules& modules);

// Of REAP: whether a block of experts is left (LC109).
void check_removed_experts(const Reading& reading, const Modifier& modifier, const Modules& modules);

// Of QuIP and SpinQuant (LC109).
void check_rotated_layers(const Reading& reading, const Modifier& modifier, const Modules& modules);

// "`a`, `b`, `c` and 3 more"
[[nodiscard]] std::string list_names(const std::vector<const source::Module*>& modules);

// The modules that an entry takes.
[[nodiscard]] std::vector<const source::Module*> taken_by(const Modules& modules, const std::string& entry);

// The entry that looks for the same anywhere in the names, if that takes a module and the entry itself does not do so
// already.
[[nodiscard]] std::optional<std::string> anywhere(const Modules& modules, const std::string& entry);

}  // namespace sparsecfg::dialect::llmcompressor
