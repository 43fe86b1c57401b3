#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dialect/llmcompressor/schemes.h"
#include "dialect/llmcompressor/target_pairs.h"
#include "dialect/llmcompressor/versions.h"
#include "dialect/recipe_call.h"
#include "model/names.h"

// The rules of llm-compressor beyond the types of the table, by file. `modules` is null if the model is unknown.
namespace sparsecfg::dialect::llmcompressor {

class AttachedSchemes;
class ModelIndex;

// Returns the severity of a fault that stops every run of a recipe.
[[nodiscard]] constexpr diag::Severity severity_in_run(Runner runner) {
  return runner == Runner::unknown ? diag::Severity::warning : diag::Severity::error;
}

// Checks schemes, groups and targets of a quantization modifier. `partial` is true if the recipe may have other values,
// and `called` if a call of a script accepts the recipe.
void check_quantization(const Context& context, const Modifier& modifier, Release release, TargetPairs& pairs,
                        bool partial, bool called);

// Reports a `block_size` of GPTQModifier that is probably meant as the size of the groups.
void check_block_size(const Context& context, const Modifier& modifier, const Quantization& quantization);

// Checks the schemes and entries of `model_free_ptq`; does nothing for modifiers.
void check_model_free(const Context& context, const Modifier& modifier);

// Checks the tensors that the function selects.
void check_tensors(const Context& context, const Modifier& modifier, const ModelFree& function, const Modules& modules);

// Reports an output head that is probably quantized by mistake. Of a recipe that no call of a script accepts, it is not
// known that the model has a head.
void check_output_head(const Context& context, const Modifier& modifier, const Quantization& quantization,
                       const Modules* modules, bool called);

// Checks the arguments of quantization, also against the tensors that they are for. `used` says for each group of
// `config_groups` whether it applies to a module; groups beyond its end do.
void check_quantization_args(const Context& context, const Modifier& modifier, Release release,
                             const std::vector<bool>& used);

// Normalizes an observer name: lower case and one kind of separator.
[[nodiscard]] std::string plain_observer_name(std::string_view name);

// Checks the observer of one set of quantization arguments, and the observer's arguments. `of_weights` is false for
// inputs, outputs and the cache, whose observers accept other arguments.
void check_observer(const Context& context, const source::Value& arguments, bool of_weights, Release release);

// Checks the observers of a modifier that replace those of its schemes.
void check_observers(const Context& context, const Quantization& quantization, Release release);

// Reports a modifier that requires data but has calibration disabled.
void check_calibration(const Context& context, const Modifier& modifier);

// Checks one-shot pruners and pruning of experts. `known` is true if the modules of the model are known.
void check_pruning(const Context& context, const Modifier& modifier, bool known, Runner runner);

// Checks smoothing, AWQ and rotations. `idle` is true if AWQ scales no layer of the model.
void check_transform(const Context& context, const Modifier& modifier, bool idle);

// Checks patterns, and the columns of the rows of fields: unsupported values and fields that exclude each other.
void check_patterns_and_limits(const Context& context, const Modifier& modifier);

// Checks interactions between modifiers, and training masks. `incomplete` is true if the recipe may have other
// modifiers.
void check_order(const Context& context, const std::vector<Modifier>& modifiers, Release release, TargetPairs& pairs,
                 bool incomplete, Runner runner);

// Reports values that make the written recipe.yaml unreadable.
void check_write_back(const Context& context, const Modifier& modifier);

// Hook of the table for unknown fields. Returns true for fields that check_release() reports.
[[nodiscard]] bool report_field_of_release(const Context& context, const stages::Modifier& modifier,
                                           const Field& field);

// Reports internal and removed fields. For older releases it also reports modifiers and fields that were added later.
void check_release(const Context& context, const Modifier& modifier, Release release);

// Removes the fields that a release before 0.7 does not have and silently ignores from a record, and returns them.
[[nodiscard]] std::vector<Field> take_ignored(stages::Modifier& record, Release release);

// Checks entries of `targets` and `ignore` without a model.
void check_entries_without_model(const Context& context, const Modifier& modifier);

// --- with the modules of the model, their classes and weight shapes ---

// Resolves the mappings of a SmoothQuantModifier or AWQModifier, or the defaults of the model class, in a model.
// Reports sets that can't be combined and shapes that do not fit.
void check_mappings(const Context& context, const Modifier& modifier, const std::vector<model::Module>& modules);

// Checks the layers that the AWQModifier at an index scales, with their schemes.
void check_awq_layers(const Context& context, const std::vector<Modifier>& modifiers, std::size_t at,
                      const Modules& modules, const AttachedSchemes& attached, Release release);

// Reports duo scaling of weights that have one scale per tensor.
void report_duo_scaling(const Context& context, const Awq& awq, const Group& one_scale);

// Returns true if no mapping of an AWQModifier has a layer to scale, so that its other fields have no effect.
[[nodiscard]] bool scales_nothing(const Modifier& awq, const Modules& modules, const AttachedSchemes& attached);

// Runs all checks. `stored` are the names of the modules in checkpoints; null: the same names.
void check_with_model(const Context& context, const std::vector<Modifier>& modifiers, const Modules& modules,
                      const AttachedSchemes& attached, const ReadOptions& options);

// Checks blocks, experts, routers and patterns with unescaped dots.
void check_model_parts(const Context& context, const std::vector<Modifier>& modifiers, const Modules& modules,
                       const AttachedSchemes& attached);

// Checks the quantization modifier at an index. `runtime`: the name of the runtime that loads the result; may be empty.
void check_quantized_layers(const Context& context, const std::vector<Modifier>& modifiers, std::size_t at,
                            const Modules& modules, const AttachedSchemes& attached, ModelIndex& index,
                            const std::string& runtime);

// Checks SparseGPT and Wanda.
void check_pruned_layers(const Context& context, const Modifier& modifier, const LayerPruning& pruning,
                         const Modules& modules, ModelIndex& index, Release release);

// Checks that REAP has a block of experts to prune, and removes at least one expert of it.
void check_removed_experts(const Context& context, const Modifier& modifier, const ExpertPruning& pruning,
                           const Modules& modules, std::optional<std::uint64_t> per_token);

// Checks QuIP and SpinQuant.
void check_rotated_layers(const Context& context, const Modifier& modifier, const Rotation& rotation,
                          const Modules& modules);

// Returns "`a`, `b`, `c` and 3 more".
[[nodiscard]] std::string list_names(const std::vector<const model::Module*>& modules);

}  // namespace sparsecfg::dialect::llmcompressor
