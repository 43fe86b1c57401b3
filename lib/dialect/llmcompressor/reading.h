#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diag/sink.h"
#include "dialect/dialect.h"
#include "dialect/llmcompressor/rules.h"
#include "dialect/llmcompressor/table.h"
#include "doc/document.h"
#include "ir/recipe.h"
#include "model/names.h"
#include "model/selector.h"

namespace sparsecfg::dialect::llmcompressor {

class AttachedSchemes;

// Returns the modifiers of a recipe in execution order. With `stage` it returns only those of stages whose keys begin
// with it. Reports what the loader rejects (SP104, LC103, LC109) and ignores (SP101, SP106, LC101, LC102, LC104 to
// LC106).
[[nodiscard]] std::vector<stages::Written> find_modifiers(const doc::Document& document,
                                                          const std::optional<std::string>& stage, diag::Sink& sink);

// Returns true if a top-level key is a numbered stage, as written when a model is compressed again.
[[nodiscard]] bool is_numbered_stage(std::string_view key);

// Returns the action of a modifier. It acts once, so the origin keeps all fields and the effect only the selectors.
// `modules` is null if the model is unknown.
// `emptied` are modules that lose their scheme to a later modifier.
[[nodiscard]] ir::Action lower(const Modifier& modifier, const Modules* modules, std::vector<Entry> emptied = {});

// The patterns of one mapping: the layers to balance and the scaled module before them.
struct Mapping {
  std::vector<std::string> balanced;
  std::string scaled;
  source::Span span;     // of the mapping, or of the modifier without mappings
  std::string hooked{};  // `activation_hook_target` of AWQ
};

// Returns the default mappings of SmoothQuantModifier or AWQModifier for a model class. Empty if they depend on more
// than the class.
[[nodiscard]] std::vector<Mapping> usual_mappings(Meaning meaning, std::string_view model, source::Span span);

// Returns the mappings of such a modifier, or the defaults of the model class.
[[nodiscard]] std::vector<Mapping> mappings_of(const Modifier& modifier, const Modules& modules);

// Resolves the mappings of a SmoothQuantModifier or AWQModifier, or the defaults of the model class, in a model.
// Reports sets that can't be combined (LC806) and shapes that do not fit.
void check_mappings(const Reading& reading, const Modifier& modifier, const std::vector<model::Module>& modules);

// Checks the layers that the AWQModifier at an index scales, with their schemes (LC109, LC404).
void check_awq_layers(const Reading& reading, const std::vector<Modifier>& modifiers, std::size_t at,
                      const Modules& modules, const AttachedSchemes& attached);

// Returns true if no mapping of an AWQModifier has a layer to scale, so that its other fields have no effect.
[[nodiscard]] bool scales_nothing(const Modifier& awq, const Modules& modules, const AttachedSchemes& attached);

// N:M mask: N of every M weights are removed. 0:0 is unstructured.
struct NOfM {
  std::int64_t n = 0;
  std::int64_t m = 0;
};

// Parses "N:M". Returns nullopt if the string is not a pair of integers.
[[nodiscard]] std::optional<NOfM> read_mask(std::string_view text);

// Returns the mask of a pruner, or 0:0 if it can't be parsed.
[[nodiscard]] NOfM mask_of(const Modifier& modifier);

// Checks of modifiers that require the modules of the model, with their classes and weight shapes.

class ModelIndex;

// Runs all checks (LC801 to LC809, MD902). `stored` are the names of the modules in checkpoints; null: the same names.
void check_names(const Reading& reading, const std::vector<Modifier>& modifiers, const Modules& modules,
                 const AttachedSchemes& attached, const std::vector<std::string>* stored);

// Checks blocks, experts, routers and patterns with unescaped dots (LC807 to LC809, SP603).
void check_model_parts(const Reading& reading, const std::vector<Modifier>& modifiers, const Modules& modules,
                       const AttachedSchemes& attached);

// Checks the quantization modifier at an index (LC109, LC801, LC803 to LC805, MD902).
void check_quantized_layers(const Reading& reading, const std::vector<Modifier>& modifiers, std::size_t at,
                            const Modules& modules, const AttachedSchemes& attached, ModelIndex& index);

// Checks SparseGPT and Wanda (LC109, MD902).
void check_pruned_layers(const Reading& reading, const Modifier& modifier, const Modules& modules, ModelIndex& index);

// Checks that REAP has a block of experts to prune, and removes at least one expert of it (LC109).
void check_removed_experts(const Reading& reading, const Modifier& modifier, const Modules& modules);

// Checks QuIP and SpinQuant (LC109).
void check_rotated_layers(const Reading& reading, const Modifier& modifier, const Modules& modules);

// Returns "`a`, `b`, `c` and 3 more".
[[nodiscard]] std::string list_names(const std::vector<const model::Module*>& modules);

// Reads an llm-compressor recipe (stages, groups, modifiers and their fields). Reports everything that llm-compressor
// rejects, fails on or ignores. The result has all modifiers with a known class.
[[nodiscard]] ir::Recipe read(const Source& source, const ReadOptions& options, diag::Sink& sink);

// Entries of `targets` and `ignore` that certainly or probably do not match in any model.

// The probable meaning of an entry.
struct EntryMeant {
  std::string reason;    // why it matches nothing, as a clause
  std::string text;      // the correct entry, or a list in brackets
  bool certain = false;  // true if no model has such a name
};

// Returns what an entry was meant to be: a list, a name without blanks, a class without its module, a pattern, or a
// class of layers. Returns nullopt if it may be correct.
[[nodiscard]] std::optional<EntryMeant> meant_by(std::string_view entry);

// Returns the entry that a misspelled one was meant to be, if it matches modules of the model or is a list.
[[nodiscard]] std::optional<std::string> meant_in(ModelIndex& index, const std::string& entry);

// Returns help for a pattern that only matches names in checkpoints, or nullopt.
[[nodiscard]] std::optional<std::string> help_for_stored(ModelIndex& index, const std::string& entry);

// Checks the entries of a modifier without a model (LC801, LC802).
void check_entries_alone(const Reading& reading, const Modifier& modifier);

// Computes the layers that a modifier changes, if its targets are not those layers themselves.

// Returns for each module whether a one-shot pruner prunes it: the Linear and Conv layers that are targets or within
// targets, without those that `ignore` matches. If `targets` is a string, no module is pruned.
[[nodiscard]] std::vector<bool> pruned_layers(const Modifier& modifier, const Modules& modules);

// Returns for each module whether REAP removes experts of it: the parent of a block of linear experts.
[[nodiscard]] std::vector<bool> blocks_with_experts(const Modifier& modifier, const Modules& modules);

// Returns a selector that matches exactly the reached modules: the entries that match some of them, then patterns for
// the others. `place` is the location of the patterns.
[[nodiscard]] model::Selector selector_of(const std::vector<Entry>& entries, const std::vector<bool>& reached,
                                          const Modules& modules, source::Span place);

}  // namespace sparsecfg::dialect::llmcompressor
