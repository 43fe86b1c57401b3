#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "diag/sink.h"
#include "dialect/options.h"
#include "dialect/sparseml/read/modifier.h"
#include "ir/clock.h"
#include "ir/effect.h"
#include "ir/recipe.h"
#include "model/model_names.h"

// Checks that the rows of the table do not cover: errors when a modifier is constructed (load.cpp), and errors when it
// is initialized with the model or executed at a step (run.cpp).
namespace sparsecfg::dialect::sparseml {

// The training run for which a recipe is checked.
struct Run {
  std::optional<double> epochs;  // training length; nullopt if unknown
  std::optional<std::size_t> steps_per_epoch;
  std::optional<std::size_t> parameter_groups;  // of the optimizer; nullopt if unknown
  const Modifier* first_scheduler = nullptr;    // the modifier that builds the first PyTorch scheduler; null: unknown
  source::Span end{};  // the field at which the training ends; empty if the command line sets the length

  // Returns true if the run has a step at or after the epoch `start`, or if its length is unknown.
  [[nodiscard]] bool reaches(double start) const {
    return start <= 0 || !epochs ||
           (steps_per_epoch ? ir::first_step_at(start, *steps_per_epoch) < ir::steps_of(*epochs, *steps_per_epoch)
                            : start < *epochs);
  }
};

// Returns a list of names and patterns that selects what `__ALL_PRUNABLE__` does in a model, without what the others
// select. Empty if nothing is left, or if the list would be long.
[[nodiscard]] std::string prunable_beside(const model::ModelNames& names, const std::vector<model::Selector>& others);

// Checks rules of the constructor that involve several fields or conversions by the class. Marks rejected fields as
// invalid.
void check_load(Modifier& modifier, diag::Sink& sink);

// Rejects epochs in which quantization would freeze a part before it starts. `epochs`: the length of the training, if
// it is known.
void check_freeze_epochs(Modifier& modifier, std::optional<double> epochs, diag::Sink& sink);

// Checks fields that quantization uses during initialization and when it starts.
void check_quantization_run(const Modifier& modifier, const Run& run, diag::Sink& sink);

// Returns the remedy for a start, in epochs, at or after the end of the training of `epochs`. `field` is its name.
[[nodiscard]] std::string advice_on_late_start(const Record& modifier, double start, std::string_view field,
                                               double epochs, std::optional<std::size_t> steps_per_epoch);

// Checks for errors during initialization and in steps. The modifier must be valid.
void check_run(const Modifier& modifier, const Run& run, diag::Sink& sink);

// The part of check_run() for modifiers that remove layers.
void check_removed_layers(const Modifier& modifier, const Run& run, diag::Sink& sink);

// The part of check_run() for modifiers that change the learning rate.
void check_rates(const Modifier& modifier, const Run& run, diag::Sink& sink);

// The part of check_run() for modifiers that change parameter groups of the optimizer.
void check_parameter_groups(const Modifier& modifier, const Run& run, diag::Sink& sink);

// Returns true if the run builds the PyTorch scheduler of the modifier.
[[nodiscard]] bool builds_scheduler(const Modifier& modifier, const Run& run);

// Checks the scheduler arguments that are used only when PyTorch builds the scheduler. Marks the modifier as invalid if
// PyTorch rejects one.
void check_scheduler_arguments(Modifier& modifier, const Run& run, diag::Sink& sink);

// Returns the shape of a tensor that is written as a number or as nested lists. Returns nullopt if PyTorch cannot build
// a tensor from the value.
[[nodiscard]] std::optional<std::vector<std::size_t>> tensor_lengths(const source::Value& value);

// Checks the values that PyTorch converts to tensors.
void check_values(Modifier& modifier, diag::Sink& sink);

// Checks an action against the model parameters and modules in the options, if they are given.
void check_model(const ir::Action& action, const ReadOptions& options, const Run& run, diag::Sink& sink);

// Reports selectors that must match a parameter which an earlier action has renamed or removed. `actions` must be in
// the order in which SparseML initializes them. Requires the names from --params and --modules.
void check_renamed(const std::vector<ir::Action>& actions, const ReadOptions& options, diag::Sink& sink);

// Excludes the parameters of layers that an earlier action removes before training. `actions` must be in the order in
// which SparseML initializes them.
void hide_removed_layers(std::vector<ir::Action>& actions, const ReadOptions& options);

// Makes selectors match parameters of the model itself as SparseML does, which puts a dot before their names: `.scale`.
// Reports selectors that then match nothing.
void resolve_root_parameters(ir::Action& action, const std::vector<std::string>& roots, const ReadOptions& options,
                             diag::Sink& sink);

// Returns the names of the parameters of the model itself.
[[nodiscard]] std::vector<std::string> root_parameters(const ReadOptions& options);

// Reports second-order pruners that select a parameter of a layer which a later action removes before training.
void check_gradients(const std::vector<ir::Action>& actions, const ReadOptions& options, const Run& run,
                     diag::Sink& sink);

// Reports parameters to be thinned in layers that another action removes until the training ends.
void check_thinned(const std::vector<ir::Action>& actions, const ReadOptions& options, const Run& run,
                   diag::Sink& sink);

// Returns the parameters that an action thins: the names in the keys of its map.
[[nodiscard]] std::vector<std::string> thinned_parameters(const ir::Action& action);

// Reports actions that remove structures before a pruner has zeroed all of them, or structures that no pruner zeroes.
void check_thinning(const std::vector<ir::Action>& actions, const Run& run, diag::Sink& sink);

// Returns true if a modifier does nothing although it starts: second-order pruners treat a run with one step per epoch
// as one-shot.
[[nodiscard]] bool is_idle(const Modifier& modifier, const Run& run);

// Checks rules of the constructor that only Keras and TensorFlow, or the 2020 releases, have.
void check_framework(Modifier& modifier, diag::Sink& sink);

// Returns the severity of errors that occur after loading. A warning for Keras and TensorFlow, whose behavior at run
// time is known only from their source code.
[[nodiscard]] diag::Severity later(const Modifier& modifier);

// Check rules of the pruner constructors: the mask type, epochs that must be whole, and combinations of fields of
// gradual pruners.
void check_mask(Modifier& modifier, diag::Sink& sink);
void check_whole_epochs(Modifier& modifier, diag::Sink& sink);
void check_gradual(Modifier& modifier, diag::Sink& sink);

// Marks a field as invalid.
void invalidate(Modifier& modifier, std::string_view field);

// Checks rules of the constructors of both QuantizationModifier classes.
void check_quantization(Modifier& modifier, diag::Sink& sink);

// Reads the selectors of a field. Reports values that the constructor rejects, patterns that Python cannot compile and
// tokens that the class does not support. Returns the remaining selectors.
[[nodiscard]] model::Selector read_selector(const Modifier& modifier, const source::Value& value,
                                            std::string_view field, diag::Sink& sink);

// Same as read_selector(), but for Keras, which converts selectors to layer names.
[[nodiscard]] model::Selector read_keras_selector(const Modifier& modifier, const source::Value& value,
                                                  std::string_view field, diag::Sink& sink);

// Returns the tokens that are accepted in place of a list of selectors, in words.
[[nodiscard]] std::string_view tokens(bool knows_prunable);
// Reports a string where a token or a list of names is expected (SP110), and suggests the most likely correction.
void report_string(const std::string& text, source::Span span, std::string_view field, bool knows_prunable,
                   diag::Sink& sink);

// Returns true if an empty `params` list selects every prunable weight.
[[nodiscard]] bool empty_means_prunable(const Modifier& modifier);

// Returns true if SparseML stops when a selector of this modifier matches nothing.
[[nodiscard]] bool is_strict(const Modifier& modifier);

// Returns the structure of a `mask_type` as the gradual pruners read it. Returns nullopt if SparseML does not support
// it.
[[nodiscard]] std::optional<ir::Structure> read_structure(const Modifier& modifier, const source::Value& mask_type);

// Reports a mask type that readers other than PyTorch do not support.
void check_dimension_mask(Modifier& modifier, diag::Sink& sink);

}  // namespace sparsecfg::dialect::sparseml
