#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace sparsecfg::base {

// Insertions, deletions, replacements and swaps of neighbours that turn one word into the other.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

// A longer word is not taken for a misspelt one: the distance costs the product of the lengths.
inline constexpr std::size_t kMaxWordLength = 100;

// Returns the candidate nearest to a misspelt word of at most kMaxWordLength letters: at most a third of the word's
// letters away (one edit for words of up to 5 letters), letter case aside. Returns nullopt if none is near.
[[nodiscard]] std::optional<std::string_view> nearest(std::string_view word,
                                                      std::span<const std::string_view> candidates);

// The same for words that share long endings, such as "PruningModifier": the letters before what a candidate shares
// with the word's ending are compared, so that AWQModifier is not taken for GPTQModifier.
[[nodiscard]] std::optional<std::string_view> nearest_stem(std::string_view word,
                                                           std::span<const std::string_view> candidates);

// Returns "did you mean `guess`?", or the argument `otherwise` if there is no guess.
[[nodiscard]] std::string did_you_mean(std::optional<std::string_view> guess, std::string_view otherwise = {});

}  // namespace sparsecfg::base
