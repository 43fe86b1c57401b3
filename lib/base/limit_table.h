#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/limits.h"

// All limits on work, as docs/limits.md lists them. A test compares both.
namespace sparsecfg::limits {

// Limits of a YAML or JSON document. doc::Limits has them as options.
inline constexpr std::size_t kMaxFileBytes = std::size_t{4} << 20;
inline constexpr std::size_t kMaxNesting = 128;
inline constexpr std::size_t kMaxNodes = 100'000;
inline constexpr std::size_t kMaxScalarBytes = std::size_t{64} << 10;

inline constexpr std::size_t kMaxShardBytes = std::size_t{256} << 20;        // headers of all shards of an index
inline constexpr std::size_t kMaxProjectShardBytes = std::size_t{32} << 20;  // the same for a file of a project
inline constexpr std::size_t kShardCost = 4096;  // least bytes that a shard counts, because opening it takes time, too

inline constexpr std::size_t kMaxExtendsDepth = 8;                      // config files in a chain of `extends`
inline constexpr std::size_t kMaxExtended = 64;                         // in a tree, each time that a file is read
inline constexpr std::size_t kMaxExtendedBytes = std::size_t{4} << 20;  // of all files in the tree

inline constexpr std::size_t kMaxModules = 300'000;  // of a model that is derived from its config.json, with containers

// Models that recipes refer to without an option. Building a module takes some microseconds, and a kept one a kilobyte.
inline constexpr std::size_t kMaxFoundModules = 10 * kMaxModules;     // of all models of a run, each time it is built
inline constexpr std::size_t kMaxFoundBytes = std::size_t{64} << 20;  // of all files of models
inline constexpr std::size_t kMaxFoundWeights = std::size_t{128}
                                                << 20;  // of all headers and indices beside a config.json
inline constexpr std::size_t kMaxNamedModules =
    2 * kMaxModules;                                     // of all models that settings name, which are all kept
inline constexpr std::size_t kMaxKeptModules = 100'000;  // of the models that are kept for other recipes

inline constexpr std::size_t kMaxFindingText = 2'000;  // bytes of each text of a finding

inline constexpr std::size_t kMaxInferredBytes = 100'000'000;  // of modules and containers of names of tensors

inline constexpr std::size_t kMaxCompared = 300;  // entries or overrides of a list, each compared with all earlier ones

enum class Unit : std::uint8_t { count, bytes, levels };

struct Limit {
  std::string_view section;  // heading in docs/limits.md
  std::string_view what;
  std::uint64_t value;
  Unit unit;
  std::string_view option;  // that changes the limit, or "-"
  std::string_view beyond;  // what happens then
};

inline constexpr std::string_view kFinding = "`SP014`";
inline constexpr std::string_view kSettingsFault = "the config file is rejected at the place that names the file";
inline constexpr std::string_view kEntryFault = "`SP014`; the entry is not compared";
inline constexpr std::string_view kScriptEnd = "`SP014` at the place; what follows is not read";
inline constexpr std::string_view kScriptLost =
    "`SP014` at the place; what follows is not read, and values that it can change are unknown";
inline constexpr std::string_view kUnknownResult = "the result is unknown, and what the function can change";
inline constexpr std::string_view kFileFault = "the file is rejected";

inline constexpr auto kTable = std::to_array<Limit>({
    {"Recipes", "size of a file", kMaxFileBytes, Unit::bytes, "`--max-size`", kFinding},
    {"Recipes", "nesting", kMaxNesting, Unit::levels, "`--max-depth`", kFinding},
    {"Recipes", "nodes, aliases expanded", kMaxNodes, Unit::count, "`--max-nodes`", kFinding},
    {"Recipes", "length of a scalar", kMaxScalarBytes, Unit::bytes, "`--max-scalar`", kFinding},
    {"Recipes", "steps of patterns that are compared with each other or with names", kMaxPatternWork, Unit::count, "-",
     "the patterns count as undecided"},
    {"Recipes", "entries of NNI or overrides of Distiller that are compared with each other", kMaxCompared, Unit::count,
     "-", "`SP014` as information"},
    {"Recipes", "directives before a document", kMaxDirectives, Unit::count, "-", kFinding},
    {"Recipes",
     "modifiers and patterns of llm-compressor or compressed-tensors, times modules; 8 for a pattern without a fixed "
     "text",
     kMaxMatches, Unit::count, "`--modules`", "`SP014`; the modules are not compared"},
    {"Recipes", "patterns of all entries of NNI, times names of a model; 8 for a pattern without a fixed text",
     kMaxMatchesOfNni, Unit::count, "`--modules`", kEntryFault},
    {"Recipes", "modules that all entries of NNI select", kMaxSelected, Unit::count, "`--modules`", kEntryFault},
    {"Recipes", "exclusions of NNI that apply to all entries, times entries", kMaxExclusions, Unit::count, "-",
     "`SP014`; the entries are not compared"},
    {"Recipes", "names that are tried with a pattern that may be too slow in Python", kMaxSampledNames, Unit::count,
     "-", "an evenly spread sample is tried"},
    {"Recipes", "fixes that are tried one by one if all of them together are harmful", kMaxFixTries, Unit::count, "-",
     "the others are not applied"},
    {"Recipes", "fixes in one round", kMaxFixes, Unit::count, "-", "the others follow in the next round"},
    {"Recipes", "text that is compiled again to apply fixes, after the first round", kMaxFixBytes, Unit::bytes, "-",
     "the other fixes are not applied"},
    {"Recipes", "fixes that are tested before they are offered; a quarter with a model", kMaxFixTests, Unit::count, "-",
     "the others are offered without a test"},
    {"Recipes", "pruners that are compared with each other", kMaxComparedPruners, Unit::count, "-",
     "the others are not compared"},
    {"Recipes", "pairs of pruners, times names of a model", kMaxPrunerMatches, Unit::count, "-",
     "their patterns are compared without the names"},
    {"Recipes", "names that all selectors match, each time; 16 times as many names that a selector matches again",
     kMaxClaims, Unit::count, "-", "`match` lists nothing; rules about shapes are not checked"},
    {"Recipes", "changes of a run that a check simulates, times actions", kMaxSimulated, Unit::count, "-",
     "rules about the end of the run are not checked"},
    {"Recipes", "names and patterns that are written as IR", kMaxTermsOfIr, Unit::count, "-",
     "the conversion names the limit; nothing is converted"},
    {"Recipes", "updates of pruners that are written for another framework", kMaxUpdatesPerRecipe, Unit::count, "-",
     "the conversion names the pruner that is not converted"},
    {"Recipes", "updates of one pruner that are written for another framework", kMaxUpdatesOfPruner, Unit::count, "-",
     "the conversion names the pruner that is not converted"},
    {"Recipes", "changes of a run that a summary follows", kMaxChanges, Unit::count, "`--epochs` for a shorter run",
     "the summary says that it ends there"},
    {"Recipes", "learning rates that are written for another framework", kMaxRateChanges, Unit::count, "-",
     "the conversion names the rate that is not converted"},
    {"Recipes", "each text of a finding", kMaxFindingText, Unit::bytes, "-", "the rest of the text is left out"},
    {"Recipes in scripts",
     "steps: statements and expressions that are evaluated, changes that branches join, and each 16 elements or 64 "
     "bytes that an operation reads",
     kMaxScriptSteps, Unit::count, "-", kScriptLost},
    {"Recipes in scripts", "calls that are recorded", kMaxScriptRecords, Unit::count, "-", kScriptEnd},
    {"Recipes in scripts", "values", kMaxScriptBytes, Unit::bytes, "-", kScriptLost},
    {"Recipes in scripts", "rounds of a loop until it changes nothing more", kMaxScriptRepeats, Unit::count, "-",
     kScriptEnd},
    {"Recipes in scripts", "nesting of expressions and statements", kMaxScriptNesting, Unit::levels, "-",
     "the value is unknown"},
    {"Recipes in scripts", "nested calls of functions of the script", kMaxScriptCalls, Unit::count, "-",
     kUnknownResult},
    {"Recipes in scripts", "nested calls of one function", kMaxScriptRecursion, Unit::count, "-", kUnknownResult},
    {"Recipes in scripts", "bases of a class, with their bases", kMaxScriptBases, Unit::count, "-",
     "the bases are unknown"},
    {"Recipes in scripts",
     "rounds of a loop; fewer if they take half of the steps and values that are left before the outermost loop",
     kMaxScriptRounds, Unit::count, "-", "the values that the loop changes are unknown"},
    {"Recipes in scripts", "values of a recipe that a call accepts", kMaxScriptCopied, Unit::count, "-", kScriptEnd},
    {"Recipes in scripts", "elements of a `range`", static_cast<std::uint64_t>(kMaxScriptRange), Unit::count, "-",
     "the range is unknown"},
    {"Recipes in scripts", "length of a string", kMaxScriptString, Unit::bytes, "-", "the string is unknown"},
    {"Recipes in scripts", "words and operators of a script", kMaxScriptTokens, Unit::count, "-",
     "`SP014`; the script is not read"},
    {"Recipes in scripts", "modules next to the script", kMaxScriptModules, Unit::count, "-",
     "their names are unknown"},
    {"Recipes in scripts", "elements of all recipes; a shared value counts for each recipe", kMaxScriptElements,
     Unit::count, "-", "`SP014`; further recipes are not read"},
    {"Files that the command line names", "`--model`, `--params`, `--modules`", kMaxModelBytes, Unit::bytes, "-",
     kFileFault},
    {"Files that the command line names", "header of a `.safetensors` file", kMaxSafetensorsHeader, Unit::bytes, "-",
     kFileFault},
    {"Files that the command line names", "headers of all shards of an index", kMaxShardBytes, Unit::bytes, "-",
     kFileFault},
    {"Files that the command line names", "`.gitignore`, `.sparsecfg.yaml`", kMaxSettingsBytes, Unit::bytes, "-",
     "`.gitignore` does not apply, so that more files are checked; the config file is rejected"},
    {"Files that the command line names", "patterns with `*`, `?` or `[` in these files", kMaxGlobs, Unit::count, "-",
     "the first ones apply, so that more files are checked"},
    {"Files that the command line names", "modules and containers that a `config.json` describes", kMaxModules,
     Unit::count, "-", "the model is rejected"},
    {"Config files",
     "modules and containers of all models that a run finds next to recipes or by their ids; a model that "
     "was not used for a while counts again",
     kMaxFoundModules, Unit::count, "`--model`", "further recipes are checked without a model, which is reported"},
    {"Config files", "headers and indices of all weights beside `config.json` files that a run reads", kMaxFoundWeights,
     Unit::bytes, "`--params`", "`SP014`; further weights are not compared"},
    {"Config files", "modules and containers of all models that settings name; four names of parameters count as one",
     kMaxNamedModules, Unit::count, "`--model`, `--params`, `--modules`", kFileFault},
    {"Config files", "size of the files of these models together", kMaxFoundBytes, Unit::bytes, "`--model`",
     "further recipes are checked without a model, which is reported"},
    {"Files that the command line names", "modules and containers of names of tensors", kMaxInferredBytes, Unit::bytes,
     "`--modules`", "the modules are unknown, which the description of the model says"},
    {"Files that the command line names", "folders", kMaxFolderDepth, Unit::levels, "-", "reported with the path"},
    {"Config files", "a file that settings name, or weights beside `config.json`", kMaxProjectBytes, Unit::bytes,
     "`--model`, `--params`, `--modules`", kFileFault},
    {"Config files", "headers of all shards of such an index", kMaxProjectShardBytes, Unit::bytes,
     "`--model`, `--params`", kFileFault},
    {"Config files", "config files in a chain of `extends`", kMaxExtendsDepth, Unit::count, "-", kSettingsFault},
    {"Config files", "config files in a tree of `extends`", kMaxExtended, Unit::count, "-", kSettingsFault},
    {"Config files", "size of these files together", kMaxExtendedBytes, Unit::bytes, "-", kSettingsFault},
    {"The server for editors", "size of a message", kMaxMessageBytes, Unit::bytes, "-", "an error response"},
    {"The server for editors", "nesting of a message", kMaxMessageDepth, Unit::levels, "-", "an error response"},
    {"The server for editors", "values in a message", kMaxMessageValues, Unit::count, "-", "an error response"},
    {"The server for editors", "messages that are read ahead", kMaxQueued, Unit::count, "-", "the others wait"},
    {"The server for editors", "messages that are read ahead, with their values", kMaxQueuedBytes, Unit::bytes, "-",
     "the others wait"},
    {"The server for editors", "symbols of a document", kMaxSymbols, Unit::count, "-",
     "levels below the second are left out, then the end"},
    {"The server for editors", "uses of a name", kMaxUses, Unit::count, "-",
     "`references` returns the first ones, `rename` refuses"},
    {"The server for editors", "hints in a range", kMaxHints, Unit::count, "-", "the first ones"},
    {"The server for editors", "completion items for names", kMaxOfferedNames, Unit::count, "-",
     "the list is marked as incomplete"},
    {"The server for editors", "text around the cursor that completion reads", kMaxExcerpt, Unit::bytes, "-",
     "of a larger document, completion reads only the list item at the cursor and the lines above it in the hierarchy; "
     "it "
     "offers no items in a longer line"},
});

}  // namespace sparsecfg::limits
