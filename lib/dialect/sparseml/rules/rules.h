#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "diag/sink.h"
#include "dialect/options.h"
#include "dialect/sparseml/read/modifier.h"
#include "ir/clock.h"
#include "ir/effect.h"
#include "ir/model_names.h"
#include "ir/recipe.h"

// What SparseML does with a modifier beyond the rows of the table: refuses it when it is built
// (rules_load), or stops when it meets the model or at some step (rules_run).
namespace sparsecfg::dialect::sparseml {

// The run that a recipe is checked for.
struct Run {
  std::optional<double> epochs;  // length; nullopt if unknown
  std::optional<std::size_t> steps_per_epoch;
  bool one_scheduler = true;  // false if several modifiers may build one of torch's schedulers

  // Returns true if a step with an epoch not below `start` comes; true where the length is unknown.
  [[nodiscard]] bool reaches(double start) const {
    return start <= 0 || !epochs ||
           (steps_per_epoch ? ir::first_step_at(start, *steps_per_epoch) < ir::steps_of(*epochs, *steps_per_epoch)
                            : start < *epochs);
  }
};

// The constructor's rules about several fields, and what the class itself does to fields. A field
// that is refused is marked as not valid.
void check_load(Modifier& modifier, diag::Sink& sink);

// What quantization does with its fields when it meets the model and when it starts.
void check_quantization_run(const Modifier& modifier, const Run& run, diag::Sink& sink);

// The rules of initialize and of the steps. Only for valid modifiers.
void check_run(const Modifier& modifier, const Run& run, diag::Sink& sink);

// Those of them for modifiers that move the learning rate.
void check_rates(const Modifier& modifier, const Run& run, diag::Sink& sink);

// Returns true if torch's scheduler of the modifier is built in the run.
[[nodiscard]] bool builds_scheduler(const Modifier& modifier, const Run& run);

// The arguments of torch's scheduler that no one looks at before it is built. Marks the modifier as not valid if one is
// refused.
void check_scheduler_arguments(Modifier& modifier, const Run& run, diag::Sink& sink);

// The lengths of a tensor that is written as a number or as lists within lists; nullopt if torch can't make one of it.
[[nodiscard]] std::optional<std::vector<std::size_t>> tensor_lengths(const source::Value& value);

// The values of a modifier that torch makes tensors of.
void check_values(Modifier& modifier, diag::Sink& sink);

// What an action asks of the model's parameters and modules, as far as the options name them.
void check_model(const ir::Action& action, const ReadOptions& options, const Run& run, diag::Sink& sink);

// Selectors that have to take a parameter whose layer an earlier action has renamed or removed by the time they look
// for it. The actions stand in the order in which SparseML initializes them; asks for the names of --params and
// --modules.
void check_renamed(const std::vector<ir::Action>& actions, const ReadOptions& options, diag::Sink& sink);

// Returns true if a modifier that starts does nothing: a pruner of the second order takes one step per epoch for one
// shot.
[[nodiscard]] bool is_idle(const Modifier& modifier, const Run& run);

// The rules of the constructor that only Keras and TensorFlow, or the releases of 2020, have.
void check_framework(Modifier& modifier, diag::Sink& sink);

// The severity of what a reader finds out after it has loaded the recipe. The runs of Keras and
// TensorFlow are known by their code alone, so for them it is a warning.
[[nodiscard]] diag::Severity later(const Modifier& modifier);

// The rules of the constructors of pruners: the mask's type, epochs that must be whole, and all fields of a gradual
// pruner together.
void check_mask(Modifier& modifier, diag::Sink& sink);
void check_whole_epochs(Modifier& modifier, diag::Sink& sink);
void check_gradual(Modifier& modifier, diag::Sink& sink);

// Marks a field as invalid.
void invalidate(Modifier& modifier, std::string_view field);

// Quantization has most rules of all and a file of its own.
void check_quantization(Modifier& modifier, diag::Sink& sink);

// The selectors of a field: what the constructor refuses, patterns that Python can't compile,
// tokens that the class does not know. Reports them and returns what is left.
[[nodiscard]] ir::Selector read_selector(const Modifier& modifier, const source::Value& value, std::string_view field,
                                         diag::Sink& sink);

// The same for Keras, whose selectors are made into names of layers.
[[nodiscard]] ir::Selector read_keras_selector(const Modifier& modifier, const source::Value& value,
                                               std::string_view field, diag::Sink& sink);

// The words that may stand alone where a list of selectors is wanted.
[[nodiscard]] std::string_view tokens(bool knows_prunable);
// Reports a string where a token or a list of names is expected (SP110), with what was most likely meant.
void report_string(const std::string& text, source::Span span, std::string_view field, bool knows_prunable,
                   diag::Sink& sink);

// Returns true if `params` without an item stand for every prunable weight.
[[nodiscard]] bool empty_means_prunable(const Modifier& modifier);

// Returns true if a selector of this modifier that matches nothing stops SparseML.
[[nodiscard]] bool is_strict(const Modifier& modifier);

// A mask's kind as GMPruning's family looks it up; nullopt if SparseML knows none.
[[nodiscard]] std::optional<ir::Structure> read_structure(const Modifier& modifier, const source::Value& mask_type);

// Reports a mask that a reader other than PyTorch's does not know.
void check_dimension_mask(Modifier& modifier, diag::Sink& sink);

}  // namespace sparsecfg::dialect::sparseml
