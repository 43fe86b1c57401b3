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
