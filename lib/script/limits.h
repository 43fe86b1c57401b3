#pragma once

#include <cstddef>

// Limits of single values, in addition to those of the budget in base/limits.h.
namespace sparsecfg::limits {

inline constexpr std::size_t kMaxScriptPlaces = 20'000;  // of the parts of a string that is joined from others
inline constexpr std::size_t kMaxScriptEscapes = 5'000;  // of a literal whose parts keep their places
inline constexpr std::size_t kMaxScriptKeyParts = 100;   // of a tuple that is a key
inline constexpr std::size_t kMaxScriptItems = 1'000;    // possible elements of a list after a condition
inline constexpr std::size_t kMaxScriptCopy = 20'000;    // values of an object that the script copies

}  // namespace sparsecfg::limits
