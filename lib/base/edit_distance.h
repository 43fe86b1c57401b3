#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace sparsecfg::base {

// Returns the number of insertions, deletions, replacements and swaps of neighbors that turn one word into the other.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

// Longer words get no suggestion, because the time grows with the product of the lengths.
inline constexpr std::size_t kMaxWordLength = 100;

// Returns the candidate nearest to a misspelled word, ignoring letter case. The distance is at most a third of the
// word's length, or one edit for words of up to 5 letters. Returns nullopt if no candidate is that near or if the word
// is longer than kMaxWordLength.
[[nodiscard]] std::optional<std::string_view> nearest(std::string_view word,
                                                      std::span<const std::string_view> candidates);

// Like nearest(), for words that share long endings such as "PruningModifier". Compares only the letters before the
// ending that candidate and word have in common, so AWQModifier is not suggested for GPTQModifier.
[[nodiscard]] std::optional<std::string_view> nearest_stem(std::string_view word,
                                                           std::span<const std::string_view> candidates);

// Returns "did you mean `guess`?", or `otherwise` without a guess.
[[nodiscard]] std::string did_you_mean(std::optional<std::string_view> guess, std::string_view otherwise = {});

}  // namespace sparsecfg::base
