#pragma once

#include <cstddef>
#include <cstdint>

// Limits of what is read of a model and of the work for its selectors.
namespace sparsecfg::model {

// --- files ----------------------------------------------------------------------------------------------

inline constexpr std::size_t kMaxFileBytes = std::size_t{64} << 20;
inline constexpr std::size_t kMaxProjectBytes = std::size_t{16} << 20;  // of a file that settings name
inline constexpr std::uint64_t kMaxHeaderLength = 100'000'000;          // of a .safetensors file, by its format
inline constexpr std::size_t kMaxJsonDepth = 16;

// Maximum number of dimensions and elements of a tensor. Sums over a whole model then fit into 64 bits.
inline constexpr std::size_t kMaxDimensions = 16;
inline constexpr std::uint64_t kMaxElements = std::uint64_t{1} << 48;

// --- patterns, in NFA transitions examined ---------------------------------------------------------------

inline constexpr std::uint64_t kMaxPatternWork = 50'000'000;    // all patterns of a recipe; about half a second
inline constexpr std::uint64_t kMaxWorkOfPattern = 20'000'000;  // one pattern; typical ones take a few milliseconds

// Number of names times length of a pattern that is matched with one name after the other, because each match may take
// time proportional to that length.
inline constexpr std::size_t kMaxLooks = 40'000'000;
inline constexpr std::size_t kMaxRemembered = 4'000'000;  // cached index ranges of a list of names

}  // namespace sparsecfg::model
