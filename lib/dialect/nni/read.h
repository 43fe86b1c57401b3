#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dialect/dialect.h"
#include "dialect/nni/config.h"
#include "dialect/nni/targets.h"
#include "dialect/options.h"
#include "ir/recipe.h"
#include "model/names.h"
#include "source/value.h"

namespace sparsecfg::dialect::nni {

// Reads an NNI configuration as the release selected by the options does. Reports what NNI rejects, fails on later or
// drops. The recipe has one action per entry.
[[nodiscard]] ir::Recipe read(const Source& source, const ReadOptions& options, diag::Sink& sink);

// Finds the compressors and their lists in a file (forms: docs/semantics/nni.md#f1): a plain list, one compressor,
// several compressors, or a 1.x class with `config`. Reports other forms. `script`: the root has the lists of a
// Python script by name.
[[nodiscard]] Configuration find_compressors(source::Value root, bool script, const Context& context);

// Returns true for a list that contains an entry of a `config_list`.
[[nodiscard]] bool is_list_of_entries(const source::Value& value);

// Returns the configuration in the form of a file: the first list of a script, with the pruner from the command line.
[[nodiscard]] source::Value as_file(Configuration configuration, bool script);

// Returns the number in a phrase such as "391 steps an epoch"; nullopt without one, or if two numbers differ.
[[nodiscard]] std::optional<std::size_t> stated_steps_per_epoch(std::string_view text);

// Reads the settings of the run: its length, the steps per epoch, and the registered module types. Reports values of
// wrong types; the configuration is then not valid.
void read_run(const source::Map& root, Configuration& configuration, diag::Sink& sink);

// Returns true if NNI 3.0 translates the list, which depends only on the first entry.
[[nodiscard]] bool is_legacy(const Compressor& compressor);

// Reports quantization-aware training that starts after a run of this number of steps.
void find_first_step(Compressor& compressor, double steps, std::optional<double> steps_per_epoch,
                     const Context& context);

// Translates 2.x keys to 3.0 keys as NNI 3.0 does: docs/semantics/nni.md#c1-1. Reports keys that are dropped or change
// their meaning.
void translate(Compressor& compressor, const Context& context);

// Detects the mode of a list by keys that are specific to one mode. Returns nullopt if it lacks such keys.
[[nodiscard]] std::optional<Mode> mode_of(const std::vector<Entry>& entries);

// The keys that hold the compressor of a list, in the order of kModes.
inline constexpr std::string_view kSections[] = {"pruner", "quantizer", "distiller"};

// Returns the mode of a compressor's list. The class decides, then the section (empty: none), the `mode` of the file
// (null: none), and finally the keys. Reports an unknown mode, and a list whose mode is only a guess.
[[nodiscard]] Mode mode_of(const Compressor& compressor, std::string_view section, const source::Value* given,
                           const Context& context);

// Checks an entry against the schema of NNI 3.0: docs/semantics/nni.md#b4-1. Reports errors and marks the entry as not
// valid. `translated`: the list was translated from 2.x.
void check_entry(Entry& entry, Mode mode, bool translated, const Context& context);

// Checks the arguments of the classes against their constructors, and the schedules against the length of the run
// (docs/semantics/nni.md#e1, #d2-3). Reports errors of NNI 3.0 and marks the compressor. Warns about schedules that
// never act.
void check_arguments(Configuration& configuration, const Context& context);

// Checks the lists against the rules of NNI 2.x (docs/semantics/nni.md#c2-1) or 1.x (docs/semantics/nni.md#c3-1).
// Returns the targets of each compressor as select_last() does.
[[nodiscard]] std::vector<std::vector<Target>> read_older(Configuration& configuration, const Context& context);

// Assigns each module of the model to an entry by the rules up to 2.x: the last entry that selects the module, unless a
// later entry excludes it. Without a model, returns one target per entry. Reports ignored entries.
[[nodiscard]] std::vector<Target> select_last(const Compressor& compressor, const Context& context);

// Reports errors of NNI 3.0 when it creates the targets and the compressor: unsuitable types and granularities, and
// conditions of single classes (docs/semantics/nni.md#b2-4, #d1-2). Marks the entries as not valid.
void check_targets(Compressor& compressor, const std::vector<Target>& targets, const Context& context);

// Reports such errors for one distillation target.
void check_distillation(Compressor& compressor, const Target& target, const Context& context);

// Reports errors of NNI 3.0 when it fuses modules.
void check_fusion(Compressor& compressor, const std::vector<Target>& targets, const Context& context);

// Reports errors of a pruner when it makes masks: groups with different members, and alignments to targets without a
// mask (docs/semantics/nni.md#a1-2, #d1-7). A list without a class is checked for errors of every class.
void check_masks(Compressor& compressor, const std::vector<Target>& targets, const Context& context);

// Blocks of a tensor that are pruned together or share a scale.
struct Blocks {
  std::vector<std::int64_t> sizes;  // -1: the whole dimension
  bool from_front = true;           // true if missing sizes are added at the front, else at the back
  std::int64_t filling = 1;         // the value of missing sizes
};

// Returns the blocks of a target, or nullopt without a granularity that NNI can read. `maker`: the class, which decides
// the meaning of `default`; null if it is unknown.
[[nodiscard]] std::optional<Blocks> blocks_of(const Target& target, const ClassSpec* maker);

// Returns the shape of the metric, which has one number per block. Returns nullopt if the blocks do not fit the tensor.
[[nodiscard]] std::optional<model::Shape> metric_shape(const std::optional<Blocks>& blocks, const model::Shape& shape);

// Returns the structures of a target that are pruned together. The meaning of `default` depends on the class that makes
// the masks.
[[nodiscard]] ir::Structure structure_of(const Compressor& compressor, const Target& target);

// Returns the quantization grids of the targets for QATQuantizer, the most common class of lists without a class. Empty
// for other classes.
[[nodiscard]] std::vector<ir::Grid> grids_of(const Compressor& compressor, const std::vector<const Target*>& targets);

// Converts a configuration to a recipe with one action per entry and the length of the run. `targets`: the targets of
// each compressor's entries. Frees the fields of the entries to limit memory use.
[[nodiscard]] ir::Recipe lower(Configuration& configuration, std::vector<std::vector<Target>> targets,
                               const Context& context);

// Returns a JSON Schema (draft 7) for NNI 3.0 configurations, made from the tables, with a trailing line feed. It
// accepts everything that NNI accepts, including 2.x keys that NNI translates.
[[nodiscard]] std::string schema(const ReadOptions& options);

// Returns the manual pages of the classes, of config_list entries and of their keys.
[[nodiscard]] std::vector<Page> pages();

// Parses a Python constructor call, "AGPPruner(LevelPruner, interval_steps=10, total_times=4)", to the equivalent
// mapping of a file: `class`, the arguments, and `pruner` for a wrapped pruner. Arguments that are not literals, such
// as `model`, are ignored. Returns nullopt if the string is not such a call.
[[nodiscard]] std::optional<source::Value> parse_constructor_call(std::string_view text);

}  // namespace sparsecfg::dialect::nni
