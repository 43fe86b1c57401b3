#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dialect/dialect.h"
#include "dialect/nni/config.h"
#include "dialect/nni/targets.h"
#include "dialect/options.h"
#include "ir/recipe.h"
#include "source/shape.h"

namespace sparsecfg::dialect::nni {

// Reads a configuration of NNI as the release that the options name does: what it refuses, what stops
// it later, and what it drops goes to the sink; the recipe has one action for each entry of a list.
[[nodiscard]] ir::Recipe read(const Source& source, const ReadOptions& options, diag::Sink& sink);

// Finds the compressors and their lists in a file of any of the known forms (reference/nni-files.md 1):
// a list alone, one compressor, several of them, or a class of 1.x with its `config`. Reports what
// fits no form. `script`: the root holds the literals of a Python script by name.
[[nodiscard]] Configuration find_compressors(source::Value root, bool script, const Context& context);

// Returns the configuration as one file would have it: of a script the first list, and with the pruner that the command
// line names.
[[nodiscard]] source::Value as_file(Configuration configuration, bool script);

// Reads what a file says besides its compressors: how long the run is, how many steps an epoch has, and the settings of
// types that it registers. Reports what has another type than NNI wants; the configuration is then not valid.
void read_run(const source::Map& root, Configuration& configuration, diag::Sink& sink);

// Returns true if NNI 3.0 translates the list: it looks at the first entry alone.
[[nodiscard]] bool is_legacy(const Compressor& compressor);

// Turns the keys of 2.x into those of 3.0 as NNI 3.0 does (reference 3.2), and reports what gets lost
// or changes its meaning on the way.
void translate(Compressor& compressor, const Context& context);

// What a list is for, detected by keys that occur in lists of one mode only; nullopt if none does.
[[nodiscard]] std::optional<Mode> mode_of(const std::vector<Entry>& entries);

// The keys above a list that name its compressor, one for each of kModes.
inline constexpr std::string_view kSections[] = {"pruner", "quantizer", "distiller"};

// What the list of a compressor is for: by its class, by the section that it stands in (empty where there is none), by
// the mode that the file gives (null where it gives none), and else by its keys. Reports a mode that NNI does not have,
// and a list that only may be for pruning.
[[nodiscard]] Mode mode_of(const Compressor& compressor, std::string_view section, const source::Value* given,
                           diag::Sink& sink);

// Holds an entry against the schema of NNI 3.0 (reference 2). Reports all that it refuses, and marks
// the entry as not valid then. `translated`: whether the list has gone through the translation.
void check_entry(Entry& entry, Mode mode, bool translated, const Context& context);

// Returns true if NNI's schema takes a value for a key; reports it where not.
[[nodiscard]] bool check_value(const KeySpec& key, const source::Value& value, const Context& context);

// Holds the arguments of the classes against their constructors, and their schedules against the run
// (reference 5 and 6). Reports what stops NNI 3.0, marks the compressor then, and warns of schedules
// that never act.
void check_arguments(Configuration& configuration, const Context& context);

// Holds the lists against the rules of NNI 2.x (reference 3.3) or 1.x (5.5), and says which entry each
// module of the model gets its sparsity from: the last one that takes it, unless a later one excludes
// it. Where the model is not known each entry stands for itself.
[[nodiscard]] std::vector<std::vector<Target>> read_older(Configuration& configuration, const Context& context);

// What each module of the model gets under the rules up to 2.x: the settings of the last entry that
// takes it, unless a later one excludes it. Where the model is not known each entry stands for itself.
// Reports entries that have no effect.
[[nodiscard]] std::vector<Target> select_last(const Compressor& compressor, const Context& context);

// What stops NNI 3.0 when it makes its targets and builds the compressor: types and granularities that
// don't fit, and the conditions of single classes (reference 2.2, 2.3, 4.1 and 6). Marks entries.
void check_targets(Compressor& compressor, const std::vector<Target>& targets, const Context& context);

// The same for one target that is distilled.
void check_distillation(Compressor& compressor, const Target& target, const Context& context);

// What stops it when it fuses modules.
void check_fusion(Compressor& compressor, const std::vector<Target>& targets, const Context& context);

// What stops a pruner when it makes masks: groups whose members differ, and alignments to what has no
// mask (reference 4.3). Only where the file says which class makes them.
void check_masks(Compressor& compressor, const std::vector<Target>& targets, const Context& context);

// How NNI lays blocks over a tensor: what is pruned together, or shares a scale (reference 4.1).

struct Blocks {
  std::vector<std::int64_t> sizes;  // -1: the whole of a dimension
  bool from_front = true;           // true if what is missing is filled up before the sizes, else behind them
  std::int64_t filling = 1;         // the size of what is missing
};

// The blocks of a target. Returns nullopt if it has none, or if the granularity is none that NNI reads.
[[nodiscard]] std::optional<Blocks> blocks_of(const Target& target, const ClassSpec& maker);

// The shape of what is ranked: one number a block. Returns nullopt if the blocks don't fit the tensor.
[[nodiscard]] std::optional<source::Shape> metric_shape(const std::optional<Blocks>& blocks,
                                                        const source::Shape& shape);

// What a target loses together. What `default` means depends on the class that makes the masks.
[[nodiscard]] ir::Structure structure_of(const Compressor& compressor, const Target& target);

// How QATQuantizer, which a list without a class is mostly for, rounds the targets; empty for other classes.
[[nodiscard]] std::vector<ir::Grid> grids_of(const Compressor& compressor, const std::vector<const Target*>& targets);

// The actions of a configuration, one for each entry, and the length of its run. `targets`: what is
// left to each entry of each compressor, where that is known. The fields of the entries are freed on the way: lists
// with many entries would need much memory for both.
[[nodiscard]] ir::Recipe lower(Configuration& configuration, std::vector<std::vector<Target>> targets,
                               const Context& context);

// A JSON Schema (draft 7) of configurations for NNI 3.0, made from the tables, with a line feed at its
// end. It refuses nothing that NNI takes, keys of 2.x that it translates among them.
[[nodiscard]] std::string schema(const ReadOptions& options);

// The manual pages of the classes, of the entries of a config_list and of each of their keys.
[[nodiscard]] std::vector<Page> pages();

}  // namespace sparsecfg::dialect::nni
