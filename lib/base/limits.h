#pragma once

#include <cstddef>
#include <cstdint>

// The limits of docs/limits.md that no option changes, in its order. Limits of a YAML document have options:
// doc::Limits.
namespace sparsecfg::limits {

// --- recipes --------------------------------------------------------------------------------------------

// Patterns, in NFA transitions examined. All patterns of a recipe are processed in at most about half a second, typical
// ones in a few milliseconds.
inline constexpr std::uint64_t kMaxPatternWork = 50'000'000;
inline constexpr std::uint64_t kMaxWorkOfPattern = 20'000'000;
// Number of names times length of a pattern that is matched with one name after the other. The time for each match can
// grow in proportion to that length.
inline constexpr std::size_t kMaxLooks = 40'000'000;
inline constexpr std::size_t kMaxRemembered = 4'000'000;  // cached index ranges of a list of names

inline constexpr std::size_t kMaxUpdatesPerRecipe = 4'000'000;  // evaluated by writers
// Changes of a run that its statistics follow: enough for any training, and half a second of work.
inline constexpr std::uint64_t kMaxChanges = 4'000'000;
// Changes of learning rates for writers. A rate can change at each of ten million steps.
inline constexpr std::size_t kMaxRateChanges = 100'000;

// Products of numbers that only the input limits. A regular expression is matched about ten million times per second.
inline constexpr std::size_t kMaxMatches = 4'000'000;        // patterns of llm-compressor or a runtime, times modules
inline constexpr std::size_t kMaxMatchesOfNni = 10'000'000;  // patterns of entries, times names of a model
inline constexpr std::size_t kMaxSelected = 500'000;         // modules that all entries of NNI select
inline constexpr std::size_t kMaxExclusions = 1'000'000;     // pooled exclusions, times entries of NNI
inline constexpr std::size_t kMaxTermsOfIr = 1'000'000;      // excluded names are repeated in each selector
inline constexpr std::size_t kMaxSampledNames = 5'000;       // for each pattern, to find out whether Python is too slow
inline constexpr std::size_t kMaxDirectives = 1'000;         // each is compared with all earlier ones
inline constexpr std::size_t kMaxFixTries = 50;  // fixes that are tried one by one if all of them together are harmful

// Checks. Pairs are compared, so the time grows with the square of the first two numbers.
inline constexpr std::size_t kMaxComparedPruners = 300;
inline constexpr std::size_t kMaxPrunerMatches = 20'000'000;  // pairs of pruners, times names of a model
inline constexpr std::size_t kMaxSearchedNames = 5'000;       // in which a misspelled part of a pattern is searched
inline constexpr std::size_t kMaxNameTries = 40'000;          // names that all patterns are tried with; about a second
inline constexpr std::size_t kMaxNameGuesses = 500;           // unknown names for which similar ones are searched
inline constexpr std::size_t kMaxFrozenUpdates = 500;         // updates of a pruner that are looked up in freezers
inline constexpr std::uint64_t kMaxSimulated = 4'000'000;     // changes times actions; a fraction of a second
inline constexpr std::size_t kMaxClaims = 1'500'000;          // names that selectors match; each takes 16 bytes
inline constexpr std::size_t kMaxUpdatesOfPruner = 1'000'000;

// Fixes. Each round and each test compiles the recipe again.
inline constexpr std::size_t kMaxFixes = 1'000;  // in one round; each is compared with the earlier ones
inline constexpr std::size_t kMaxFixRounds = 1'000;
inline constexpr std::size_t kMaxFixBytes = std::size_t{1} << 20;  // compiled after the first attempt
inline constexpr std::size_t kMaxFixTests = 24;
inline constexpr std::size_t kMaxFixTestBytes = std::size_t{1} << 18;

// Conversions. Each read compiles the output or a part of it.
inline constexpr std::size_t kMaxRefusals = 32;  // of the reader of the target; the other actions are refused together
inline constexpr std::size_t kMaxReads = 256;
inline constexpr std::size_t kMaxReadBytes = std::size_t{4} << 20;
inline constexpr std::size_t kMaxComparedSelectors = 200;     // each is compared with each other one
inline constexpr std::size_t kMaxComparedTerms = 4'000;       // in all of them
inline constexpr std::size_t kMaxExampleNames = 500;          // that are tried before two selectors are compared
inline constexpr std::size_t kMaxExampleMaskers = 200'000;    // examples of weights, times selectors
inline constexpr std::size_t kMaxMaskedWeights = 10'000'000;  // of all targets of both recipes
inline constexpr std::size_t kMaxMaskers = 500'000;           // targets by class of weights with the same targets

// --- scripts --------------------------------------------------------------------------------------------

inline constexpr std::size_t kMaxScriptSteps = 400'000;
inline constexpr std::size_t kMaxScriptBytes = 24'000'000;  // of all values
inline constexpr std::size_t kMaxScriptNesting = 150;       // each level takes some kilobytes of the stack
inline constexpr std::size_t kMaxScriptCalls = 24;          // nested calls of functions of the script
inline constexpr std::size_t kMaxScriptRecursion = 8;       // nested calls of one function
inline constexpr std::size_t kMaxScriptBases = 64;          // of a class, with the bases of its bases
inline constexpr std::size_t kMaxScriptRounds = 1'000;      // of a loop
inline constexpr std::size_t kMaxScriptRepeats = 40;        // of a loop, until it changes no further value
inline constexpr std::size_t kMaxScriptString = 1'000'000;
inline constexpr std::size_t kMaxScriptTokens = 1'000'000;    // a tree takes about a hundred bytes for each
inline constexpr std::size_t kMaxScriptModules = 16;          // next to the script
inline constexpr std::size_t kMaxScriptRecords = 20'000;      // calls that may construct or pass a recipe
inline constexpr std::size_t kMaxScriptElements = 250'000;    // of all recipes
inline constexpr std::size_t kMaxScriptCopied = 50'000;       // values of a recipe that a call accepts
inline constexpr std::size_t kMaxScriptReached = 10'000;      // values that are searched for code or changes
inline constexpr std::size_t kMaxScriptPieces = 100'000;      // of a string that is joined from others
inline constexpr std::size_t kMaxScriptCharacters = 100'000;  // of a string that is iterated; each becomes a value
inline constexpr std::int64_t kMaxScriptRange = 10'000;       // elements of a `range`
inline constexpr std::int64_t kMaxScriptWidth = 10'000;       // of a padded string
inline constexpr std::size_t kMaxScriptCode = 10'000;         // of a string that `exec` or `eval` runs

// --- files ----------------------------------------------------------------------------------------------

inline constexpr std::size_t kMaxModelBytes = std::size_t{64} << 20;    // of --params and --modules
inline constexpr std::uint64_t kMaxSafetensorsHeader = 100'000'000;     // by its format
inline constexpr std::size_t kMaxProjectBytes = std::size_t{16} << 20;  // of a file that settings name
inline constexpr std::size_t kMaxSettingsBytes = std::size_t{1} << 20;  // of .gitignore and .sparsecfg.yaml
inline constexpr std::size_t kMaxGlobs = 5000;                          // each is compared with each path
inline constexpr int kMaxFolderDepth = 32;
inline constexpr std::size_t kMaxNameDepth = 16;  // of JSON with names
// Dimensions and elements of a tensor. Sums over a whole model then fit into 64 bits.
inline constexpr std::size_t kMaxDimensions = 16;
inline constexpr std::uint64_t kMaxElements = std::uint64_t{1} << 48;

// --- the server -----------------------------------------------------------------------------------------

// A message contains at most one document, which usually has a few kilobytes. Editors nest a dozen levels deep, and
// send at most some thousands of changes at once.
inline constexpr std::size_t kMaxMessageBytes = std::size_t{64} << 20;
inline constexpr std::size_t kMaxMessageDepth = 128;
inline constexpr std::size_t kMaxMessageValues = 1'000'000;
inline constexpr std::size_t kMaxQueued = 1000;  // messages received before they are handled
inline constexpr std::size_t kMaxQueuedBytes = std::size_t{64} << 20;
inline constexpr std::size_t kMaxSymbols = 2000;      // beyond it, levels below the second are left out, then the end
inline constexpr std::size_t kMaxUses = 2000;         // of a name; beyond it, it is not renamed
inline constexpr std::size_t kMaxHints = 1000;        // more than any screen shows, which is what editors ask for
inline constexpr std::size_t kMaxOfferedNames = 500;  // beyond it, the editor asks again after each typed character
inline constexpr std::uint32_t kMaxExcerpt = std::uint32_t{64} << 10;  // parsed at each keystroke

}  // namespace sparsecfg::limits
