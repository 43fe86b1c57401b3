#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dialect/llmcompressor/release.h"
#include "dialect/llmcompressor/schemes.h"
#include "dialect/llmcompressor/table.h"
#include "dialect/llmcompressor/target_pairs.h"
#include "source/names.h"

// What llm-compressor does with modifiers beyond the rows of the table. `modules` is null where the model is unknown.
namespace sparsecfg::dialect::llmcompressor {

using Modules = std::vector<source::Module>;

// Schemes, groups and targets of a modifier that quantizes (LC201 to LC207, LC214, and by `check_output_head` LC215).
void check_quantization(const Reading& reading, const Modifier& modifier, Release release, TargetPairs& pairs);

// An output head that is quantized, though nothing says that it is meant (LC215).
void check_output_head(const Reading& reading, const Modifier& modifier, const Modules* modules);

// What the arguments of quantization must be, by themselves and for what they are for (LC208 to LC213).
void check_numbers(const Reading& reading, const Modifier& modifier);

// The observer that the arguments of one quantization name, and its own arguments. `of_weights` is false for inputs,
// outputs and the cache, whose observers take other arguments.
void check_observer(const Reading& reading, const source::Value& arguments, bool of_weights);

// The observers that a modifier gives in place of those of its schemes.
void check_observers(const Reading& reading, const Modifier& modifier);

// Data that a class needs and is not given (LC217).
void check_calibration(const Reading& reading, const Modifier& modifier);

// Pruners of one shot, experts and masks of training (LC301 to LC309).
void check_pruning(const Reading& reading, const Modifier& modifier);

// Smoothing, AWQ and rotations (LC403 to LC407).
void check_transform(const Reading& reading, const Modifier& modifier);

// Fields that are patterns or numbers with a limit, of every modifier (SP602, LC109, LC308).
void check_values(const Reading& reading, const Modifier& modifier);

// What modifiers do to each other (LC216, LC309, LC401, LC402, LC404, LC501 to LC503, LC602).
void check_order(const Reading& reading, const std::vector<Modifier>& modifiers, Release release, TargetPairs& pairs);

// What can't be read back of the recipe.yaml that the run writes (LC601).
void check_write_back(const Reading& reading, const Modifier& modifier);

// Returns true if a run gives data to the modifier.
[[nodiscard]] bool looks_at_data(const Modifier& modifier);

// Reports LC109.
diag::Diagnostic& report_stop(const Reading& reading, source::Span span, std::string_view what);

}  // namespace sparsecfg::dialect::llmcompressor
