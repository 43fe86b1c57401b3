#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dialect/llmcompressor/schemes.h"
#include "dialect/llmcompressor/table.h"
#include "dialect/llmcompressor/target_pairs.h"
#include "dialect/llmcompressor/versions.h"
#include "model/names.h"

// Checks of modifiers beyond the rows of the table. `modules` is null if the model is unknown.
namespace sparsecfg::dialect::llmcompressor {

using Modules = std::vector<model::Module>;

// Checks schemes, groups and targets of a quantization modifier (LC201 to LC207, LC214; LC215 by `check_output_head`).
void check_quantization(const Reading& reading, const Modifier& modifier, Release release, TargetPairs& pairs);

// Reports an output head that is probably quantized by mistake (LC215).
void check_output_head(const Reading& reading, const Modifier& modifier, const Modules* modules);

// Checks the arguments of quantization, also against the tensors that they are for (LC208 to LC213). `used` says for
// each group of `config_groups` whether it applies to a module; groups beyond its end do.
void check_numbers(const Reading& reading, const Modifier& modifier, Release release, const std::vector<bool>& used);

// Normalizes an observer name: lower case and one kind of separator.
[[nodiscard]] std::string plain_observer_name(std::string_view name);

// Checks the observer of one set of quantization arguments, and the observer's arguments. `of_weights` is false for
// inputs, outputs and the cache, whose observers accept other arguments.
void check_observer(const Reading& reading, const source::Value& arguments, bool of_weights, Release release);

// Checks the observers of a modifier that replace those of its schemes.
void check_observers(const Reading& reading, const Modifier& modifier, Release release);

// Reports a modifier that requires data but has calibration disabled (LC217).
void check_calibration(const Reading& reading, const Modifier& modifier);

// Checks one-shot pruners, pruning of experts and training masks (LC301 to LC309).
// `known` is true if the modules of the model are known.
void check_pruning(const Reading& reading, const Modifier& modifier, bool known);

// Checks smoothing, AWQ and rotations (LC403 to LC407). `idle` is true if AWQ scales no layer of the model.
void check_transform(const Reading& reading, const Modifier& modifier, bool idle);

// Checks patterns and numbers with a limit in all modifiers (SP602, LC109, LC308).
void check_values(const Reading& reading, const Modifier& modifier);

// Checks interactions between modifiers (LC216, LC309, LC401, LC402, LC404, LC501 to LC503, LC602).
void check_order(const Reading& reading, const std::vector<Modifier>& modifiers, Release release, TargetPairs& pairs,
                 bool incomplete);

// Reports values that make the written recipe.yaml unreadable (LC601).
void check_write_back(const Reading& reading, const Modifier& modifier);

// Returns true if the run provides data to the modifier.
[[nodiscard]] bool looks_at_data(const Modifier& modifier);

// Reports a value at which the run fails (LC109).
diag::Diagnostic& report_stop(const Reading& reading, source::Span span, std::string_view what);

}  // namespace sparsecfg::dialect::llmcompressor
